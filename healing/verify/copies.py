"""Writes variants of a failing test's file as files beside it, with the command that runs them all at once."""

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from healing.checks.check import Check
from healing.checks.narrow import narrow
from healing.checks.narrowing.words import called, options, simple
from healing.checks.spelled_out import spelled_out
from healing.model import CIError
from healing.verify.copies_compiled import of_go, of_rust
from healing.verify.guard.paths import is_test_file
from healing.verify.guard.reading.text import BIG
from healing.verify.variant_run import Place, VariantRun, raised_by, with_variant_command
from healing.verify.variants.alike import similar_tests
from healing.verify.variants.changing import Variant, variants
from healing.verify.variants.literals import MARK, as_one_file, number_of, script_variants
from healing.verify.variants.softly import ALL as TO_THE_END
from healing.view import TreeView

ALL = " --maxfail=0"  # overrides a setting that ends the run at the first failure
SCRIPTS = re.compile(r"\.[cm]?[jt]sx?\Z")
MAX_FILES = 3_000  # test files that are searched for a title
# The arguments before the files for each JavaScript test runner.
BY_FILE: dict[str, tuple[str, ...]] = {
    "node": ("--test",),
    "jest": ("--coverage=false", "--runTestsByPath"),
    "vitest": ("run",),
    "mocha": (),
}
COMPILED = {"go": of_go, "cargo": of_rust}
WITH_VALUE = {"-r", "--require", "--import", "--loader", "-c", "--config", "--environment", "--env"}
MAX_TESTS = 400  # of all variants of a file


def copies(checks: Sequence[Check], view: TreeView, errors: Sequence[CIError], compared: bool) -> VariantRun | None:
    """The run of the variants of the first file with failing tests; None if they can't be made. `compared` adds
    variants that are meaningful only beside code that is known to be right."""
    for check in checks:
        words = simple(check.step.run) if check.step.shell in ("", "bash", "sh") else None
        words = spelled_out(words, check.step.cwd, view.read, check.step.env) if words else None
        if not words or check.step.cwd.strip("./"):
            continue
        tool, start = called(words)
        try:
            if tool == "pytest":
                return _pytest(check, view, errors, compared)
            if tool == "unittest":
                return _unittest(check, words[:start], words[start:], view, errors, compared)
            if tool in BY_FILE and compared:
                return _scripts(check, words, start, view, errors)
            if tool in COMPILED and compared:
                return COMPILED[tool](check, view, errors)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return None


def _pytest(check: Check, view: TreeView, errors: Sequence[CIError], compared: bool) -> VariantRun | None:
    path = min((error.test.partition("::")[0] for error in errors if error.test), default="")
    own_errors = {_of_pytest(error): error for error in errors if (error.test or "").startswith(f"{path}::")}
    variant_files = _python(view, path, frozenset(own_errors), compared)
    if variant_files is None:
        return None
    files, all_variants, passing = variant_files
    failing = frozenset(own_errors)
    tests = [
        f"{file}::{name}"
        for file, variant in zip(files, all_variants, strict=True)
        for name in [*sorted(variant.changed), *(f"{test}{TO_THE_END}" for test in sorted(variant.changed & failing))]
    ]
    narrowed = narrow(check, [errors[0].model_copy(update={"test": tests[0]})])
    if narrowed is None or sum(len(variant.changed) for variant in all_variants) > MAX_TESTS:
        return None
    command = shlex.join([*shlex.split(narrowed.step.run)[:-1], *tests]) + ALL
    numbers = {file: number for number, file in enumerate(files)}

    def place(error: CIError) -> Place:
        file, _, name = (error.test or error.file or "").partition("::")
        return numbers.get(file, -1), name

    run = with_variant_command(check, command, "pytest")
    raised = {name: raised_by(error) for name, error in own_errors.items()}
    return VariantRun(run, lambda _: files, all_variants, failing, place, passing, raised, to_the_end=TO_THE_END)


def _of_pytest(error: CIError) -> str:
    return (error.test or "").partition("::")[2].partition("[")[0]


def _python(
    view: TreeView, path: str, failing: frozenset[str], compared: bool
) -> tuple[dict[str, bytes], tuple[Variant, ...], frozenset[str]] | None:
    """Variants of a Python file, a file each, and the tests that resemble the failing ones."""
    source = view.read(path)
    if source is None or len(source) > BIG or not path.endswith(".py"):
        return None
    place = PurePosixPath(path)
    support = view.read(str(place.with_name("conftest.py"))) or b""
    passing = similar_tests(source, failing)
    if not passing and not compared:
        return None
    mutants = list(variants(source, failing, passing, support if len(support) < BIG else b"", compared))
    if len(mutants) < 2:
        return None
    files = {str(place.with_name(f"{place.stem}_varied_{n}.py")): mutant.source for n, mutant in enumerate(mutants)}
    return files, tuple(mutants), passing


def _unittest(
    check: Check, head: list[str], args: list[str], view: TreeView, errors: Sequence[CIError], compared: bool
) -> VariantRun | None:
    """The run by the names of modules or, if the tests are discovered, by the folder they are discovered in."""
    start = args[args.index("-s") + 1] if "-s" in args[:-1] else ""
    tests = [tuple((error.test or "").rsplit(".", 2)) for error in errors if (error.test or "").count(".") >= 2]
    module = min((test[0] for test in tests), default="")
    root = PurePosixPath(start, module.replace(".", "/") + ".py")
    failing = frozenset(f"{test[1]}::{test[2]}" for test in tests if test[0] == module)
    variant_files = _python(view, str(root), failing, compared) if module else None
    if variant_files is None:
        return None
    files, all_variants, passing = variant_files
    names = [f"{module}_varied_{n}" for n in range(len(files))]
    flags = [flag for flag in args if re.fullmatch(r"-[qvbf]{1,4}", flag) and "f" not in flag]
    by_name = [*head, *flags, *names]
    if start:
        by_name = [*head, "discover", *flags, "-s", start, "-p", f"{root.stem}_varied_*.py"]
    numbers = {name: number for number, name in enumerate(names)}
    raised = {f"{e.test.rsplit('.', 2)[1]}::{e.test.rsplit('.', 2)[2]}": raised_by(e) for e in errors if e.test}

    def place(error: CIError) -> Place:
        parts = (error.test or "").rsplit(".", 2)
        return numbers.get(parts[0], -1), "::".join(parts[1:])

    run = with_variant_command(check, shlex.join(by_name), "unittest")
    return VariantRun(run, lambda _: files, all_variants, failing, place, passing, raised, to_the_end=TO_THE_END)


def _scripts(
    check: Check, words: list[str], start: int, view: TreeView, errors: Sequence[CIError]
) -> VariantRun | None:
    tool, args = called(words)[0], words[start:]
    first = next((error for error in errors if error.test), None)
    path = _file_of(first.test or "", view) if first else ""
    if not first or not path or (tool == "node" and "--test" not in args):
        return None
    failing = frozenset(error.test for error in errors if error.test and _file_of(error.test, view) == path)
    mutants = tuple(script_variants(path, view.read(path) or b"", failing))
    place = PurePosixPath(path)
    stem, _, ending = place.name.partition(".")
    file = str(place.with_name(f"{stem}_varied.{ending}"))
    kept = options(args, WITH_VALUE, without={*BY_FILE[tool], "--coverage", "--watch"})
    run = [*words[:start], *BY_FILE[tool][: tool == "vitest"], *kept, *BY_FILE[tool][tool == "vitest" :], file]
    raised = {error.test: raised_by(error) for error in errors if error.test}
    files = {file: as_one_file(path, mutants)}
    checked = with_variant_command(check, shlex.join(run), tool)
    return VariantRun(
        checked, lambda _: files, mutants, failing, lambda e: number_of(e.test or ""), raised=raised, to_the_end=None
    )


def _file_of(title: str, view: TreeView) -> str:
    """The test file that contains a title; empty if there is none or more than one."""
    last = re.split(r" (?:›|>) ", title)[-1].encode()
    if not last or MARK.encode() in last:
        return ""
    files = [path for path in _test_scripts(view) if last in (view.read(path) or b"")]
    return files[0] if len(files) == 1 else ""


def _test_scripts(view: TreeView) -> Iterator[str]:
    paths = [path for path in view.paths() if SCRIPTS.search(path) and is_test_file(path)]
    return iter(paths[:MAX_FILES])
