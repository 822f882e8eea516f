"""Handles requests from Heal's dashboard to work on a commit of the default branch again, or to cancel that.

The user's current permission is read from GitHub. There is no page for a reply: the commit's check run shows the
result.
"""

from handlers.comments import cancelling
from handlers.events import AskedOfCommit
from handlers.model import UNFINISHED, Context, Run
from handlers.runs.asking import attempts, request_attempt
from handlers.runs.ending import cancel_runs


async def handle(event: AskedOfCommit, context: Context) -> None:
    """Opens the next attempt, or cancels unfinished ones."""
    login = event.sender.login
    if await context.github.permission(login) not in ("admin", "write"):
        return
    if event.word == "retry":
        wish = f"said:dashboard:{event.ask_id}"
        await request_attempt(context, event.installation_id, event.sha, wish, login, event.hint, where="dashboard")
        return

    async def find() -> list[Run]:
        return [run for run in await attempts(context.store, event.sha) if run.state in UNFINISHED]

    await cancel_runs(context, event.sha, find, cancelling.why_of_commit(login))
