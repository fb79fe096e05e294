"""The explorer for a memory store: the screen and the command line. Importing this loads nothing else."""

__version__ = "0.1.0"
