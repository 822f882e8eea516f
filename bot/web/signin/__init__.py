"""Signing in by GitHub, and what the person who did may see."""
