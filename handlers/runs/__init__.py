"""Runs from the handlers' side: which pull request a run belongs to, whether it starts, what it reports."""
