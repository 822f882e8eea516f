"""Rule for test runs: after a change no test is lost, and none is skipped that passed before, judged by the output.

It reads the summaries of pytest, unittest, jest, vitest, node, mocha, `go test -v`, cargo and nextest.
"""

import re
from dataclasses import dataclass

from healing.verify.guard.reading.text import any_of

ESCAPES = re.compile(r"\x1b\[[\d;]{0,20}m")
PYTEST = re.compile(
    r"^(?:=+ )?\d+ (?:passed|failed|error|errors|skipped|deselected|xfailed|warnings?)\b.{0,300} in [\d.]+s", re.M
)
SUBTEST = re.compile(r"^SUBFAILED[(\[ ]", re.M)
WORDS = re.compile(r"(\d{1,7}) ([a-z]{4,10})\b")
PASSES = {"passed", "passing", "pass", "xpassed"}
SKIPS = {"skipped", "ignored", "pending", "todo", "xfailed", "disabled"}
FAILS = {"failed", "failing", "fail", "failures"}  # not a fixture's error: its test may be counted as well
GO_PASSED = re.compile(r"^ok[ \t]+\S+[ \t]+(?:[\d.]+s|\(cached\))[ \t]*$", re.M)  # not "[no tests to run]"


@dataclass(frozen=True)
class Counts:
    """How many tests a run ran, over all of its summaries: `passed`, `failed`, and `skipped` for any reason."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    @property
    def ran(self) -> int:
        """How many tests the runner reported."""
        return self.passed + self.failed + self.skipped

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)


def why_fewer_pass(before: str, after: str) -> tuple[str, ...]:
    """Why fewer tests pass than before the change; empty if none is lost, or if that can't be determined."""
    old, new = counts(before), counts(after)
    if old is None:
        return ()
    if new is None:
        if GO_PASSED.search(after):  # without -v Go reports only failed tests: unknown
            return ()
        return (f"no test ran any more, and {old.ran} ran before",) if old.ran else ()
    reasons = []
    if new.ran < old.ran:
        reasons.append(f"fewer tests ran than before ({new.ran}, not {old.ran})")
    if new.passed < old.passed:
        reasons.append(f"fewer tests pass than before ({new.passed}, not {old.passed})")
    if new.skipped > old.skipped and new.ran <= old.ran:  # what an earlier error had hidden may be skipped
        reasons.append(f"more tests are skipped than before ({new.skipped}, not {old.skipped})")
    return tuple(reasons)


def counts(output: str) -> Counts | None:
    """The sum of an output's summaries; None if it has none in a known format."""
    text = ESCAPES.sub("", output)
    for read in (_pytest, _unittest, _by_line):
        total = read(text)
        if total is not None:
            return total
    return None


def _words(line: str) -> Counts:
    numbers = [(int(number), word) for number, word in WORDS.findall(line[:400])]
    return Counts(*(sum(n for n, word in numbers if word in words) for words in (PASSES, FAILS, SKIPS)))


def _pytest(text: str) -> Counts | None:
    lines = [match.group() for match in PYTEST.finditer(text)]
    if not lines:
        return None
    numbers = _words(lines[-1])
    parts = len(SUBTEST.findall(text))  # a failed part of a test is counted beside the test itself
    return Counts(numbers.passed, max(numbers.failed - parts, 0), numbers.skipped)


def _unittest(text: str) -> Counts | None:
    ran = re.findall(r"^Ran (\d{1,7}) tests? in ", text, re.M)
    if not ran:
        return None
    numbers = dict(
        re.findall(r"(failures|errors|skipped|expected failures)=(\d{1,7})", text[max(text.rfind("\nRan "), 0) :][:500])
    )
    failed = int(numbers.get("failures", 0)) + int(numbers.get("errors", 0))
    skipped = int(numbers.get("skipped", 0)) + int(numbers.get("expected failures", 0))
    return Counts(max(int(ran[-1]) - failed - skipped, 0), failed, skipped)


SUMMARIES = any_of(
    r"^Tests:[ \t]+\d.{0,200}",  # jest
    r"^[ \t]{1,20}Tests[ \t]{1,9}\d.{0,200}",  # vitest
    r"^[ \t]{1,9}\d{1,7} (?:passing|failing|pending)\b",  # mocha
    r"^test result: .{0,200}",  # cargo
    r"^[ \t]{0,9}Summary \[.{0,200}",  # nextest
    flags=re.M,
)
NODE = re.compile(r"^(?:#|\u2139) (pass|fail|skipped|todo) (\d{1,7})$", re.M)
GO = re.compile(r"^[ \t]{0,40}--- (PASS|FAIL|SKIP): ", re.M)


def _by_line(text: str) -> Counts | None:
    parts = [_words(match.group()) for match in SUMMARIES.finditer(text)]
    parts += [_words(f"{number} {word}") for word, number in NODE.findall(text)]
    parts += [GO_WORDS[word] for word in GO.findall(text)]
    return sum(parts, Counts()) if parts else None


GO_WORDS = {"PASS": Counts(passed=1), "FAIL": Counts(failed=1), "SKIP": Counts(skipped=1)}
