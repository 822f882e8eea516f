"""What Heal remembers, in memory, with the rules of the real store."""

from collections import Counter
from collections.abc import Mapping

from handlers.model import (
    UNFINISHED,
    Allowance,
    CIWait,
    Fixup,
    ProposalChange,
    ProposalStatus,
    Pull,
    Run,
    StoredProposal,
    Tally,
)
from handlers.model.plans import CheckPlan
from healing.logs import flakes
from healing.model import Unfixable
from healing.repair.agents.memory import FailedFix
from tests.handlers.hub import REPO


class MemoryStore:
    """Rows, with the same rules as the real one: keys once, proposals once, renewals by another run."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], tuple[int, dict[str, object]]] = {}
        self.runs_: dict[tuple[str, int], Run] = {}
        self.proposals_: dict[tuple[int, str], StoredProposal] = {}
        self.questions: dict[int, dict[str, Allowance]] = {}  # in memory the hour never passes
        self.reports: dict[tuple[int, str], Unfixable] = {}
        self.tests: dict[flakes.RecordedOutcome, None] = {}
        self.pauses: dict[int, str] = {}
        self.cancels: dict[tuple[str, int], str] = {}
        self.kinds: dict[tuple[int, str], tuple[str, ...]] = {}
        self.lessons: dict[FailedFix, None] = {}
        self.fixups_: dict[int, Fixup] = {}
        self.ci_waits: dict[int, CIWait] = {}
        self.heads: dict[int, str] = {}
        self.pulls_: dict[int, Pull] = {}
        self.checks_noted: dict[tuple[str, int], CheckPlan | None] = {}
        self.offers = True
        self.stop: str | None = None

    async def open_attempt(self, event_key: str, installation_id: int, sha: str, failure: dict[str, object]) -> Run:
        if (sha, event_key) not in self.rows:
            mine = [run for (of, _), run in self.runs_.items() if of == sha]
            last = max(mine, key=lambda run: run.attempt, default=None)
            if last is None or last.state != "gathering":
                last = Run(
                    repo_id=REPO.id,
                    full_name=REPO.full_name,
                    installation_id=installation_id,
                    sha=sha,
                    attempt=last.attempt + 1 if last else 1,
                    number=last.number if last else None,
                    state="gathering",
                )
                self.runs_[sha, last.attempt] = last
            self.rows[sha, event_key] = (last.attempt, failure)
        return self.runs_[sha, self.rows[sha, event_key][0]]

    async def failures(self, sha: str, attempt: int) -> tuple[dict[str, object], ...]:
        return tuple(row for (of, _), (at, row) in self.rows.items() if of == sha and at == attempt)

    async def save_run(self, run: Run) -> None:
        self.runs_[run.sha, run.attempt] = run

    async def cancel(self, sha: str, attempt: int, why: str) -> bool:
        run = self.runs_.get((sha, attempt))
        if run is None or run.state not in UNFINISHED:
            return False
        self.cancels[sha, attempt] = why
        waiting = run.state == "gathering" or run.run_id is None
        if waiting:
            self.runs_[sha, attempt] = run.model_copy(update={"state": "stopped", "reason": why})
        return waiting

    async def cancelled(self, sha: str, attempt: int) -> str | None:
        return self.cancels.get((sha, attempt))

    async def run(self, sha: str, attempt: int) -> Run | None:
        return self.runs_.get((sha, attempt))

    async def runs(self, number: int) -> tuple[Run, ...]:
        return tuple(reversed([run for run in self.runs_.values() if run.number == number]))

    async def supersede(self, number: int, keep_sha: str) -> tuple[Run, ...]:
        old = [r for r in self.runs_.values() if r.number == number and r.sha != keep_sha]
        unfinished = [run for run in old if run.state in ("gathering", "running")]
        for run in unfinished:
            self.runs_[run.sha, run.attempt] = run.model_copy(update={"state": "superseded"})
        return tuple(unfinished)

    async def note_head(self, number: int, sha: str) -> None:
        self.heads[number] = sha

    async def note_pull(self, pull: Pull) -> None:
        self.pulls_[pull.number] = pull

    async def pulls_at(self, sha: str) -> tuple[int, ...]:
        return tuple(number for number, at in self.heads.items() if at == sha)

    async def note_check(self, plan: CheckPlan, attempt: int) -> None:
        known = self.checks_noted.get((plan.sha, attempt))
        self.checks_noted[plan.sha, attempt] = plan if plan.status == "completed" else known

    async def check_noted(self, sha: str, attempt: int) -> bool:
        return (sha, attempt) in self.checks_noted

    async def forget_check(self, sha: str, attempt: int) -> None:
        self.checks_noted.pop((sha, attempt), None)

    async def save_proposals(self, proposals: tuple[StoredProposal, ...]) -> None:
        for item in proposals:
            key = (item.number, item.proposal.id)
            known = self.proposals_.get(key)
            over = known is not None and known.status in ("applied", "rolled-back", "outdated", "muted", "resolved")
            if known is None or (over and known.run_id != item.run_id):
                self.proposals_[key] = item

    async def update_proposal(
        self, known: StoredProposal, change: ProposalChange, only: tuple[ProposalStatus, ...]
    ) -> bool:
        key = (known.number, known.proposal.id)
        now = self.proposals_.get(key)
        if now is None or now.status not in only:
            return False
        self.proposals_[key] = now.model_copy(update=dict(change))
        return True

    async def save_kinds(self, number: int, kinds: Mapping[str, tuple[str, ...]]) -> None:
        self.kinds = {(number, id_): named for id_, named in kinds.items()} | self.kinds

    async def tallies(self, kinds: tuple[str, ...]) -> tuple[Tally, ...]:
        output = [(kind, self.proposals_[key].status) for key, named in self.kinds.items() for kind in named]
        yes = Counter(kind for kind, status in output if status == "applied")
        no = Counter(kind for kind, status in output if status in ("rejected", "rolled-back"))
        return tuple(Tally(kind=k, accepted=yes[k], rejected=no[k]) for k in kinds if yes[k] + no[k])

    async def learn(self, failed: tuple[FailedFix, ...]) -> None:
        self.lessons |= dict.fromkeys(failed)

    async def save_fixup(self, fixup: Fixup) -> None:
        self.fixups_[fixup.number] = fixup

    async def fixups(self) -> tuple[Fixup, ...]:
        return tuple(self.fixups_.values())

    async def await_ci(self, wait: CIWait) -> None:
        self.ci_waits[wait.number] = wait

    async def forget_ci_wait(self, wait: CIWait) -> None:
        if self.ci_waits.get(wait.number) == wait:
            del self.ci_waits[wait.number]

    async def forget_fixup(self, number: int) -> None:
        self.fixups_.pop(number, None)

    async def save_test_outcomes(self, outcomes: tuple[flakes.RecordedOutcome, ...]) -> None:
        self.tests |= dict.fromkeys(outcomes)

    async def test_outcomes(self, tests: tuple[str, ...]) -> tuple[flakes.RecordedOutcome, ...]:
        return tuple(one for one in self.tests if one.test in tests)

    async def allow(self, person_id: int, question: str, most: int, seconds: float) -> Allowance:
        asked = self.questions.setdefault(person_id, {})
        if question not in asked:
            answered = [one for one in asked.values() if one.verdict == "answer"]
            reported = any(one.verdict == "say" for one in asked.values())
            verdict = "answer" if len(answered) < most else "silent" if reported else "say"
            asked[question] = Allowance.model_validate({"verdict": verdict, "until": seconds})
        return asked[question]

    async def proposals(self, number: int) -> tuple[StoredProposal, ...]:
        return tuple(item for (of, _), item in self.proposals_.items() if of == number)

    async def save_unfixables(self, number: int, run_id: str, reports: tuple[Unfixable, ...]) -> None:
        self.reports |= {(number, report.id): report for report in reports}

    async def unfixables(self, number: int) -> tuple[Unfixable, ...]:
        return tuple(report for (of, _), report in self.reports.items() if of == number)

    async def settle(self, sha: str, suite_id: int) -> None:
        """Nobody here waits for it."""

    async def switch(self, offers: bool, by: str) -> None:
        self.offers = offers

    async def stopped(self) -> str | None:
        return self.stop

    async def observing(self) -> bool:
        return not self.offers

    async def pause(self, number: int, by: str) -> None:
        self.pauses.setdefault(number, by)

    async def resume(self, number: int) -> None:
        self.pauses.pop(number, None)

    async def paused_by(self, number: int) -> str | None:
        return self.pauses.get(number)
