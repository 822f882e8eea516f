"""What a database says where it can't be opened, for people."""

from collections.abc import Iterator
from contextlib import contextmanager

from handlers.errors import UserError


@contextmanager
def naming_the_store(shown: str, done: str) -> Iterator[None]:
    """Raises UserError where the database `shown` can't be `done` (`opened`, `migrated`), with its first line."""
    from alembic.util import CommandError
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (SQLAlchemyError, CommandError, OSError) as error:
        raise UserError(trouble(shown, done, error)) from error


def trouble(shown: str, done: str, error: Exception) -> str:
    """The same as a sentence."""
    why = str(error).splitlines()[0] if str(error) else type(error).__name__
    return f"the database {shown} can't be {done}: {why}. Look at DATABASE_URL, or HEAL_DATA"
