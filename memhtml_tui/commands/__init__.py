"""The headless commands, one module a family. Nothing here imports Textual."""
