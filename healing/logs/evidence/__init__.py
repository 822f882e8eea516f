"""Patterns at the failing end of a log that show what failed; one file for each kind of evidence.

The entry point is triage.py.
"""
