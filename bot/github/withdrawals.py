"""Edits the comments of suggestions that nobody should commit any more, and resolves their threads."""

from bot.github.client import RepoClient
from handlers.model.plans import Withdrawal
from handlers.model.refusal import suppress_refusal

AT_ONCE = 20  # threads that one request resolves


class Withdrawals:
    """Both acts may be repeated: GitHub then changes nothing."""

    def __init__(self, client: RepoClient) -> None:
        self._client = client

    async def withdraw(self, plans: tuple[Withdrawal, ...]) -> None:
        """The threads first, so that a crash between leaves comments that are still to be edited. What GitHub refuses
        for good is left as it is, for either act alone takes the button away: an edited comment has no suggestion, and
        in a resolved thread none can be committed. Hiding the comment (`minimizeComment`) is no third way: it
        only folds it."""
        threads = [plan.thread_id for plan in plans if plan.thread_id is not None]
        for start in range(0, len(threads), AT_ONCE):
            await self._resolve(threads[start : start + AT_ONCE])
        for plan in plans:
            await self._edit(plan)

    async def _resolve(self, threads: list[str]) -> None:
        names = {f"t{at}": thread for at, thread in enumerate(threads)}
        given = ", ".join(f"${name}: ID!" for name in names)
        acts = " ".join(
            f"{name}: resolveReviewThread(input: {{threadId: ${name}}}) {{ thread {{ isResolved }} }}" for name in names
        )
        with suppress_refusal():
            await self._client.graphql(f"mutation({given}) {{ {acts} }}", dict(names), repeatable=True)

    async def _edit(self, plan: Withdrawal) -> None:
        with suppress_refusal():
            await self._client.write(
                "PATCH", f"/pulls/comments/{plan.comment_id}", {"body": plan.body}, repeatable=True
            )
