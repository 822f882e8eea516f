"""The same engine on a person's own clone."""
