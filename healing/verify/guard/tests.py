"""Rule: tests stay: none is deleted, renamed so that it isn't collected, emptied, duplicated or given fewer cases.

A test may change only if CI found fault with that very file (a lint, format, type or syntax error in it); the change is
then flagged. New tests are always allowed.
"""

from collections import Counter
from collections.abc import Iterator

from healing.model import Category
from healing.verify.guard.patch import AT_FAULT, File, GuardFinding, WholeChange
from healing.verify.guard.paths import is_test_file, may_be_no_test
from healing.verify.guard.reading.marks import FileMarks, MarkedTest

RULE = "tests"


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """What is wrong with the tests after the change."""
    for file in patch.files:
        before, after = file.readings
        by_name = is_test_file(file.path) and not may_be_no_test(file.path)
        if not (by_name or before.tests or after.tests):
            continue
        if file.new is None:
            yield from _deleted(file, patch)
        elif file.old is not None:
            yield from _changed(file, before, after, patch)


def _deleted(file: File, patch: WholeChange) -> Iterator[GuardFinding]:
    """A finding for a deleted test file, unless all its tests are in another changed file: then it only moved."""
    here = Counter(test.text for test in file.readings[0].tests)
    elsewhere = Counter(t.text for f in patch.files if f.new for t in f.readings[1].tests)
    if not here or here - elsewhere:
        yield GuardFinding(RULE, file.path, "a test file may not be deleted")


def _changed(file: File, before: FileMarks, after: FileMarks, patch: WholeChange) -> Iterator[GuardFinding]:
    reasons = list(dict.fromkeys(_lost(before, after)))
    yield from (GuardFinding(RULE, file.path, why) for why in reasons)
    if file.path in patch.named:
        if is_test_file(file.path):
            yield GuardFinding(RULE, file.path, f"a test changes, {AT_FAULT} ({_fault(file, patch)})", True)
    elif not reasons and not _only_adds(file, before, after):
        yield GuardFinding(RULE, file.path, "is a test; the code that it tests is what has to be repaired")


def _fault(file: File, patch: WholeChange) -> str:
    faults = [e for e in patch.errors if e.category != Category.TEST] or list(patch.errors)
    error = next((e for e in faults if e.file == file.path), faults[0])
    return f"{error.tool} {error.code or error.category.value}"[:60]


def _lost(before: FileMarks, after: FileMarks) -> Iterator[str]:
    """Reasons why tests are lost; a test whose new name is still collected is not lost."""
    old, new = _by_name(before), _by_name(after)
    if any(len(tests) > len(old.get(name, tests[:1])) for name, tests in new.items()):
        yield "defines a test twice, so that the first of them never runs"
    added = Counter(t.text for name, tests in new.items() if name not in old for t in tests)
    removed = [t for name, tests in old.items() if name not in new for t in tests]
    renamed = Counter(t.text for t in removed) & added if before.comparable else Counter[str]()
    if len(before.tests) > len(after.tests) or len(removed) > renamed.total():
        yield "has fewer tests than before (deleted, renamed or hidden)"
    for name in old.keys() & new.keys():
        if len(new[name][-1].cases) < len(old[name][-1].cases):
            yield "feeds a test with fewer cases than before"
        if old[name][-1].text and not new[name][-1].text:
            yield "empties a test"


def _by_name(reading: FileMarks) -> dict[str, list[MarkedTest]]:
    tests: dict[str, list[MarkedTest]] = {}
    for test in reading.tests:
        tests.setdefault(test.name, []).append(test)
    return tests


def _only_adds(file: File, before: FileMarks, after: FileMarks) -> bool:
    """Whether everything that was there is unchanged, with more tests beside it; where tests are beside the code they
    test, whether the tests stayed."""
    if not before.comparable:
        return False
    old, new = _by_name(before), _by_name(after)
    kept = all(new.get(name) == tests for name, tests in old.items()) and _within(before.loose, after.loose)
    if not is_test_file(file.path):
        return kept
    shadowed = (after.defined - before.defined) & after.bound
    grown = len(after.tests) > len(before.tests) or not before.tests
    lines = _within(_lines(file.old), _lines(file.new))
    return kept and grown and lines and not shadowed and bool(before.tests)


def _lines(data: bytes | None) -> tuple[bytes, ...]:
    return tuple(line.strip() for line in (data or b"").splitlines() if line.strip())


def _within(few: tuple[object, ...], many: tuple[object, ...]) -> bool:
    """Whether `few` are in `many`, in the same order."""
    remaining = iter(many)
    return all(item in remaining for item in few)
