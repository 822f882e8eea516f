"""The slash commands: one file each, and the registry that is written out here. Help is made from it."""

from typing import Literal, Protocol

from handlers.events import CommentCreated
from handlers.ports import Context
from handlers.slash import (
    apply,
    cancel,
    cost,
    dry_run,
    explain,
    help,
    list,
    off,
    on,
    pause,
    pr,
    reject,
    resume,
    retry,
    rollback,
    settings,
    show,
    snapshots,
    start,
    status,
    unfixable,
)


class SlashCommand(Protocol):
    """What each command's file has. `run` gives the answer's text, or raises UserError with it."""

    @property
    def SYNTAX(self) -> str: ...  # noqa: N802
    @property
    def PERMISSION(self) -> Literal["anyone", "write"]: ...  # noqa: N802
    @property
    def HELP(self) -> str: ...  # noqa: N802

    async def run(self, comment: CommentCreated, args: tuple[str, ...], context: Context, /) -> str: ...


BY_WORD: dict[str, SlashCommand] = {
    "": start,
    "dry-run": dry_run,
    "list": list,
    "show": show,
    "apply": apply,
    "pr": pr,
    "reject": reject,
    "rollback": rollback,
    "unfixable": unfixable,
    "retry": retry,
    "snapshots": snapshots,
    "cancel": cancel,
    "explain": explain,
    "status": status,
    "cost": cost,
    "pause": pause,
    "resume": resume,
    "on": on,
    "off": off,
    "config": settings,
    "help": help,
}
WORDS = tuple(word for word in BY_WORD if word)
