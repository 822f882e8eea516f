"""A person's hint as the agents read it: plain text, never posted."""

from handlers.comments.clean import cut
from healing.model import CIError

MAX_NAMED = 5


def hint(errors: tuple[CIError, ...], how: str) -> str:
    """The hint, with the errors that it is about; without any it is for the whole run."""
    if not errors:
        return how
    named = "; ".join(_named(error) for error in errors[:MAX_NAMED])
    return f"This is about {named}: {how or 'look at it again.'}"


def _named(error: CIError) -> str:
    where = f"{error.file}:{error.line}" if error.file and error.line else error.file or error.tool
    return f"{where} ({cut(error.message, 200)})"
