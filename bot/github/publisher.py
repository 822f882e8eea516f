"""The only writer to GitHub: `handlers.model.Publisher`, each method once by content, in its own file."""

from bot.github.checks import Checks, Lock
from bot.github.client import RepoClient
from bot.github.comments import Comments
from bot.github.commits import Commits
from bot.github.fixups import Fixups
from bot.github.reruns import Reruns
from bot.github.reviews import Reviews
from bot.github.withdrawals import Withdrawals
from handlers.events import Where
from handlers.model.plans import CheckPlan, CommitPlan, FixupPlan, Posted, Reviewers, ReviewPlan, Withdrawal
from healing.model import CiRun


class RepoPublisher:
    """Bound to one repository; `client` holds the write token, and nothing else does. `actions` has one that can only
    run CI again, `teams` one that can ask teams for reviews: not every installation grants these. `check_lock` is held
    for a commit while its check run is made."""

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
