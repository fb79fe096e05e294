"""Text to vector."""
