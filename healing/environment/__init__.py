"""The environment that a project's checks run in. On a laptop it is the person's own, discovered and shown to the
sandbox."""
