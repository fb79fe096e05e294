"""The tree of a store, read only."""
