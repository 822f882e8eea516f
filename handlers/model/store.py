"""The stored data of one repository."""

from collections.abc import Mapping
from typing import Protocol

from handlers.model.page import Pull
from handlers.model.plans import CheckPlan
from handlers.model.stored import Allowance, CIWait, Fixup, ProposalChange, ProposalStatus, Run, StoredProposal, Tally
from healing.logs import flakes
from healing.model import Unfixable
from healing.repair.agents.memory import FailedFix


class Store(Protocol):
    """The stored data of one repository; every call is one transaction."""

    async def open_attempt(self, event_key: str, installation_id: int, sha: str, failure: dict[str, object]) -> Run:
        """Stores one failure of a commit and returns the attempt that it belongs to: the one in its debounce window, or
        a new one. The same `event_key` twice changes nothing."""
        ...

    async def failures(self, sha: str, attempt: int) -> tuple[dict[str, object], ...]: ...
    async def save_run(self, run: Run) -> None: ...
    async def run(self, sha: str, attempt: int) -> Run | None: ...
    async def runs(self, number: int) -> tuple[Run, ...]:
        """Returns the runs of one pull request, newest first."""
        ...

    async def supersede(self, number: int, keep_sha: str) -> tuple[Run, ...]:
        """Marks unfinished runs of other heads of this pull request as superseded, and returns them."""
        ...

    async def cancel(self, sha: str, attempt: int, why: str) -> bool:
        """Requests that an unfinished attempt end. Returns whether no worker had started it yet: then it is over
        now."""
        ...

    async def cancelled(self, sha: str, attempt: int) -> str | None:
        """Returns why an attempt was cancelled; None if it wasn't."""
        ...

    async def settle(self, sha: str, suite_id: int) -> None:
        """Records that all checks of one suite of the commit are completed."""
        ...

    async def note_head(self, number: int, sha: str) -> None:
        """Records the pull request's current head."""
        ...

    async def note_pull(self, pull: Pull) -> None:
        """Records the pull request's title, branch, author and state, as just read."""
        ...

    async def pulls_at(self, sha: str) -> tuple[int, ...]:
        """Returns the pull requests whose last recorded head is this commit."""
        ...

    async def note_check(self, plan: CheckPlan, attempt: int) -> None:
        """Records, before it is written, that an attempt's check run may be open on GitHub, and the whole plan if it
        completes the check run. Kept until `forget_check`, so that no check run stays open for ever."""
        ...

    async def check_noted(self, sha: str, attempt: int) -> bool: ...
    async def forget_check(self, sha: str, attempt: int) -> None: ...

    async def save_proposals(self, proposals: tuple[StoredProposal, ...]) -> None: ...
    async def update_proposal(
        self, known: StoredProposal, change: ProposalChange, only: tuple[ProposalStatus, ...]
    ) -> bool:
        """Writes only the fields in `change`, if the status is one of `only` at that moment, so that concurrent
        decisions are not overwritten. Returns whether it was written."""
        ...

    async def proposals(self, number: int) -> tuple[StoredProposal, ...]:
        """Returns the proposals of one pull request, in the order in which they were made."""
        ...

    async def save_kinds(self, number: int, kinds: Mapping[str, tuple[str, ...]]) -> None:
        """Saves the kinds of each fix (by id) of a pull request; known ones stay."""
        ...

    async def tallies(self, kinds: tuple[str, ...]) -> tuple[Tally, ...]:
        """Returns how people decided on fixes of these kinds in the last half year, without undecided kinds."""
        ...

    async def learn(self, failed: tuple[FailedFix, ...]) -> None:
        """Saves rejected fixes for later agents. Idempotent."""
        ...

    async def save_fixup(self, fixup: Fixup) -> None:
        """Inserts or updates a fixup pull request, by its number; its age counts from its newest head."""
        ...

    async def fixups(self) -> tuple[Fixup, ...]:
        """Returns all fixup pull requests of the repository that are open, as far as is known."""
        ...

    async def forget_fixup(self, number: int) -> None: ...
    async def await_ci(self, wait: CIWait) -> None:
        """Schedules a later check whether CI started there. Only the newest head of a pull request is kept."""
        ...

    async def forget_ci_wait(self, wait: CIWait) -> None: ...
    async def save_unfixables(self, number: int, run_id: str, reports: tuple[Unfixable, ...]) -> None: ...
    async def unfixables(self, number: int) -> tuple[Unfixable, ...]: ...
    async def save_test_outcomes(self, outcomes: tuple[flakes.RecordedOutcome, ...]) -> None:
        """Saves outcomes; at most one failure and one pass are kept per test and commit."""
        ...

    async def test_outcomes(self, tests: tuple[str, ...]) -> tuple[flakes.RecordedOutcome, ...]: ...
    async def allow(self, person_id: int, question: str, most: int, seconds: float) -> Allowance:
        """Rate-limits the questions of a person: at most `most` are answered in any `seconds`. The same `question`
        again gets the same verdict."""
        ...

    async def pause(self, number: int, by: str) -> None:
        """Pauses Heal on this pull request. If it is paused already, the first pause is kept."""
        ...

    async def resume(self, number: int) -> None: ...
    async def paused_by(self, number: int) -> str | None:
        """Returns who paused Heal on this pull request; None if it isn't paused."""
        ...

    async def switch(self, offers: bool, by: str) -> None:
        """Sets whether Heal offers fixes in this repository, or only observes it."""
        ...

    async def observing(self) -> bool:
        """Whether Heal only observes: nothing but its check run is posted until somebody switches it on."""
        ...

    async def stopped(self) -> str | None:
        """Returns why Heal is stopped everywhere by the operator's switch; None if it isn't."""
        ...
