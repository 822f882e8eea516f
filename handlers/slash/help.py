"""`/heal help`: lists all commands."""

from collections.abc import Mapping
from typing import Literal

from handlers.comments import answers
from handlers.events import CommentCreated
from handlers.model import Context
from handlers.slash.command import SlashCommand


class Help:
    """The command that lists all commands, including itself. `commands` is the registry."""

    SYNTAX = "/heal help"
    PERMISSION: Literal["anyone", "write"] = "anyone"
    HELP = "Shows this list."

    def __init__(self, commands: Mapping[str, SlashCommand]) -> None:
        self._commands = commands

    async def run(self, _comment: CommentCreated, _args: tuple[str, ...], _context: Context, /) -> str:
        """Returns the table of commands."""
        return self.text()

    def text(self) -> str:
        """The table of commands, generated from the registry."""
        rows = ((slash.SYNTAX, slash.HELP, slash.PERMISSION) for slash in self._commands.values())
        return answers.help_text(tuple(rows))
