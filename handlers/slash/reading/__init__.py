"""Parses a comment: the command in it, and the fixes and errors that its arguments name."""
