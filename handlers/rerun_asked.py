"""Somebody pressed Re-run on Heal's own check: the commit's known failures are tried again."""

from handlers.events import RerunAsked
from handlers.model import Context
from handlers.runs.asking import ask_again


async def handle(event: RerunAsked, context: Context) -> None:
    """Opens the next attempt. GitHub shows the button to people with write access; asked again all the same."""
    if await context.github.permission(event.sender.login) not in ("admin", "write"):
        return
    await ask_again(context, event.installation_id, event.sha, "rerun", by=event.sender.login)
