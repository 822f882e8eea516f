"""The GitHub App's secrets: how they are read, and encrypted at rest."""
