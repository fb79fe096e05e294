"""Lists, counts and one memory, as frozen results."""
