"""Stylesheets of the app; see memhtml_tui.resources."""
