"""Readable errors for a database that can't be opened."""

from collections.abc import Iterator
from contextlib import contextmanager

from handlers.errors import UserError


@contextmanager
def database_error_context(shown: str, done: str) -> Iterator[None]:
    """Raises UserError if the database `shown` can't be `done` (`opened`, `migrated`), with the error's first line."""
    from alembic.util import CommandError
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (SQLAlchemyError, CommandError, OSError) as error:
        raise UserError(database_error_text(shown, done, error)) from error


def database_error_text(shown: str, done: str, error: Exception) -> str:
    """Returns the message of that UserError."""
    why = str(error).splitlines()[0] if str(error) else type(error).__name__
    return f"the database {shown} can't be {done}: {why}. Look at DATABASE_URL, or HEAL_DATA"
