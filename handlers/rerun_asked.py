"""Handles Re-run on Heal's own check: starts a new attempt with the commit's known failures."""

from handlers.events import RerunAsked
from handlers.model import Context
from handlers.runs.asking import request_attempt


async def handle(event: RerunAsked, context: Context) -> None:
    """Opens the next attempt. GitHub shows the button only to people with write access, but that is checked again."""
    if await context.github.permission(event.sender.login) not in ("admin", "write"):
        return
    await request_attempt(context, event.installation_id, event.sha, "rerun", by=event.sender.login)
