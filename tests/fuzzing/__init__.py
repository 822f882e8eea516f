"""Hostile bytes for every door that takes a stranger's: webhooks and the readers of logs, settings, diffs and comments.

`make test` runs a sample of it; `make fuzz` a million webhooks, and coverage-guided rounds over the readers.
"""
