"""The App's own keys: how they are read, and sealed at rest."""
