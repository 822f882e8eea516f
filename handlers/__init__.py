"""The conversation: what was written on GitHub, what we decide, what we answer."""
