"""Words at the failing end of a log that say who failed: one file for each kind of evidence.

The entry point is triage.py.
"""
