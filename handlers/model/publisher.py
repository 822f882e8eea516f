"""What handlers may write to GitHub; each method is idempotent by content."""

from typing import Protocol

from handlers.events import Where
from handlers.model.plans import CheckPlan, CommitPlan, FixupPlan, Posted, Reviewers, ReviewPlan, Withdrawal
from healing.model import CiRun


class Publisher(Protocol):
    """The only holder of a write token. Methods look first for what is already there, and then return that."""

    async def review(self, plan: ReviewPlan) -> Posted: ...
    async def withdraw(self, plans: tuple[Withdrawal, ...]) -> None:
        """Resolves the threads and edits the comments. Refusals of GitHub are ignored."""
        ...

    async def sticky(self, number: int, marker: str, body: str, create: bool = True) -> Posted | None:
        """Creates or edits the one comment with `marker`; without `create` only edits."""
        ...

    async def answer(self, number: int, marker: str, body: str, in_reply_to: int | None) -> Posted:
        """Posts the answer to one command once; later calls edit it in place."""
        ...

    async def react(self, comment_id: int, where: Where, content: str, node_id: str = "") -> None:
        """Adds a reaction. `node_id` is needed for the summary of a review."""
        ...

    async def open_suites_itself(self, app_id: int) -> None:
        """Asks GitHub not to open check suites of this App on pushes. A refusal is ignored."""
        ...

    async def check(self, plan: CheckPlan) -> Posted:
        """Creates or updates the check run with the plan's external id. A completed check run is never reopened."""
        ...

    async def commit(self, plan: CommitPlan, marker: str) -> str:
        """Returns the SHA of the commit with `marker`, created unless the branch already has it. Raises HeadMoved."""
        ...

    async def fixup(self, plan: FixupPlan) -> Posted:
        """Opens the pull request from the plan's branch, or updates it to the plan. Raises HeadMoved if somebody else
        pushed to the branch."""
        ...

    async def ready(self, number: int, reviewers: Reviewers) -> tuple[str, ...]:
        """Marks a fixup pull request ready and requests reviews; people who can't be requested are skipped. Returns the
        teams that could not be requested."""
        ...

    async def close_fixup(self, number: int, branch: str, why: str) -> None: ...
    async def may_rerun(self) -> bool:
        """Whether the installation grants `actions: write`, as GitHub reports now."""
        ...

    async def rerun(self, ci_run: CiRun) -> str:
        """Re-runs the failed jobs of a workflow run, if it is still at that attempt. Returns why not, or an empty
        string: then there is a later attempt, by this call or another."""
        ...
