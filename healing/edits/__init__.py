"""Exact edits of bytes: applied, reversed, compared and merged."""
