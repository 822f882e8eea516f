"""The slash commands: one file for each, and their registry, from which the help is generated."""

from handlers.slash import (
    apply,
    cancel,
    cost,
    dry_run,
    explain,
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
from handlers.slash.command import SlashCommand
from handlers.slash.help import Help

__all__ = ["BY_WORD", "FOR_ANYONE", "HELP", "WORDS", "SlashCommand"]
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
}
HELP = Help(BY_WORD)
BY_WORD["help"] = HELP
WORDS = tuple(word for word in BY_WORD if word)
FOR_ANYONE = tuple(word for word in WORDS if BY_WORD[word].PERMISSION == "anyone")
