"""What gives a secret away: its shape, its name, its place or what it is encoded as.

The entry point is logs/redaction.py.
"""
