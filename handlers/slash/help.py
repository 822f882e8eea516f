"""`/heal help`: all commands."""

from typing import Literal

from handlers.comments import answers
from handlers.events import CommentCreated
from handlers.ports import Context

SYNTAX = "/heal help"
PERMISSION: Literal["anyone", "write"] = "anyone"
HELP = "Shows this list."


async def run(_comment: CommentCreated, _args: tuple[str, ...], _context: Context) -> str:
    """The table of commands."""
    return text()


def text() -> str:
    """Made from the registry, so that it can't drift from it."""
    from handlers.slash import BY_WORD  # the registry lists this file too

    return answers.help_text(tuple((slash.SYNTAX, slash.HELP, slash.PERMISSION) for slash in BY_WORD.values()))
