"""The interface of a slash command."""

from typing import Literal, Protocol

from handlers.events import CommentCreated
from handlers.model import Context


class SlashCommand(Protocol):
    """The names that each command's file defines. `run` returns the answer's text, or raises UserError with it."""

    @property
    def SYNTAX(self) -> str: ...  # noqa: N802
    @property
    def PERMISSION(self) -> Literal["anyone", "write"]: ...  # noqa: N802
    @property
    def HELP(self) -> str: ...  # noqa: N802

    async def run(self, comment: CommentCreated, args: tuple[str, ...], context: Context, /) -> str: ...
