"""Attempts to get out of the sandbox, one file for each aim. All run on every back end that promises to hold."""
