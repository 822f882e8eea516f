"""One file per slash command: syntax, permission, help line and effect."""
