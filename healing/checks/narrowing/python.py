"""Narrows pytest by test ids, Ruff by files and codes, and other linters, formatters and mypy by files."""

from healing.checks.narrowing.words import files_of, options, tests_of
from healing.model import CIError

Errors = tuple[CIError, ...]
PYTEST = {
    "-k", "-m", "-p", "-c", "-n", "-o", "-r", "-W", "--tb", "--rootdir", "--confcutdir", "--cov", "--cov-report",
    "--cov-fail-under", "--cov-config", "--durations", "--maxfail", "--timeout", "--junitxml", "--override-ini",
    "--ignore", "--deselect", "--color",
}  # fmt: skip
RUFF = {
    "--config", "--output-format", "--select", "--ignore", "--extend-select", "--target-version", "--exclude",
    "--extend-exclude", "--line-length", "--cache-dir", "-o", "--output-file",
}  # fmt: skip
COVERAGE = {"--cov", "--cov-report", "--cov-fail-under", "--cov-branch", "--cov-config", "--cov-context"}
BY_FILES = {
    "black": {
        "-l", "--line-length", "-t", "--target-version", "--config", "--exclude", "--extend-exclude", "--force-exclude",
        "--include", "-W", "--workers", "--required-version",
    },
    "flake8": {
        "--config", "--append-config", "--max-line-length", "--select", "--ignore", "--extend-ignore", "--exclude",
        "--extend-select", "--format", "-j", "--jobs", "--max-complexity", "--per-file-ignores", "--max-doc-length",
    },
    "isort": {"--profile", "--settings-path", "--sp", "-l", "--line-length", "--skip", "-p", "--src", "--config-root"},
    "mypy": {
        "--config-file", "--python-version", "--platform", "--exclude", "--cache-dir", "--follow-imports",
        "--disable-error-code", "--enable-error-code", "--python-executable", "--shadow-file",
    },
}  # fmt: skip
MYPY_TARGETS = ("-p", "-m", "-c", "--package", "--module", "--command")


def pytest(args: list[str], errors: Errors) -> list[str] | None:
    """The arguments that run only the errors' tests."""
    ids = tests_of(errors)
    return None if ids is None else [*options(args, PYTEST, without=COVERAGE), *ids]


def ruff(args: list[str], errors: Errors) -> list[str] | None:
    """`check` of the errors' files with their codes, or `format` of the files."""
    files = files_of(errors)
    if files is None or args[:1] not in (["check"], ["format"]):
        return None
    if args[0] == "format":
        return ["format", *options(args[1:], RUFF), *files]
    if any(e.code is None or not e.code.isalnum() for e in errors):
        return ["check", *options(args[1:], RUFF), *files]
    codes = ",".join(sorted({e.code for e in errors if e.code}))
    return ["check", *options(args[1:], RUFF, without={"--select"}), "--select", codes, *files]


def by_files(tool: str, args: list[str], errors: Errors) -> list[str] | None:
    """The same options with the errors' files. mypy still follows their imports."""
    files = files_of(errors)
    if files is None or (tool == "mypy" and any(a.partition("=")[0] in MYPY_TARGETS for a in args)):
        return None
    return [*options(args, BY_FILES[tool]), *files]
