"""Whether a red check here counts: only where this environment is shown to reproduce CI's failure.

CI's own log decides. If the check shows an error that CI reported on this very commit, it reproduces, at no cost.
Otherwise the same command runs on the commit that the change is based on. If it is green there, the change turned it
red; if it is red there too, this environment is not the project's. Errors that the base shows here and CI reports as
well are an exception: they were there before the change, so the code is to blame for them (baseline.py).
"""

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from healing.checks.check import Check, CheckResult
from healing.checks.dependencies import changed_dependencies
from healing.checks.helping import advice_for_missing
from healing.checks.job import name_matches
from healing.checks.missing import REPRODUCE, WHERE_HEAL_RUNS, FailureContext, find_missing
from healing.checks.new_paths import newly_named
from healing.checks.running import Checker
from healing.checks.stopping import continuing_command, past_collection
from healing.checks.versions import ASKING, fits, minimum_versions, older, parts
from healing.environment.toolchain import Toolchain
from healing.failed_jobs import FailedJob
from healing.git import Git
from healing.logs.fingerprint import fails_as, identity
from healing.logs.twins import CounterpartIndex
from healing.logs.wording import shortened
from healing.model import CIError, NotChecked
from healing.testruns.comparing import newly_failing

if TYPE_CHECKING:  # `heal check` uses neither and should not wait for their import
    from healing.pipeline.failure import Failure
    from healing.pipeline.reported import Reported

DIFFERS = "this environment differs from CI's"
SHOWN = 160  # characters of an error's message
SAME = "it fails in the same way on the base commit, so not because of this change"
UNREAD_THERE = "the base commit is red here too, with output in which nothing could be read as an error"
LOOK_THERE = (
    "Run it yourself on the base commit. If it passes there, checks don't see all of your environment: they have no "
    "network and none of your shell's own variables (write --run 'NAME=value CMD'); if it fails, fix the base first."
)
BUILD_IT = (
    "Name what the command needs under `setup:` in .github/heal.yml (heal config check tries it), or let your own CI "
    "test the fixes: docs/config.md, `verify`."
)


# A check may be red only because it ran with a language version that CI does not use, or one older than the repository
# allows.
LIMIT = 4  # versions that are listed
VERSION = re.compile(r"\d{1,4}(?:\.\d{1,4}){1,3}")


async def version_mismatch(check: Check, result: CheckResult, checker: Checker) -> NotChecked | None:
    """Returns why a red result may come from a version that CI does not run the check with, or that is too old for the
    repository; None where the environment has a right one, or where that can't be determined."""
    here = "your environment" if checker.toolchain.personal else "the environment that was made here"
    for language in dict.fromkeys(language for language, _ in check.runtimes):
        wanted = [version.strip() for name, version in check.runtimes if name == language]
        if not all(map(parts, wanted)):
            continue
        installed = await _version(language, check, result.tree, checker)
        if installed and not any(fits(version, installed) for version in wanted):
            listed = f"{wanted[0]} … {wanted[-1]}" if len(wanted) > LIMIT else ", ".join(wanted)
            why = f"{REPRODUCE}: CI runs it with {language} {listed}, {here} has {installed}, and it is red there"
            advice = f"use {language} {max(wanted, key=parts)}, or name what you run yourself with --run CMD"
            return NotChecked(what=check.title, why=why, advice=_advised(advice, language, checker))
    files = [error.file for error in result.errors if error.file]
    for floor in minimum_versions(checker.git.view(result.tree), files):
        installed = await _version(floor.language, check, result.tree, checker)
        if installed and older(installed, floor.version):
            asks = f"{floor.file} asks for {floor.language} {floor.version} or newer"
            why = f"{REPRODUCE}: {asks}, {here} has {installed}, and it is red there"
            advice = f"use {floor.language} {floor.version} or newer"
            return NotChecked(what=check.title, why=why, advice=_advised(advice, floor.language, checker))
    return None


async def _version(language: str, check: Check, tree: str, checker: Checker) -> str:
    """The version of a language that this check runs with; empty where that can't be determined."""
    asking = check.step.model_copy(update={"name": "version", "run": ASKING[language], "env": {}, "shell": "bash"})
    answered = await checker.run(check.model_copy(update={"step": asking, "by_heal": False}), tree)
    match = VERSION.search(answered.output) if answered.green else None
    return match[0] if match else ""


def _advised(advice: str, language: str, checker: Checker) -> str:
    """The advice: on Heal's own machine, to name the version in the workflow, or that the operator installs it."""
    if checker.toolchain.personal:
        return advice
    return f"Name the version of {language} in the workflow, where its set-up action can bring it: {WHERE_HEAL_RUNS}"


@dataclass(frozen=True)
class CiReport:
    """What CI reported on one check on this commit. `silent`: CI did not reach the check, or reported no error of its
    jobs."""

    marks: frozenset[object] = frozenset()
    twins: CounterpartIndex = field(default_factory=lambda: CounterpartIndex(()))
    first: str = ""
    silent: bool = True

    def confirms(self, error: CIError) -> bool:
        """Whether CI reported this error, in whatever wording: versions of a tool word errors differently."""
        return bool(self.marks & {*_marks(error)}) or self.twins.of(error) is not None

    def contradicts(self, error: CIError) -> bool:
        """Whether CI ran the same, reported other errors, and not this one."""
        return not self.silent and not self.confirms(error)


SILENT = CiReport()


def ci_reports(
    checks: Iterable[Check], by_job: tuple[frozenset[str], ...], jobs: tuple[FailedJob, ...], from_log: "Reported"
) -> Mapping[str, CiReport]:
    """Check key → what CI reported on it. `by_job`: the keys of each job's checks; if empty, any check may belong to
    any job."""
    marks = frozenset(mark for error in from_log.all_errors for mark in _marks(error))
    twins = CounterpartIndex(from_log.all_errors)
    reports = {}
    for check in checks:
        own = [
            error
            for at, job in enumerate(jobs)
            if (not by_job or check.key in by_job[at]) and not _skipped(check, job)
            for error in from_log.jobs[at]
        ]
        reports[check.key] = CiReport(marks, twins, _first(own), silent=not own)
    return reports


async def why_not_trusted(
    check: Check, result: CheckResult, failure: "Failure", git: Git, checker: Checker, ci_report: CiReport
) -> NotChecked | None:
    """Returns why a red result doesn't count, with advice; None where it counts."""
    if any(map(ci_report.confirms, result.errors)):
        return None
    return await why_not_reproduced(check, result, failure.trees.before, git, checker, ci_report)


async def why_not_reproduced(
    check: Check, result: CheckResult, base: str | None, git: Git, checker: Checker, ci_report: CiReport = SILENT
) -> NotChecked | None:
    """Like `why_not_trusted`, but without comparing errors with CI's report: decides by `base`, the tree that the
    change starts from, and by signs of what is missing here."""
    before = await checker.run(check, base) if base and base != result.tree else None
    personal = checker.toolchain.personal
    # On a person's machine without changes, the command fails on the base itself.
    passes = before.green if before else False if personal else None
    built = bool(check.setup) and not personal
    started = git.view(base) if base and before else None
    tools = checker.toolchain
    breaks = bool(before and before.tests and newly_failing(before.tests, result.tests))
    context = FailureContext(
        git.view(result.tree), passes, tools.which, tools.has, tools.unseen, tools.left_out, built, started, breaks
    )
    if lacking := _what_is_missing(check, result, before, context, checker.toolchain):
        return lacking
    if before is None and (version_problem := await version_mismatch(check, result, checker)):
        return version_problem
    if passes or (before is None and ci_report.silent):
        return None
    if started and personal and newly_named(check.step, started, context.view):
        return await version_mismatch(check, result, checker)
    if before is not None and base_needs_other_dependencies(checker, git, base, result.tree):
        return await version_mismatch(check, result, checker)
    if before is not None and (before.problem or before.exit_code is None):
        why = before.problem.splitlines()[0] if before.problem else before.why
        return NotChecked(what=check.title, why=f"{REPRODUCE}: on the base commit it could not be run ({why})")
    not_reached = check.part and before is not None  # CI stops at the first of several failing commands
    denied = not ci_report.silent and not not_reached
    base_errors = before.errors if before else ()
    if not denied and base_errors and not all(fails_as(error, base_errors) for error in result.errors):
        return None  # errors of the base are set aside, and the change broke more
    if before is not None and (version_problem := await version_mismatch(check, result, checker)):
        return version_problem
    shown = _first(result.errors)
    if before is not None and result.errors and not base_errors:
        why = f"red, but {UNREAD_THERE}" + (f"; here it says {shown}" if shown else "")
    else:
        why = f"red, but {SAME}" + (f": {shown}" if shown else "")
    if denied:
        too = ", on the base commit too," if before else ""
        why = f"{DIFFERS}: here{too} it fails with “{shown}”, in CI's log with “{ci_report.first}” only"
    elif stops := continuing_command(check.step, context.view):
        why += f"; `{stops.option}` ends it there, and of what this change breaks after that nothing is seen"
        advice = f"heal run --run {shlex.quote(stops.command)}"
        return NotChecked(what=check.title, why=why, advice=advice if personal else f"Without it: {stops.command}")
    return NotChecked(what=check.title, why=why, advice=LOOK_THERE if personal else BUILD_IT)


def _what_is_missing(
    check: Check, result: CheckResult, before: CheckResult | None, context: FailureContext, toolchain: Toolchain
) -> NotChecked | None:
    """The report on what the environment lacks; None where the code may be the cause. What was missing on the base too
    doesn't explain the tests that the change breaks."""
    missing = find_missing(result.exit_code, result.output, context)
    on_base = before if context.breaks_tests and not context.passes_on_base else None
    if missing is None or (on_base and find_missing(on_base.exit_code, on_base.output, context) == missing):
        return None
    advice = advice_for_missing(missing, toolchain)
    if others := past_collection(check.step, result.output) if toolchain.personal else "":
        advice += f"; for the other tests: heal run --run {shlex.quote(others)}"
    return NotChecked(what=check.title, why=f"{REPRODUCE}: {missing.why}", advice=advice)


def base_needs_other_dependencies(checker: Checker, git: Git, base: str | None, tree: str) -> str:
    """The file in which `base` asks for other dependencies than `tree`, where both run in a person's own environment.
    What is installed there fits one of them, so a red base doesn't show that the failure is older than the change.
    Empty where they ask for the same, or where each gets an environment of its own."""
    if base is None or not checker.toolchain.personal:
        return ""
    return changed_dependencies(git.view(base), git.view(tree))


def not_in_ci_report(check: Check, errors: tuple[CIError, ...]) -> NotChecked:
    """The report on errors that a trusted check shows here and on the base commit, but CI does not report."""
    many = f"{len(errors)} errors show" if len(errors) > 1 else "an error shows"
    why = f"{DIFFERS}: {many} here, on the base commit too, that CI's log doesn't have: {_first(errors)}"
    return NotChecked(what=check.title, why=why, advice=BUILD_IT)


def _marks(error: CIError) -> tuple[object, ...]:
    """The keys by which an error is matched between CI's log and here."""
    return (identity(error), *([(error.tool, error.file, error.line)] if error.file and error.line else []))


def _skipped(check: Check, job: FailedJob) -> bool:
    """Whether CI skipped the check's step, because one before it had failed."""
    name = check.step.name
    return any(
        s.conclusion == "skipped" and (name_matches(s.name, name) or name_matches(name, s.name)) for s in job.steps
    )


def _first(errors: Iterable[CIError]) -> str:
    """The first of the errors in one line, with its place."""
    first = next((error for error in errors if error.message), None)
    if first is None:
        return ""
    place = first.test or (f"{first.file}:{first.line}" if first.file and first.line else first.file or "")
    return (f"{place}: " if place else "") + shortened(first.message.splitlines()[0], SHOWN)
