"""The state of a run before any fix, and the report on errors that have none."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from healing.checks.check import Check, CheckResult
from healing.logs.fingerprint import identity
from healing.model import CIError, CiRun, NotChecked, Resolution, Unfixable, content_id
from healing.pipeline.trust import (
    CiReport,
)
from healing.policy.fixes import POLICY, FixPolicy

RED_BEFORE = "red-before"
ADVICE = {
    "infrastructure": "Re-run the failed job; nothing in the code has to change.",
    "dependency": "Look at the named package or index; then re-run the failed job.",
    "configuration": "Look at the workflow and its settings; then re-run the failed job.",
    "flaky": "Re-run the failed job; if it comes back, the test needs a look of its own.",
    "no-network": "Set-up steps have no network here: take `network: off` out of .github/heal.yml, or, where it isn't "
    "there, install bubblewrap (heal doctor)",
    RED_BEFORE: "Run it where the base commit passes: what it says now may well come from this change.",
    "closed": "A person has to fix it: .healignore, or a name like .env, closes the files to models.",
    POLICY: "A person fixes it, or .github/heal.yml on the base branch allows it.",
    "could-not-look": "Name the command in .github/heal.yml, or run it yourself: heal check --run COMMAND",
}


@dataclass
class Baseline:
    """The state of a run before any fix. `errors` are what has to be fixed, `reported` is what CI's logs contain;
    everything else is already decided."""

    failing: tuple[Check, ...] = ()
    green: tuple[Check, ...] = ()  # failed in CI, or named by a person, and passes here
    guards: tuple[Check, ...] = ()
    results: dict[str, CheckResult] = field(default_factory=dict)
    errors: tuple[CIError, ...] = ()
    reported: tuple[CIError, ...] = ()
    sightings: dict[str, int] = field(default_factory=dict)  # error id → in how many jobs' logs it was reported
    reporting_jobs: dict[str, tuple[str, ...]] = field(default_factory=dict)  # error id → the names of these jobs
    unlogged: frozenset[str] = frozenset()  # ids of errors that are in no log, only in annotations and report files
    preexisting: frozenset[str] = frozenset()  # identities (healing/logs/fingerprint.py) of errors not to fix
    resolutions: list[Resolution] = field(default_factory=list)
    unfixables: list[Unfixable] = field(default_factory=list)
    not_looked: list[NotChecked] = field(default_factory=list)
    retryable: tuple[CiRun, ...] = ()  # see Outcome
    ran: frozenset[str] = frozenset()  # keys of the failing checks that ran here and are trusted
    words: Mapping[str, CiReport] = field(default_factory=dict)  # check key → what CI reported on it

    def open_errors(self) -> tuple[CIError, ...]:
        """The errors that have no resolution yet."""
        decided = {r.error_id for r in self.resolutions}
        return tuple(e for e in self.errors if e.id not in decided)

    @property
    def checks(self) -> tuple[Check, ...]:
        """Every check that a fix is tested with."""
        return (*self.failing, *self.guards)

    def shown_by(self) -> dict[str, frozenset[str]]:
        """Check key → ids of the errors that the check showed, without those that come and go."""
        flaky = {r.error_id for r in self.resolutions if r.how == "flaky"}
        return {key: frozenset(e.id for e in result.errors) - flaky for key, result in self.results.items()}

    def retryable_runs(self) -> tuple[CiRun, ...]:
        """`retryable` with each run once, by its latest attempt: earlier attempts may be in the list too."""
        return tuple({run.id: run for run in sorted(self.retryable, key=lambda run: run.attempt)}.values())

    def leave_out(self, errors: Iterable[CIError]) -> None:
        """Removes errors that only this environment shows: the code isn't to blame for them."""
        gone = {identity(e) for e in errors}
        self.preexisting |= gone
        self.errors = tuple(e for e in self.errors if identity(e) not in gone)

    def give_up(self, errors: Sequence[CIError], reason: str, why: str, tried: str = "nothing yet") -> None:
        """Reports errors as unfixable for one reason, and adds a resolution for each."""
        report = unfixable(errors, reason, why, tried)
        if report.error_ids:
            known = {e.id for e in self.errors}
            self.errors += tuple(e for e in errors if e.id not in known)
            self.unfixables.append(report)
            self.resolutions += [Resolution(error_id=i, how=f"unfixable:{report.id}") for i in report.error_ids]

    def only_report(self, policy: FixPolicy, errors: Iterable[CIError]) -> None:
        """Reports those errors that the repository excludes from fixing, grouped by reason."""
        by_reason: dict[str, list[CIError]] = {}
        for error in errors:
            if why := policy.why_only_reported(error):
                by_reason.setdefault(why, []).append(error)
        for why, excluded in by_reason.items():
            self.give_up(excluded, POLICY, why, "nothing, as this repository wants it")


def unfixable(errors: Iterable[CIError], reason: str, why: str, tried: str, advice: str = "") -> Unfixable:
    """Builds the report on errors that are left; its id is derived from its content."""
    ids = tuple(e.id for e in errors)
    return Unfixable(
        id="U" + content_id(ids, reason, why, length=8),
        error_ids=ids,
        reason=reason,
        tried=tried,
        why=why,
        advice=advice or ADVICE.get(reason, "A person has to fix it."),
    )
