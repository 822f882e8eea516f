"""From a failing command to the smallest one that still shows given errors (CK-3): `pytest` ids, `ruff` files and
codes, files for formatters. None where the command is not simple enough to be sure: then the whole step judges."""

import shlex
from collections.abc import Iterable

from healing.checks.check import Check
from healing.model import CIError
from healing.sandbox.time_limits import targeted_seconds

PYTEST_WITH_VALUE = {
    "-k", "-m", "-p", "-c", "-n", "-o", "-r", "-W", "--tb", "--rootdir", "--confcutdir", "--cov", "--cov-report",
    "--durations", "--maxfail", "--timeout", "--junitxml", "--override-ini", "--ignore", "--deselect", "--color",
}  # fmt: skip
RUFF_WITH_VALUE = {"--config", "--output-format", "--select", "--ignore", "--extend-select", "--target-version", "--exclude", "--extend-exclude", "--line-length", "--cache-dir", "-o", "--output-file"}  # fmt: skip  # noqa: E501
BLACK_WITH_VALUE = {"-l", "--line-length", "-t", "--target-version", "--config", "--exclude", "--extend-exclude", "--force-exclude", "--include", "-W", "--workers", "--required-version"}  # fmt: skip  # noqa: E501
SHELL = set("|&;<>()$`*?[]{}~")
MOST_IDS = 50


def narrow(check: Check, errors: Iterable[CIError]) -> Check | None:
    """The narrowed check, or None."""
    errors = tuple(errors)
    words = _words(check.step.run) if check.step.shell in ("", "bash", "sh") else None
    if words is None or not errors:
        return None
    tool, start = _tool(words)
    if tool == "pytest":
        rest = _pytest(words[start:], errors)
    elif tool == "ruff" and words[start : start + 1] in (["check"], ["format"]):
        rest = _ruff(words[start:], errors)
    elif tool == "black":
        rest = _files(words[start:], BLACK_WITH_VALUE, errors)
    else:
        rest = None
    if rest is None:
        return None
    run = shlex.join([*words[:start], *rest])
    step = check.step.model_copy(update={"run": run, "name": f"{tool} (narrowed)"})
    seconds = targeted_seconds(tool, check.seconds, bool(check.setup or check.servers))
    return check.model_copy(update={"step": step, "seconds": seconds})


def _words(run: str) -> list[str] | None:
    lines = [line for line in run.strip().splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if len(lines) != 1:
        return None
    try:
        words = shlex.split(lines[0])
    except ValueError:
        return None
    return None if any(SHELL & set(word) for word in words) else words


def _tool(words: list[str]) -> tuple[str, int]:
    """The tool that a simple command calls, and the index of its first argument."""
    at = 0
    while at < len(words) and "=" in words[at] and not words[at].startswith("-"):
        at += 1
    if words[at : at + 2] in (["uv", "run"], ["poetry", "run"], ["pdm", "run"], ["hatch", "run"]):
        at += 2
    name = words[at].rsplit("/", 1)[-1] if at < len(words) else ""
    if name.startswith("python") and words[at + 1 : at + 2] == ["-m"] and at + 2 < len(words):
        return words[at + 2], at + 3
    return name, at + 1


def _options(args: list[str], with_value: set[str]) -> list[str]:
    """The options among `args` with their values; positional arguments are left out."""
    kept: list[str] = []
    take = False
    for arg in args:
        if take or arg.startswith("-"):
            kept.append(arg)
            take = not take and arg in with_value
    return kept


def _pytest(args: list[str], errors: tuple[CIError, ...]) -> list[str] | None:
    ids = sorted({error.test for error in errors if error.test})
    if not ids or len(ids) > MOST_IDS or any(error.test is None for error in errors):
        return None
    return [*_options(args, PYTEST_WITH_VALUE), *ids]


def _ruff(args: list[str], errors: tuple[CIError, ...]) -> list[str] | None:
    files = _error_files(errors)
    codes = sorted({e.code for e in errors if e.code})
    if files is None:
        return None
    if args[0] == "format":
        return ["format", *_options(args[1:], RUFF_WITH_VALUE), *files]
    if any(e.code is None or not e.code.isalnum() for e in errors):
        return ["check", *_options(args[1:], RUFF_WITH_VALUE), *files]
    return ["check", *_without_select(_options(args[1:], RUFF_WITH_VALUE)), "--select", ",".join(codes), *files]


def _without_select(options: list[str]) -> list[str]:
    kept: list[str] = []
    skip = False
    for option in options:
        if not skip and not option.startswith("--select"):
            kept.append(option)
        skip = option == "--select"
    return kept


def _files(args: list[str], with_value: set[str], errors: tuple[CIError, ...]) -> list[str] | None:
    files = _error_files(errors)
    return None if files is None else [*_options(args, with_value), *files]


def _error_files(errors: tuple[CIError, ...]) -> list[str] | None:
    files = sorted({error.file for error in errors if error.file})
    if any(error.file is None for error in errors) or any(f.startswith("-") for f in files):
        return None
    return files
