"""Event handlers: what happened on GitHub, what Heal decides, and what it posts."""
