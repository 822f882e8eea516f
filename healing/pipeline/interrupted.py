"""Somebody wants a healing to end before it is done."""


class Interrupted(Exception):
    """Raised by what is notified of progress. The healing ends with what it has found; the text says why."""
