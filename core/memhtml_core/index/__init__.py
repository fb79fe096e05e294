"""The projection of a store in our own database."""
