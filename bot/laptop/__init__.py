"""Heal on a laptop: the same engine on a person's own clone."""
