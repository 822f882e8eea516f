"""Edits the comments of suggestions that nobody should commit any more, and resolves their threads."""

from bot.github.client import RepoClient
from handlers.delivery.plans import Withdrawal
from handlers.ports import Refused

AT_ONCE = 20  # threads that one request resolves
_NO = (403, 404, 409, 422)  # a missing permission, a comment that was deleted, a locked conversation


class Withdrawals:
    """Both acts may be repeated: GitHub then changes nothing."""

    def __init__(self, client: RepoClient) -> None:
        self._client = client

    async def withdraw(self, plans: tuple[Withdrawal, ...]) -> None:
        """The threads first, so that a crash between leaves comments that are still to be edited. What GitHub refuses
        is left as it is: an edited comment has no suggestion, whether or not its thread is resolved."""
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
        try:
            await self._client.graphql(f"mutation({given}) {{ {acts} }}", dict(names), repeatable=True)
        except Refused as error:
            _raise_unless_refused(error)

    async def _edit(self, plan: Withdrawal) -> None:
        try:
            url = f"/pulls/comments/{plan.comment_id}"
            await self._client.write("PATCH", url, {"body": plan.body}, repeatable=True)
        except Refused as error:
            _raise_unless_refused(error)


def _raise_unless_refused(error: Refused) -> None:
    """A limit or a lost answer is for whoever tries again later."""
    if error.status not in _NO or error.retry_after is not None:
        raise error
