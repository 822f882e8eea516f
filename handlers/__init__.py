"""The conversation: what was said on GitHub, what we decide, what we answer."""
