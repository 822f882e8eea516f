"""Reproduces the failure: runs the failed checks again on the untouched tree that CI built.

CI's log says what to look for; the run here says what can be proven. Errors that don't show on the untouched tree are
flaky, errors that the code didn't cause are triaged away, and checks that can't be run are reported.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from healing.checks.canary import SET_IT_UP, why_no_evidence
from healing.checks.check import Check, CheckResult
from healing.checks.driver import SETUP_FAILED
from healing.checks.finding import FoundChecks, find_checks
from healing.checks.helping import advice_without_evidence
from healing.checks.missing import REPRODUCE
from healing.checks.recognising import installs
from healing.checks.running import Checker
from healing.checks.unreadable import with_an_error
from healing.git import Git
from healing.logs.blame import reporting_jobs, sightings
from healing.logs.fingerprint import fails_as, identity
from healing.logs.twins import CounterpartIndex
from healing.logs.wording import shortened
from healing.model import CIError, CiRun, NotChecked, Resolution, Unfixable, content_id
from healing.pipeline.failure import Failure
from healing.pipeline.meanwhile import in_background
from healing.pipeline.reported import Reported, read_reported
from healing.pipeline.second_look import passing_again
from healing.pipeline.trust import (
    CiReport,
    base_needs_other_dependencies,
    ci_reports,
    not_in_ci_report,
    why_not_trusted,
)
from healing.policy.fixes import POLICY, FixPolicy
from healing.sandbox.none import UNSAFE_WARNING, warning_of
from healing.sandbox.promises import NO_WRITE_OUTSIDE

RED_BEFORE = "red-before"
SHOWN = 120  # characters of the base's error
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


UNSAFE = NotChecked(
    what="the sandbox",
    why=UNSAFE_WARNING,
    advice="Do this only for code that you trust; `heal doctor` says what a sandbox needs.",
)


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


async def read(failure: Failure, git: Git) -> tuple[Baseline, FoundChecks, Reported]:
    """Reads what CI reported, before anything is run. Returns what this alone decides, the checks that were found, and
    everything that CI reported."""
    baseline = Baseline()
    view = git.view(failure.trees.built)
    # A command that a person named and that is green here must stay green: it guards against regressions.
    named_checks = FoundChecks(failing=failure.checks, guards=failure.checks)
    found_checks = named_checks if failure.checks else find_checks(failure.jobs, view)
    baseline.not_looked += found_checks.not_looked
    scripts = dict.fromkeys(
        s.run for check in (*found_checks.failing, *found_checks.guards) for s in (*check.setup, check.step)
    )
    reported_now = await asyncio.to_thread(read_reported, failure, view, tuple(scripts))
    _take(baseline, failure, reported_now)
    return baseline, found_checks, reported_now


async def run_baseline(
    failure: Failure, git: Git, checker: Checker | None, beside: Callable[[], object] | None = None
) -> Baseline:
    """Reads the logs, finds the checks and runs them on the tree that CI built. `checker` None: no sandbox works here.
    `beside` is run in a thread meanwhile."""
    baseline, found_checks, reported_now = await read(failure, git)
    open_errors = reported_now.open_errors()
    if checker is None or not found_checks.failing:
        why = "no sandbox works on this machine" if checker is None else "no known command reproduces it"
        if checker is None:
            baseline.not_looked.append(
                NotChecked(what="all checks", why=why, advice="heal doctor says what to install")
            )
        elif not failure.jobs and not found_checks.not_looked:
            baseline.not_looked.append(NotChecked(what="the failure", why=why, advice=ADVICE["could-not-look"]))
        baseline.give_up(open_errors, "could-not-look", why)
        return baseline
    if warning_of(checker.sandbox):
        baseline.not_looked.append(UNSAFE)
    apart = NO_WRITE_OUTSIDE in checker.sandbox.promises
    await checker.worktrees.base(checker.run_id, git, failure.trees.built, apart)  # every worktree is made from it
    baseline.words = ci_reports(found_checks.failing, found_checks.by_job, failure.jobs, reported_now)
    async with in_background(beside):
        await _run(baseline, found_checks, failure.trees.built, checker)
        await _keep_trusted(baseline, failure, git, checker)
        open_errors = _not_seen(baseline, open_errors)
        await _keep_shown(baseline, failure, open_errors, checker)
        if failure.checks:
            open_errors = _covered(baseline, failure.checks, open_errors)
        else:
            open_errors = _of_jobs_run(baseline, found_checks, reported_now, open_errors)
        _compare(baseline, open_errors)
        baseline.retryable += _flaky_runs(baseline, failure, reported_now)
        await _set_aside(baseline, failure, checker)
        await _set_aside_flaky(baseline, checker)
    return baseline


def _take(baseline: Baseline, failure: Failure, reported_now: Reported) -> None:
    """Adds what CI reported to the baseline."""
    for job, errors, kind in reported_now.given_up:
        why = f"{kind.why}: {kind.evidence}" if kind.evidence else kind.why
        baseline.not_looked.append(NotChecked(what=job, why=why, advice=kind.advice or ADVICE.get(kind.kind, "")))
        baseline.give_up(errors, kind.kind, kind.why)
    baseline.not_looked += reported_now.not_looked
    baseline.retryable = tuple(reported_now.retryable)
    baseline.reported = tuple(reported_now.all_errors)
    baseline.sightings = sightings(reported_now.jobs)
    names = (job.name for job in failure.jobs)  # errors only in report files, the last, belong to no job
    baseline.reporting_jobs = reporting_jobs(zip(names, reported_now.jobs, strict=False))
    baseline.unlogged = frozenset(reported_now.unlogged)


async def _run(baseline: Baseline, found: FoundChecks, tree: str, checker: Checker) -> None:
    red: list[Check] = []
    green: list[Check] = []
    for check, result in await _all(found.failing, tree, checker):
        if result.green:
            green.append(check)
        elif result.problem:
            why = result.problem.splitlines()[0]
            offline = checker.network is None and any(installs(script) for script in check.setup)
            advice = ADVICE["no-network" if offline and result.exit_code == SETUP_FAILED else "could-not-look"]
            baseline.not_looked.append(NotChecked(what=check.title, why=why, advice=result.advice or advice))
        elif result.exit_code is None:
            baseline.not_looked.append(NotChecked(what=check.title, why=f"it did not end here ({result.why})"))
        else:
            red.append(check)
            baseline.results[check.key] = with_an_error(check, result)
    baseline.failing, baseline.green = tuple(red), tuple(green)
    baseline.ran = frozenset(check.key for check in (*red, *green))
    # A check that CI did not reach, or that failed only there, is green here and has to stay green.
    guards = (*green, *(c for c in found.guards if c not in found.failing))
    await _run_guards(baseline, guards, tree, checker)


async def _keep_trusted(baseline: Baseline, failure: Failure, git: Git, checker: Checker) -> None:
    """Keeps the red checks whose environment reproduces the failure; reports the others with what is missing."""
    reasons = await asyncio.gather(
        *(
            why_not_trusted(check, baseline.results[check.key], failure, git, checker, baseline.words[check.key])
            for check in baseline.failing
        )
    )
    for check, reason in zip(baseline.failing, reasons, strict=True):
        if reason is not None:
            baseline.not_looked.append(reason)
            del baseline.results[check.key]
            baseline.ran -= {check.key}
    kept = (check for check, reason in zip(baseline.failing, reasons, strict=True) if reason is None)
    baseline.failing = tuple(kept)


async def _keep_shown(baseline: Baseline, failure: Failure, reported: list[CIError], checker: Checker) -> None:
    """Stops trusting green checks that may read an installed copy instead of these files.

    A check that was red in CI and is green here may be flaky, but only if it is shown to read these files. Nothing is
    run where all errors that CI reported show here too.
    """
    seen = {identity(e) for result in baseline.results.values() for e in result.errors}
    if not failure.jobs or (baseline.failing and all(identity(e) in seen for e in reported)):
        return
    for check in baseline.green:
        if why := await why_no_evidence(checker, check, failure.trees.built):
            own = checker.toolchain.view
            advice = advice_without_evidence(checker.git.view(failure.trees.built), own) if own else SET_IT_UP
            baseline.not_looked.append(NotChecked(what=check.title, why=f"{REPRODUCE}: {why}", advice=advice))
            baseline.ran -= {check.key}


async def _all(checks: Sequence[Check], tree: str, checker: Checker) -> list[tuple[Check, CheckResult]]:
    return list(zip(checks, await asyncio.gather(*(checker.run(check, tree) for check in checks)), strict=True))


async def _run_guards(baseline: Baseline, guards: tuple[Check, ...], tree: str, checker: Checker) -> None:
    """Runs the guards and keeps those that are green on the untouched tree: only these can show that a fix broke
    something."""
    if not baseline.failing:
        return
    green: list[Check] = []
    for check, result in await _all(guards, tree, checker):
        if result.green:
            green.append(check)
            baseline.results[check.key] = result
        else:
            why = "it fails here without any change, so it can't show whether a fix breaks it"
            baseline.not_looked.append(NotChecked(what=check.title, why=why))
    baseline.guards = tuple(green)


async def _set_aside(baseline: Baseline, failure: Failure, checker: Checker) -> None:
    """Sets aside errors that the base shows too.

    Where CI reports such an error, it was there before: it is fixed once, on the base, and not on every pull request.
    Where CI ran the check and doesn't report it, only this environment shows it. The checks that run on the base's tree
    are those that show an error outside the files that this change touches, or an error that CI ran the check for and
    didn't report; in a person's own environment all, as what is missing there may show in any file.
    """
    base = failure.trees.before
    if base is None or base in (failure.trees.built, failure.trees.head):
        return
    if base_needs_other_dependencies(checker, checker.git, base, failure.trees.built):
        return
    suspects = [
        check
        for check in baseline.failing
        for suspect in (baseline.words[check.key].contradicts,)
        if checker.toolchain.personal
        or any(e.file not in failure.changed_files or suspect(e) for e in baseline.results[check.key].errors)
    ]
    base_results = [(c, r) for c, r in await _all(suspects, base, checker) if r.exit_code is not None and not r.problem]
    base_errors = [error for _, result in base_results for error in result.errors]
    for check, result in base_results:
        shown = [e for e in baseline.results[check.key].errors if fails_as(e, result.errors)]
        ci_report, was_green = baseline.words[check.key], base == failure.trees.green
        only_here = tuple(e for e in shown if ci_report.contradicts(e) or (was_green and not ci_report.confirms(e)))
        if only_here:
            baseline.not_looked.append(not_in_ci_report(check, only_here))
            baseline.leave_out(only_here)
    if base == failure.trees.green:
        return  # CI was green on the base: what it reports now is new since then
    _give_up_red_tests(baseline, base_errors)
    more = Counter(map(identity, baseline.open_errors())) - Counter(map(identity, base_errors))
    baseline.preexisting |= {identity(e) for e in baseline.open_errors() if fails_as(e, base_errors)} - more.keys()
    baseline.resolutions += [
        Resolution(error_id=e.id, how="preexisting")
        for e in baseline.open_errors()
        if identity(e) in baseline.preexisting
    ]


async def _set_aside_flaky(baseline: Baseline, checker: Checker) -> None:
    """Sets aside tests that fail by chance. What CI reported has failed there and here, which is twice; on a laptop, or
    where CI's log tells nothing, a test that failed runs again."""
    still_open = {error.id for error in baseline.open_errors()}
    flaky: list[CIError] = []
    for check in baseline.failing:
        first, confirms = baseline.results[check.key], baseline.words[check.key].confirms
        once = [error for error in first.errors if error.id in still_open and not confirms(error)]
        flaky += await passing_again(check, first, once, checker)
    baseline.resolutions += [Resolution(error_id=id_, how="flaky") for id_ in dict.fromkeys(e.id for e in flaky)]
    baseline.preexisting |= {identity(error) for error in flaky}


def _give_up_red_tests(baseline: Baseline, base_errors: Sequence[CIError]) -> None:
    """Reports tests that are red on the base too, and now for another reason."""
    by_reason: dict[str, list[CIError]] = {}
    for error in baseline.open_errors():
        before = next((other for other in base_errors if identity(other) == identity(error)), None)
        if before is not None and error.test and not fails_as(error, base_errors):
            by_reason.setdefault(shortened(before.message.partition("\n")[0], SHOWN), []).append(error)
    for reason, errors in by_reason.items():
        why = f"red on the base commit too, for another reason ({reason}), so no fix can be shown to work here"
        baseline.give_up(errors, RED_BEFORE, why)
        baseline.preexisting |= {identity(error) for error in errors}


def _not_seen(baseline: Baseline, reported: list[CIError]) -> list[CIError]:
    """The reported errors without those from reports and annotations that the checks show here too, worded
    differently."""
    seen = CounterpartIndex(e for r in baseline.results.values() for e in r.errors)
    return [e for e in reported if e.id not in baseline.unlogged or not seen.of(e)]


def _covered(baseline: Baseline, named: Sequence[Check], reported: list[CIError]) -> list[CIError]:
    """The reported errors of tools that a named command runs. The others are given up: their absence here proves
    nothing."""
    called = " ".join(check.step.run for check in named if check.key in baseline.ran)
    tools = {e.tool for r in baseline.results.values() for e in r.errors}
    beyond = [e for e in reported if e.tool not in tools and e.tool not in called]
    baseline.give_up(beyond, "could-not-look", "no command that was named shows errors of this tool")
    return [e for e in reported if e not in beyond]


def _of_jobs_run(
    baseline: Baseline, found: FoundChecks, reported_now: Reported, reported: list[CIError]
) -> list[CIError]:
    """The reported errors of jobs whose checks all ran here, or that show here. The others are given up: their absence
    proves nothing."""
    jobs = list(
        zip(reported_now.jobs, found.by_job, strict=False)
    )  # the last entry, of errors only in report files, is no job's
    run = {e.id for errors, keys in jobs if keys and keys <= baseline.ran for e in errors}
    not_run = {e.id for errors, _ in jobs for e in errors} - run
    seen = {identity(e) for check in baseline.failing for e in baseline.results[check.key].errors}
    beyond = [e for e in reported if e.id in not_run and identity(e) not in seen]
    baseline.give_up(beyond, "could-not-look", "its check could not be run here")
    return [e for e in reported if e not in beyond]


def _compare(baseline: Baseline, reported: list[CIError]) -> None:
    """Takes the errors seen here as those to fix. Reported ones that don't show here are flaky, or could not be
    checked."""
    seen: dict[str, CIError] = {}
    for check in baseline.failing:
        for error in baseline.results[check.key].errors:
            seen.setdefault(error.id, error)
    baseline.errors += tuple(seen.values())
    seen_identities = {identity(e) for e in baseline.errors}
    absent = [e for e in reported if identity(e) not in seen_identities]
    if not absent:
        return
    if baseline.not_looked and not baseline.failing:
        baseline.give_up(absent, "could-not-look", "its check could not be run here")
        return
    if any(baseline.results[check.key].partly_read for check in baseline.failing):
        baseline.give_up(absent, "could-not-look", "a check prints more here than is read")
        return
    unprinted = [e for e in absent if e.id in baseline.unlogged and (baseline.failing or not e.test)]
    baseline.give_up(unprinted, "could-not-look", "no check that runs here prints it")
    flaky = [e for e in absent if e not in unprinted]
    baseline.resolutions += [Resolution(error_id=e.id, how="flaky") for e in flaky]
    baseline.errors += tuple(flaky)


def _flaky_runs(baseline: Baseline, failure: Failure, reported_now: Reported) -> tuple[CiRun, ...]:
    """The CI runs with a job whose errors are all flaky: a job with other errors too would fail again."""
    flaky = {r.error_id for r in baseline.resolutions if r.how == "flaky"}
    jobs = zip(
        failure.jobs, reported_now.jobs, strict=False
    )  # the last entry, of errors only in report files, is no job's
    return tuple(job.ci_run for job, errors in jobs if job.ci_run and errors and {e.id for e in errors} <= flaky)
