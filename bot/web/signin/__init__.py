"""Signing in with GitHub, and what a signed-in user may see."""
