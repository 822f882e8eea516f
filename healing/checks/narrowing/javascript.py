"""Narrows jest, vitest and mocha by test names, and by test files where these are known; linters and formatters by
files."""

import re

from healing.checks.narrowing.words import files_of, options, tests_of
from healing.model import CIError

Errors = tuple[CIError, ...]
TEST_FILE = re.compile(r"(?:^|/)(?:__tests__/.{1,300}|[^/]{1,200}[._-](?:test|spec)\.[cm]?[jt]sx?)\Z")
TEST_TIMEOUT = "--testTimeout=30000"  # a hanging test is reported by name, before the command's own limit
JEST = {
    "-c", "--config", "-w", "--maxWorkers", "--testTimeout", "--coverageDirectory", "--coverageReporters", "--env",
    "--reporters", "--rootDir", "--selectProjects", "--shard", "--outputFile", "--testEnvironment", "--seed",
}  # fmt: skip
JEST_CHOICES = {
    "--coverage",
    "--testTimeout",
    "-t",
    "--testNamePattern",
    "--testPathPattern",
    "--testPathPatterns",
    "--shard",
    "--runTestsByPath",
}
VITEST = {
    "-c", "--config", "-r", "--root", "--dir", "--reporter", "--outputFile", "--environment", "--pool", "--project",
    "--testTimeout", "--maxWorkers", "--mode", "--shard", "--coverage.reporter",
}  # fmt: skip
VITEST_CHOICES = {"--coverage", "-t", "--testNamePattern", "--shard", "--changed"}
# Options that select tests are kept: mocha accepts one of them, and two together are refused or mean something else.
MOCHA_CHOICES = {"-g", "--grep", "-f", "--fgrep", "-i", "--invert", "-w", "--watch", "--dry-run", "--"}
HOOK = re.compile(r'"(?:before|after) (?:each|all)" hook')  # a failed hook that mocha reports like a test
BY_FILES = {
    "eslint": {
        "-c", "--config", "--ext", "--max-warnings", "-f", "--format", "-o", "--output-file", "--rulesdir",
        "--ignore-path", "--ignore-pattern", "--cache-location", "--parser", "--plugin", "--rule", "--env",
    },
    "prettier": {"--config", "--ignore-path", "--log-level", "--plugin", "--parser", "--cache-location"},
    "stylelint": {"--config", "-f", "--formatter", "--max-warnings", "--ignore-path", "-o", "--output-file"},
}  # fmt: skip
BIOME = {"--config-path", "--max-diagnostics", "--diagnostic-level", "--reporter", "--colors"}


NO_TEST = "Test suite failed to run"  # jest's name for a file that it could not load; no test has that name


def jest(args: list[str], errors: Errors) -> list[str] | None:
    """The arguments that run only the errors' tests."""
    names = _names(errors, " › ")
    if names is None or "--" in args or any((error.test or "").endswith(NO_TEST) for error in errors):
        return None
    files = _test_files(errors)
    by_path = ["--runTestsByPath", *files] if files else []
    kept = options(args, JEST, without=JEST_CHOICES)
    return [*kept, "--coverage=false", TEST_TIMEOUT, "-t", names, *by_path]


def vitest(args: list[str], errors: Errors) -> list[str] | None:
    """The arguments that run only the errors' tests, once."""
    names = _names(errors, " > ")
    if names is None or (args[:1] != ["run"] and "--run" not in args):
        return None  # otherwise it may wait for changes
    kept = options(args, VITEST, without=VITEST_CHOICES)
    return [*args[:1][: args[0] == "run"], *kept, "-t", names, *_test_files(errors)]


def mocha(args: list[str], errors: Errors) -> list[str] | None:
    """The same arguments, which may name files, restricted to the errors' tests. Only for errors that mocha's own
    reporter printed: the other reporters don't show whether any test ran."""
    names = _names(errors, " › ")
    if names is None or any(error.tool != "mocha" or HOOK.search(error.test or "") for error in errors):
        return None
    return None if MOCHA_CHOICES & {arg.partition("=")[0] for arg in args} else [*args, "--grep", names]


def by_files(tool: str, args: list[str], errors: Errors) -> list[str] | None:
    """The same options with the errors' files."""
    files = files_of(errors)
    return None if files is None else [*options(args, BY_FILES[tool]), *files]


def biome(args: list[str], errors: Errors) -> list[str] | None:
    """Biome's `check`, `ci`, `lint` or `format` of the errors' files."""
    files = files_of(errors)
    if files is None or args[:1] not in (["check"], ["ci"], ["lint"], ["format"]):
        return None
    return [args[0], *options(args[1:], BIOME), *files]


def _names(errors: Errors, between: str) -> str | None:
    """A pattern of the tests' full names, with a space between a `describe` and the tests inside it."""
    tests = tests_of(errors)
    if tests is None:
        return None
    names = [re.sub(r"([^\w\s])", r"\\\1", test.replace(between, " ")) for test in tests]
    return f"^({'|'.join(names)})$" if len(names) > 1 else f"^{names[0]}$"


def _test_files(errors: Errors) -> list[str]:
    """The files that contain the tests; empty where an error names another place, such as the code under test."""
    files = files_of(errors) or []
    return files if all(TEST_FILE.search(file) for file in files) else []
