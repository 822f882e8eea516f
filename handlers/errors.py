"""The error whose text is shown to the user."""


class UserError(Exception):
    """An error whose text is the answer to the user: what happened, why, and what to do next. It is safe Markdown."""
