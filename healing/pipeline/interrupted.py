"""The exception that ends a run early."""


class Interrupted(Exception):
    """Raised by the progress callback. The run ends with what it has found; the message says why."""
