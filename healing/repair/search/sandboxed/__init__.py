"""Plug-ins for pytest that are handed into the sandbox as plain files: they must import nothing of Heal's."""
