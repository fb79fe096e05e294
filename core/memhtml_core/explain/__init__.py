"""Why here, why not there."""
