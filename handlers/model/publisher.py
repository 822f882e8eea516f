"""What the conversation may write to GitHub: each method is idempotent by content."""

from typing import Protocol

from handlers.events import Where
from handlers.model.plans import CheckPlan, CommitPlan, FixupPlan, Posted, Reviewers, ReviewPlan, Withdrawal
from healing.model import CiRun


class Publisher(Protocol):
    """The only holder of a write token. Every method looks for its marker first and gives what is there."""

    async def review(self, plan: ReviewPlan) -> Posted: ...
    async def withdraw(self, plans: tuple[Withdrawal, ...]) -> None:
        """Resolves the threads and edits the comments. What GitHub refuses is left as it is."""
        ...

    async def sticky(self, number: int, marker: str, body: str, create: bool = True) -> Posted | None:
        """Makes or edits the one comment with `marker`; with `create` false only edits."""
        ...

    async def answer(self, number: int, marker: str, body: str, in_reply_to: int | None) -> Posted:
        """The answer to one command: made once, later edited in place."""
        ...

    async def react(self, comment_id: int, where: Where, content: str, node_id: str = "") -> None:
        """`node_id` is needed for the summary of a review."""
        ...

    async def open_suites_itself(self, app_id: int) -> None:
        """From now on GitHub opens no check suite of this App for a push. Where it refuses that, nothing changes."""
        ...

    async def check(self, plan: CheckPlan) -> Posted:
        """Makes or updates the check run with the plan's external id. A status only goes forward: one that has ended
        is never opened again."""
        ...

    async def commit(self, plan: CommitPlan, marker: str) -> str:
        """Gives the new head. Looks whether the branch already holds the commit with `marker`. Raises HeadMoved."""
        ...

    async def fixup(self, plan: FixupPlan) -> Posted:
        """Makes the pull request from the plan's branch, or lets it hold what the plan says now. Raises HeadMoved where
        somebody else pushed to the branch."""
        ...

    async def ready(self, number: int, reviewers: Reviewers) -> tuple[str, ...]:
        """Ends a fixup pull request's draft and asks for reviews; people who can't be asked are left out. Gives the
        teams that could not be asked."""
        ...

    async def close_fixup(self, number: int, branch: str, why: str) -> None: ...
    async def may_rerun(self) -> bool:
        """Whether the installation grants `actions: write`, asked of GitHub."""
        ...

    async def rerun(self, ci_run: CiRun) -> str:
        """Runs the failed jobs of a workflow run again, if it is still at that attempt. Gives why not, in GitHub's
        words, or nothing: then a later attempt is there, by this call or by another."""
        ...
