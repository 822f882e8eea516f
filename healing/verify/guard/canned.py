"""Rule: a result is computed, not copied from the test that expects it.

Found are: a function that computed and now only holds the value that the test expects, a special case for the test's
own argument, and a handler that returns the expected value where something failed.
"""

from collections.abc import Iterator

from healing.verify.guard.answers import python, trees
from healing.verify.guard.patch import File, GuardFinding, WholeChange
from healing.verify.guard.paths import is_test_data, is_test_file
from healing.verify.guard.reading.text import BIG, PYTHON, language_of
from healing.verify.guard.window import window

RULE = "canned"
LIMIT = 3  # times `BIG`, which other rules parse; longer changes are left to another rule


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """One finding for each file that holds an expected value where it computed one."""
    sources = [(path, data) for path in sorted(tests_of(patch)) if (data := patch.read(path)) and len(data) <= BIG]
    for file in patch.files:
        if file.new is not None and not is_test_file(file.path) and not is_test_data(file.path):
            canned = _canned(file, sources)
            if canned:
                shown = ", ".join(sorted(canned))[:80]
                why = f"holds the value that the test expects ({shown}) instead of computing it"
                yield GuardFinding(RULE, file.path, why)


def tests_of(patch: WholeChange) -> set[str]:
    """The files that hold the failing tests; Rust's are beside the code. If an error names only the code, test files
    named after it count too."""
    named = {path for e in patch.errors for path in ((e.test or "").partition("::")[0], e.file or "")}
    named |= {place.file for e in patch.errors for place in e.related if place.file}
    named |= {path for file in patch.files for path in _named_after(file.path)}
    return {path for path in named if is_test_file(path) or path.endswith(".rs")}


def _named_after(path: str) -> Iterator[str]:
    """The usual places of the tests of a file."""
    folder, _, name = path.rpartition("/")
    stem, _, kind = name.rpartition(".")
    here = f"{folder}/" if folder else ""
    yield from (f"{here}{stem}{mark}.{kind}" for mark in (".test", ".spec", "_test"))
    yield from (f"{here}__tests__/{stem}{mark}.{kind}" for mark in ("", ".test", ".spec"))
    yield from (f"{here}{place}test_{stem}.{kind}" for place in ("", "tests/", "test/"))
    yield from (f"{place}/test_{stem}.{kind}" for place in ("tests", "test"))


def _canned(file: File, sources: list[tuple[str, bytes]]) -> set[str]:
    language = language_of(file.path)
    old, new = window(file.old or b"", file.new or b"")
    if max(len(old), len(new)) > LIMIT * BIG:
        return set()
    if language == PYTHON:
        return python.canned(old, new, [data for path, data in sources if path.endswith(".py")])
    if language is None:
        return set()
    try:
        return trees.canned(language, old, new, sources)
    except (RecursionError, ValueError):
        return set()
