"""Finds secrets by their form, by the name before them and by their place. `healing/logs/redaction.py` calls this."""
