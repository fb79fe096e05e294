"""One module a pane; panes draw frozen results only."""
