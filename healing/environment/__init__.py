"""The environment that a project's checks run in: the person's own on a laptop, found and shown to the sandbox."""
