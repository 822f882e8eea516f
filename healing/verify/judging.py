"""Compares what checks reported before and after a change: which errors are gone, which are new, and which were only
revealed.

Pure. A verdict is computed from exit codes and errors' fingerprints; no tool's or model's own claim counts.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from healing.checks.check import CheckResult
from healing.logs.fingerprint import identity
from healing.model import Category, CIError
from healing.testruns.comparing import lost_tests
from healing.verify.guard.counts import why_fewer_pass

Results = Mapping[str, CheckResult]  # by check key

BLOCKING = {Category.SYNTAX, Category.INDENTATION, Category.IMPORT}
FILE_BY_FILE = {"ruff", "black", "flake8", "pylint"}  # a file that can't be parsed hides only its own errors
EARLY = re.compile(r"stopping after \d+ failures|^ImportError while loading conftest ", re.M)
COUNTS = re.compile(r"(\d+) (passed|failed|errors?|skipped|xfailed|xpassed)\b")
SUMMARY = re.compile(r"^(?:=+ )?(?:\x1b\[[\d;]*m)*\d+ (?:passed|failed|error|skipped).* in [\d.]+s", re.M)


# The order of the compilers' passes: what a later pass finds was hidden while an earlier one stopped.
RUST = {"rustc", "clippy", "cargo"}
GO_BUILD, GO_LATER = {"go", "go-test"}, {"go vet", "staticcheck", "golangci-lint"}
TESTS = {"go-test": GO_BUILD, "cargo-test": RUST}  # whose tests run only if these tools passed
# The compiler's passes by its error codes (doc.rust-lang.org/error_codes): names, then types, then borrows, then lints.
NAMES = re.compile(r"E0(?:40[4578]|411|412|42[2-58-9]|43[0-578]|53[12]|57[3-6]|583)\Z")
BORROWS = re.compile(r"E0(?:373|38[124]|499|50[0-9]|510|515|521|59[467]|71[236])\Z")
SYNTAX, NAME, TYPE, BORROW, LINT = range(5)


def hidden_by(error: CIError, before: Iterable[CIError]) -> bool:
    """Whether one of the errors in `before` stopped the compiler in an earlier pass than the one that finds `error`."""
    if error.test:
        compilers = TESTS.get(error.tool, set())
        return any(b.tool in compilers and not b.test for b in before)
    if error.tool in RUST:
        return any(b.tool in RUST and _pass(b) < _pass(error) for b in before)
    if error.tool in GO_BUILD:
        return any(b.tool in GO_BUILD and not b.test and _package(b) != _package(error) for b in before)
    return error.tool in GO_LATER and any(b.tool in GO_BUILD and not b.test for b in before)


def _pass(error: CIError) -> int:
    """Which of rustc's passes finds an error."""
    code = error.code or ""
    if error.category is Category.SYNTAX:
        return SYNTAX
    if error.category is Category.LINT or error.tool == "clippy":
        return LINT
    return NAME if NAMES.match(code) else BORROW if BORROWS.match(code) else TYPE


def _package(error: CIError) -> str:
    """The folder of an error's file, which is its Go package; one that doesn't build hides the errors of those that
    import it."""
    return posixpath.dirname(error.file or "")


@dataclass(frozen=True)
class Judgement:
    """`missing`: targets that are still there, as they are after the change; `new`: errors that were not there and are
    not merely revealed; `revealed`: errors that an earlier one had hidden; `broken`: sentences about checks that no
    longer work."""

    missing: tuple[CIError, ...] = ()
    new: tuple[CIError, ...] = ()
    revealed: tuple[CIError, ...] = ()
    broken: tuple[str, ...] = ()

    @property
    def harmless(self) -> bool:
        """Whether nothing broke that worked before."""
        return not (self.new or self.broken)

    def fixed_errors(self, targets: Iterable[CIError]) -> list[CIError]:
        """The targets that are gone."""
        still = {e.id for e in self.missing}
        return [e for e in targets if e.id not in still]

    def text(self) -> str:
        """What is wrong, as text for the proposer; at most 4,000 characters."""
        parts = [f"still there: {_place(e)} {e.message}" for e in self.missing]
        parts += [f"new: {_place(e)} {e.message}" for e in self.new]
        return "\n".join([*parts, *self.broken])[:4000]


def _place(error: CIError) -> str:
    line = f":{error.line}" if error.line else ""
    return f"{error.test or (f'{error.file}{line}' if error.file else error.tool)}:"


def judge(before: Results, after: Results, targets: Iterable[CIError], unreached: Set[str] = frozenset()) -> Judgement:
    """Compares the results of the same checks before and after a change. `unreached` are identities of errors that are
    known to have been there where a check failed before it came to them."""
    new: list[CIError] = []
    revealed: list[CIError] = []
    broken: list[str] = []
    targets = tuple(targets)
    for key, result in after.items():
        fresh = _fresh(before[key], result)
        hidden = [e for e in fresh if _was_hidden(before[key], e) or identity(e) in unreached]
        new += [e for e in fresh if e not in hidden]
        revealed += hidden
        broken += _breakage(before[key], result) or _unread(before[key], result, targets)
    return Judgement(_missing(before, after, targets), tuple(new), tuple(revealed), tuple(broken))


def _fresh(before: CheckResult, after: CheckResult) -> list[CIError]:
    unmatched = Counter(identity(e) for e in before.errors)
    fresh: list[CIError] = []
    for error in after.errors:
        key = identity(error)
        if unmatched[key]:
            unmatched[key] -= 1
        else:
            fresh.append(error)
    return fresh


def _was_hidden(before: CheckResult, error: CIError) -> bool:
    if hidden_by(error, before.errors) or _after_a_panic(before, error):
        return True
    blockers = [e for e in before.errors if e.category in BLOCKING or _uncollected(e)]
    if error.tool in FILE_BY_FILE:
        return any(b.file == error.file for b in blockers)
    if error.tool == "pytest" and error.category != Category.TEST and not _stopped_early(before):
        return False
    return bool(blockers) and (collected(before.output) or 0) == 0


def not_reached(before: CheckResult, error: CIError) -> bool:
    """Whether a check of several commands may have failed before it came to the one that finds the error: it showed
    nothing of that tool (Ruff's linter and its formatter are two), and ran no test."""
    ran = before.tests is not None or bool(collected(before.output))
    shown = {_command(e) for e in before.errors}
    return bool(before.errors) and _command(error) not in shown and not (error.test and ran)


def _command(error: CIError) -> tuple[str, bool]:
    return error.tool, error.category is Category.FORMAT


def _after_a_panic(before: CheckResult, error: CIError) -> bool:
    """Whether a Go test may not have run before, because another test of its package panicked, which ends the program
    that runs them all. What passed before and fails now is not among these (see `lost_tests`)."""
    package = (error.test or "").rpartition(".")[0]
    if error.tool != "go-test" or not package:
        return False
    others = (
        other for other in before.errors if other.tool == "go-test" and (other.test or "").startswith(f"{package}.")
    )
    return any(other.message.startswith("panic:") and other.test != error.test for other in others)


def _uncollected(error: CIError) -> bool:
    """Whether pytest could not even collect a file: whatever was raised there, none of its tests ran."""
    return error.tool == "pytest" and error.category != Category.TEST


def _stopped_early(before: CheckResult) -> bool:
    """Whether pytest may have stopped before it reached every file. Otherwise it collects all of them before it gives
    up, so a file that can't be collected now could be collected before."""
    in_conftest = any("conftest.py" in f"{e.file} {e.test}" for e in before.errors)
    return in_conftest or bool(EARLY.search(before.output))


def _missing(before: Results, after: Results, targets: tuple[CIError, ...]) -> tuple[CIError, ...]:
    had = Counter(identity(e) for r in before.values() for e in r.errors)
    wanted = Counter(identity(e) for e in targets)
    now: dict[str, list[CIError]] = {}
    for error in (e for r in after.values() for e in r.errors):
        now.setdefault(identity(error), []).append(error)
    remaining: dict[str, list[CIError]] = {}
    for target in targets:
        key = identity(target)
        if len(now.get(key, ())) > max(had[key] - wanted[key], 0):
            remaining.setdefault(key, []).append(target)
    # The messages are those with the change, not those before it: they show the proposer what it did.
    return tuple(
        now[key][min(at, len(now[key]) - 1)].model_copy(update={"id": target.id})
        for key, same in remaining.items()
        for at, target in enumerate(same)
    )


def _breakage(before: CheckResult, after: CheckResult) -> list[str]:
    if after.problem:
        return [after.problem.splitlines()[0]]
    if after.exit_code is None:
        return [f"the check did not end ({after.why})"]
    if after.exit_code != 0 and not after.errors and (before.green or before.errors):
        return [f"the check exits {after.exit_code} without a readable error"]
    if before.tests is not None:
        return list(lost_tests(before.tests, after.tests, before.green, after.green))
    return list(why_fewer_pass(before.output, after.output))


def _unread(before: CheckResult, after: CheckResult, targets: tuple[CIError, ...]) -> list[str]:
    """Nothing is gone because it can't be read any more: a red check that printed too much may still have errors that
    it had. Where it printed too much before as well, only the targets that it showed are in doubt."""
    if not after.partly_read:
        return []
    shown = {identity(error) for error in before.errors}
    if before.truncated and not any(identity(target) in shown for target in targets):
        return []
    return ["the check is red and prints more than is read, so which of its errors are left can't be known"]


def unread_errors(results: Results, shown_by: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The ids of errors that may still be there because a red check printed more than is read. `shown_by`: the ids of
    the errors that each check showed, by its key."""
    unread = (shown_by.get(key, frozenset()) for key, result in results.items() if result.partly_read)
    return frozenset[str]().union(*unread)


def collected(output: str) -> int | None:
    """The number of tests that a pytest run ran, from its last summary line; None if there is none."""
    lines = SUMMARY.findall(output)
    if not lines:
        return None
    return sum(int(n) for n, word in COUNTS.findall(lines[-1]) if not word.startswith("error"))
