"""The tests; see CONTRIBUTING.md for what lives where."""
