"""What Heal remembers about one repository."""

from collections.abc import Mapping
from typing import Protocol

from handlers.model.page import Pull
from handlers.model.plans import CheckPlan
from handlers.model.stored import Allowance, CIWait, Fixup, ProposalChange, ProposalStatus, Run, StoredProposal, Tally
from healing.logs import flakes
from healing.model import Unfixable
from healing.repair.agents.memory import FailedFix


class Store(Protocol):
    """What Heal remembers about one repository; every call is one transaction."""

    async def open_attempt(self, event_key: str, installation_id: int, sha: str, failure: dict[str, object]) -> Run:
        """Stores one failure of a commit and gives the attempt that it belongs to: the one that still gathers, or
        the next one. The same `event_key` twice changes nothing."""
        ...

    async def failures(self, sha: str, attempt: int) -> tuple[dict[str, object], ...]: ...
    async def save_run(self, run: Run) -> None: ...
    async def run(self, sha: str, attempt: int) -> Run | None: ...
    async def runs(self, number: int) -> tuple[Run, ...]:
        """Of one pull request, newest first."""
        ...

    async def supersede(self, number: int, keep_sha: str) -> tuple[Run, ...]:
        """Marks runs of other heads of this pull request as superseded and gives those that were unfinished."""
        ...

    async def cancel(self, sha: str, attempt: int, why: str) -> bool:
        """An attempt that has not ended is to end. Gives whether nobody worked on it yet: then it has ended by this."""
        ...

    async def cancelled(self, sha: str, attempt: int) -> str | None:
        """Why an attempt is to end before it is done; None where nobody cancelled it."""
        ...

    async def settle(self, sha: str, suite_id: int) -> None:
        """All checks of one suite of the commit have ended."""
        ...

    async def note_head(self, number: int, sha: str) -> None:
        """The pull request's head is this commit now."""
        ...

    async def note_pull(self, pull: Pull) -> None:
        """What people know the pull request by, as it was read just now."""
        ...

    async def pulls_at(self, sha: str) -> tuple[int, ...]:
        """The pull requests whose head was this commit when it was last noted."""
        ...

    async def note_check(self, plan: CheckPlan, attempt: int) -> None:
        """Remembers, before it is written, that an attempt's check run may stand open on GitHub; of a plan that
        completes it, also what it has to say. Kept until `forget_check`, so that none stays open for ever."""
        ...

    async def check_noted(self, sha: str, attempt: int) -> bool: ...
    async def forget_check(self, sha: str, attempt: int) -> None: ...

    async def save_proposals(self, proposals: tuple[StoredProposal, ...]) -> None: ...
    async def update_proposal(
        self, known: StoredProposal, change: ProposalChange, only: tuple[ProposalStatus, ...]
    ) -> bool:
        """Writes what `change` names and nothing else, if the status is one of `only` at that moment: what others
        decided meanwhile is not undone. Gives whether it was written."""
        ...

    async def proposals(self, number: int) -> tuple[StoredProposal, ...]:
        """Of one pull request, in the order in which they were made."""
        ...

    async def save_kinds(self, number: int, kinds: Mapping[str, tuple[str, ...]]) -> None:
        """Of which kinds each fix (by id) of a pull request is; known ones stay."""
        ...

    async def tallies(self, kinds: tuple[str, ...]) -> tuple[Tally, ...]:
        """How people decided on fixes of these kinds in the last half year; kinds without a decision are left out."""
        ...

    async def learn(self, failed: tuple[FailedFix, ...]) -> None:
        """What a later agent is to know of fixes that people turned down; the same again changes nothing."""
        ...

    async def save_fixup(self, fixup: Fixup) -> None:
        """Makes or changes what is known of a fixup pull request, by its number; its time counts from its newest head
        on."""
        ...

    async def fixups(self) -> tuple[Fixup, ...]:
        """All of the repository that are open, as far as Heal has received."""
        ...

    async def forget_fixup(self, number: int) -> None: ...
    async def await_ci(self, wait: CIWait) -> None:
        """In a while somebody is to see whether CI started there. One head a pull request: the newest."""
        ...

    async def forget_ci_wait(self, wait: CIWait) -> None: ...
    async def save_unfixables(self, number: int, run_id: str, reports: tuple[Unfixable, ...]) -> None: ...
    async def unfixables(self, number: int) -> tuple[Unfixable, ...]: ...
    async def save_test_outcomes(self, outcomes: tuple[flakes.RecordedOutcome, ...]) -> None:
        """Each test has at most one red and one green outcome a commit."""
        ...

    async def test_outcomes(self, tests: tuple[str, ...]) -> tuple[flakes.RecordedOutcome, ...]: ...
    async def allow(self, person_id: int, question: str, most: int, seconds: float) -> Allowance:
        """Counts a question of a person: at most `most` are answered in any `seconds`. The same `question` again gets
        the same verdict."""
        ...

    async def pause(self, number: int, by: str) -> None:
        """From now on Heal is still on this pull request. The first pause stays the one that counts."""
        ...

    async def resume(self, number: int) -> None: ...
    async def paused_by(self, number: int) -> str | None:
        """Who told Heal to be still on this pull request; None where nobody did."""
        ...

    async def switch(self, offers: bool, by: str) -> None:
        """From now on Heal offers fixes in this repository, or only observes it."""
        ...

    async def observing(self) -> bool:
        """Whether Heal only looks here: nothing but its check run is posted until somebody switches it on."""
        ...

    async def stopped(self) -> str | None:
        """Why nothing may be done anywhere just now: the operator's switch is set."""
        ...
