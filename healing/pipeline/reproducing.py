"""Reproduces the failure: runs the failed checks again on the untouched tree that CI built.

CI's log says what to look for; the run here says what can be proven. Errors that don't show on the untouched tree are
flaky, errors that the code didn't cause are triaged away, and checks that can't be run are reported.
"""

import asyncio
from collections.abc import Callable, Sequence

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
from healing.logs.fingerprint import identity
from healing.logs.twins import CounterpartIndex
from healing.model import CIError, CiRun, NotChecked, Resolution
from healing.pipeline.baseline import ADVICE, Baseline
from healing.pipeline.failure import Failure
from healing.pipeline.meanwhile import in_background
from healing.pipeline.reported import Reported, read_reported
from healing.pipeline.setting_aside import set_aside_flaky, set_aside_of_base
from healing.pipeline.trust import (
    ci_reports,
    why_not_trusted,
)
from healing.sandbox.none import UNSAFE_WARNING, warning_of
from healing.sandbox.promises import NO_WRITE_OUTSIDE

UNSAFE = NotChecked(
    what="the sandbox",
    why=UNSAFE_WARNING,
    advice="Do this only for code that you trust; `heal doctor` says what a sandbox needs.",
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
        await set_aside_of_base(baseline, failure, checker)
        await set_aside_flaky(baseline, checker)
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
