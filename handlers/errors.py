"""The one kind of error whose text is meant for the person who asked."""


class UserError(Exception):
    """Its text becomes the answer: what happened, why, and what to do next. Already safe Markdown."""
