"""Variants of failing Go and Rust tests: copies of the functions inside their own files, compiled once.

One variant that doesn't compile (a duplicate key, a number too large for its type) keeps all of them from running: the
compiler names its line, and the others are run without it.
"""

import re
import shlex
from collections.abc import Sequence
from functools import partial

from healing.checks.check import Check, CheckResult
from healing.checks.narrow import narrow
from healing.checks.narrowing.compiled import GO_TEST
from healing.model import CIError
from healing.verify.guard.reading.text import BIG
from healing.verify.variant_run import Place, VariantRun, with_variant_command
from healing.verify.variants.changing import Variant
from healing.verify.variants.go import MARK, go_copies, go_place
from healing.verify.variants.rust import rust_copies, rust_place, rust_reported, with_copies
from healing.view import TreeView

SECONDS = 90.0  # for one run of all variants: the code is compiled again
MAX_FILES = 3_000  # that are searched for a test
MAX_TESTS = 400  # of all variants of a file


NUMBERED = re.compile(rf"{MARK}(\d{{1,4}})\(".encode())


def of_go(
    check: Check, view: TreeView, errors: Sequence[CIError], left_out: frozenset[str] = frozenset()
) -> VariantRun | None:
    """The run for the first package with failing tests. `left_out` are the descriptions of changes that are not
    tried."""
    tests = [match for error in errors if (match := GO_TEST.match(error.test or ""))]
    package = min((test["package"] for test in tests), default="")
    failing = frozenset(test["name"] for test in tests if test["package"] == package)
    path = _file_with(view, f"func {min(failing, default='')}(", "_test.go", [error.file for error in errors])
    if not path or not package:
        return None
    source, mutants = go_copies(view.read(path) or b"", failing, left_out)
    narrowed = narrow(check, [error for error in errors if (error.test or "").startswith(f"{package}.")])
    if len(mutants) < 2 or narrowed is None:
        return None
    words = shlex.split(narrowed.step.run)
    words[words.index("-run") + 1] = f"^({'|'.join(sorted(mutants[0].changed))})({MARK}[0-9]+)?$"

    def place(error: CIError) -> Place:
        return go_place((error.test or "").removeprefix(f"{package}."))

    run = with_variant_command(check, shlex.join(words), "go test", SECONDS)
    return VariantRun(
        run, lambda _: {path: source}, mutants, mutants[0].changed, place, reported=_go_reported,
        without=lambda more: of_go(check, view, errors, left_out | more), in_the_way=partial(_in_the_way, mutants),
    )  # fmt: skip


def _in_the_way(made: Sequence[Variant], files: dict[str, bytes], result: CheckResult | None) -> frozenset[str]:
    """The descriptions of the variants that the compiler reports: each error belongs to the last copy that begins
    before its line."""
    descriptions = set[str]()
    for error in result.errors if result else ():
        lines = files.get(error.file or "", b"").splitlines(keepends=True)
        numbers = NUMBERED.findall(b"".join(lines[: error.line])) if error.line and not error.test else []
        descriptions |= {made[number].words for number in map(int, numbers[-1:]) if 0 < number < len(made)}
    return frozenset(descriptions)


def _go_reported(error: CIError) -> str:
    """All that a test logged, without file positions; `panic` first if it panicked."""
    lines = [line.partition(".go:")[2].partition(": ")[2] or line for line in error.excerpt.splitlines()]
    panics = [line for line in lines if line.startswith("panic:")]
    return "\n".join([*panics, "says", *lines])


def of_rust(
    check: Check, view: TreeView, errors: Sequence[CIError], left_out: frozenset[str] = frozenset()
) -> VariantRun | None:
    """The run for the first file with failing tests. `left_out` are the descriptions of changes that are not tried."""
    named = frozenset(error.test for error in errors if error.test and " " not in error.test)
    last = min((test.rpartition("::")[2] for test in named), default="")
    path = _file_with(view, f"fn {last}(", ".rs", [error.file for error in errors])
    if not path:
        return None
    outer = _outer(path)
    failing = frozenset(test.removeprefix(outer) for test in named if test.startswith(outer))
    copies, mutants = rust_copies(view.read(path) or b"", failing, left_out)
    narrowed = narrow(
        check, [error for error in errors if (error.test or "").removeprefix(outer) in mutants[0].changed]
    )
    if len(mutants) < 2 or narrowed is None:
        return None
    tests = [
        f"{name}{MARK}{number}" for number, variant in enumerate(mutants) if number for name in sorted(variant.changed)
    ]
    if len(tests) > MAX_TESTS:
        return None

    def files_on(tree: TreeView) -> dict[str, bytes]:
        content = with_copies(tree.read(path) or b"", copies)
        return {path: content} if content else {}

    def place(error: CIError) -> Place:
        return rust_place((error.test or "").removeprefix(outer))

    command = f"{narrowed.step.run} {shlex.join(outer + test for test in tests)}"
    run = with_variant_command(check, command, "cargo test", SECONDS)
    return VariantRun(
        run, files_on, mutants, mutants[0].changed, place, reported=_rust_reported, prints_all=True,
        without=lambda more: of_rust(check, view, errors, left_out | more), in_the_way=partial(_in_the_way, mutants),
    )  # fmt: skip


def _rust_reported(error: CIError) -> str:
    return rust_reported(error.excerpt) if MARK in (error.test or "") else error.message


def _outer(path: str) -> str:
    """The module path of the file itself, which precedes the names of its tests; files below `tests/` are crates."""
    folder, _, rest = path.rpartition("src/")
    parts = rest.removesuffix(".rs").removesuffix("/mod").split("/") if folder or path.startswith("src/") else []
    return "" if parts in ([], ["lib"], ["main"]) else f"{'::'.join(parts)}::"


def _file_with(view: TreeView, words: str, ending: str, first: Sequence[str | None]) -> str:
    """The file with this ending that contains these words; empty if there is none, or more than one and none of them is
    in `first`."""
    paths = [path for path in view.paths() if path.endswith(ending)][:MAX_FILES]
    matches = [path for path in paths if len(data := view.read(path) or b"") <= BIG and words.encode() in data]
    preferred = [path for path in matches if path in first]
    return (preferred or matches)[0] if preferred or len(matches) == 1 else ""
