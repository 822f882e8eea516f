"""The only writer to GitHub: implements `handlers.model.Publisher`. Each method posts its content only once; most are
in files of their own."""

from typing import Any

from bot.github.checks import Checks, Lock
from bot.github.client import RepoClient
from bot.github.comments import Comments
from bot.github.commits import Commits
from bot.github.fixups import Fixups
from bot.github.once import post_once
from bot.github.reviews import Reviews
from bot.github.transport import Unsure
from handlers.comments import reruns
from handlers.events import Where
from handlers.model import Refused
from handlers.model.plans import CheckPlan, CommitPlan, FixupPlan, Posted, Reviewers, ReviewPlan, Withdrawal
from handlers.model.refusal import suppress_refusal
from healing.model import CiRun

AT_ONCE = 20  # threads resolved per request


class Reruns:
    """Re-runs the failed jobs of a workflow run, once for each of its attempts. `client` has a separate token with
    `actions: write`."""

    def __init__(self, client: RepoClient) -> None:
        self._client = client

    async def may(self) -> bool:
        """Whether the installation grants re-runs. Raises Refused for any other refusal."""
        return await self._client.granted()

    async def rerun(self, ci_run: CiRun) -> str:
        """See `handlers.model.Publisher`. A higher attempt number of the run shows that it was re-run already."""
        root = f"/actions/runs/{ci_run.id}"
        fetched: list[dict[str, Any] | None] = []

        async def look() -> dict[str, Any] | None:
            fetched.append(await self._client.get(root))
            run = fetched[-1]
            return run if run is not None and (run.get("run_attempt") or 1) > ci_run.attempt else None

        async def post() -> dict[str, Any]:
            await self._client.write("POST", f"{root}/rerun-failed-jobs", {})
            return {}

        try:
            await post_once(look, post, self._client.transport.sleep)
        except Unsure:
            raise
        except Refused as refusal:
            if refusal.retry_after is not None:
                raise
            return "" if await look() else _why(fetched[-1], refusal)
        return ""


def _why(run: dict[str, Any] | None, refusal: Refused) -> str:
    if run is None:
        return reruns.DELETED
    if run.get("status") != "completed":
        return reruns.IN_PROGRESS
    return reruns.refused_by_github(refusal.message)


class Withdrawals:
    """Edits the comments of suggestions that should no longer be committed, and resolves their threads. Both actions
    are idempotent."""

    def __init__(self, client: RepoClient) -> None:
        self._client = client

    async def withdraw(self, plans: tuple[Withdrawal, ...]) -> None:
        """Resolves the threads first, so that a crash in between leaves comments that are still to be edited. What
        GitHub refuses permanently is left as it is, since either action alone removes the button: an edited comment has
        no suggestion, and in a resolved thread none can be committed. Hiding the comment (`minimizeComment`) is no
        alternative: it only folds it."""
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


class RepoPublisher:
    """Bound to one repository; only `client` holds the write token. `actions` has a token that can only re-run CI,
    `teams` one that can request reviews from teams: not every installation grants these. `check_lock` is held for a
    commit while its check run is created."""

    def __init__(self, client: RepoClient, actions: RepoClient, teams: RepoClient, slug: str, check_lock: Lock) -> None:
        author = f"{slug}[bot]"
        self._reviews = Reviews(client, author)
        self._withdrawals = Withdrawals(client)
        self._comments = Comments(client, author)
        self._checks = Checks(client, slug, check_lock)
        self._commits = Commits(client, author)
        self._fixups = Fixups(client, author, teams)
        self._reruns = Reruns(actions)

    async def review(self, plan: ReviewPlan) -> Posted:
        return await self._reviews.post(plan)

    async def withdraw(self, plans: tuple[Withdrawal, ...]) -> None:
        await self._withdrawals.withdraw(plans)

    async def sticky(self, number: int, marker: str, body: str, create: bool = True) -> Posted | None:
        return await self._comments.sticky(number, marker, body, create)

    async def answer(self, number: int, marker: str, body: str, in_reply_to: int | None) -> Posted:
        return await self._comments.answer(number, marker, body, in_reply_to)

    async def react(self, comment_id: int, where: Where, content: str, node_id: str = "") -> None:
        await self._comments.react(comment_id, where, content, node_id)

    async def check(self, plan: CheckPlan) -> Posted:
        return await self._checks.post(plan)

    async def open_suites_itself(self, app_id: int) -> None:
        await self._checks.open_suites_itself(app_id)

    async def commit(self, plan: CommitPlan, marker: str) -> str:
        return await self._commits.commit(plan, marker)

    async def fixup(self, plan: FixupPlan) -> Posted:
        return await self._fixups.open(plan)

    async def ready(self, number: int, reviewers: Reviewers) -> tuple[str, ...]:
        return await self._fixups.ready(number, reviewers)

    async def close_fixup(self, number: int, branch: str, why: str) -> None:
        await self._fixups.close(number, branch, why)

    async def may_rerun(self) -> bool:
        return await self._reruns.may()

    async def rerun(self, ci_run: CiRun) -> str:
        return await self._reruns.rerun(ci_run)
