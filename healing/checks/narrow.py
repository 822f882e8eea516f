"""Narrows a check to the smallest command that still shows the given errors. Returns None where the step is not simple
enough to be sure; then the whole step decides, as it does in the end anyway."""

import re
import shlex
from collections.abc import Callable, Iterable
from functools import partial

from healing.checks.check import Check, CheckResult
from healing.checks.narrowing import compiled, javascript, python
from healing.checks.narrowing.words import called, files_of, options, simple
from healing.checks.npm_scripts import Read
from healing.checks.rules import TimeLimits
from healing.checks.spelled_out import spelled_out
from healing.model import CIError

Narrowing = Callable[[list[str], tuple[CIError, ...]], list[str] | None]
# The lines in which go, cargo, jest, vitest and mocha print how many tests ran, and those that mean none.
COUNTS = re.compile(
    r"^(?:ok[ \t].{0,400}|running \d{1,9} tests?| {0,9}Tests:? {1,9}\d{1,9} .{0,200}| {2}\d{1,9} passing \(.{1,20}\))$",
    re.M,
)
NONE = re.compile(
    r"(?:ok[ \t].{0,400}\[no tests to run\]|running 0 tests| {0,9}Tests:? {1,9}\d{1,9} skipped"
    r"(?:, \d{1,9} total| \(\d{1,9}\))| {2}0 passing \(.{1,20}\))\Z"
)
# Tools that check whether files parse, and the options by which they do only that; empty: they do nothing else.
SYNTAX: dict[str, tuple[str, ...]] = {
    "gofmt": (),
    "py_compile": (),
    "compileall": (),
    "php": ("-l", "--syntax-check"),
    "ruby": ("-c", "-wc"),
    "perl": ("-c", "-wc"),
    "node": ("-c", "--check"),
    "bash": ("-n",),
    "sh": ("-n",),
}


def _syntax(tool: str, args: list[str], errors: tuple[CIError, ...]) -> list[str] | None:
    files = files_of(errors)
    only_parses = not SYNTAX[tool] or (args[:1] and args[0] in SYNTAX[tool])
    return [*options(args, {"-r"} if tool == "gofmt" else ()), *files] if files and only_parses else None


TOOLS: dict[str, Narrowing] = {
    "pytest": python.pytest,
    "ruff": python.ruff,
    "jest": javascript.jest,
    "vitest": javascript.vitest,
    "mocha": javascript.mocha,
    "biome": javascript.biome,
    "go": compiled.go,
    "cargo": compiled.cargo,
    **{tool: partial(python.by_files, tool) for tool in python.BY_FILES},
    **{tool: partial(javascript.by_files, tool) for tool in javascript.BY_FILES},
    **{tool: partial(_syntax, tool) for tool in SYNTAX},
}


def narrow(
    check: Check, errors: Iterable[CIError], limits: TimeLimits | None = None, read: Read | None = None
) -> Check | None:
    """The narrowed check with its own time limit; None where it can't be narrowed. With `read`, which returns the files
    of the tree, scripts of package.json and recipes of a Makefile are narrowed too."""
    errors = tuple(errors)
    words = simple(check.step.run) if check.step.shell in ("", "bash", "sh") else None
    words = spelled_out(words, check.step.cwd, read, check.step.env) if words and read else words
    if words is None or not errors:
        return None
    tool, start = called(words)
    rest = TOOLS[tool](words[start:], errors) if tool in TOOLS else None
    if rest is None:
        return None
    step = check.step.model_copy(update={"run": shlex.join([*words[:start], *rest]), "name": f"{tool} (narrowed)"})
    kind = "syntax" if tool in SYNTAX else tool
    seconds = (limits or TimeLimits()).targeted(kind, check.seconds, bool(check.setup or check.servers))
    return check.model_copy(update={"step": step, "seconds": seconds})


def ran_nothing(result: CheckResult) -> bool:
    """Whether no test matched the narrowed name, so that a pass is no evidence: pytest fails in that case, the other
    runners don't."""
    counts = COUNTS.findall(result.output)
    return result.green and bool(counts) and all(NONE.match(line) for line in counts)


def tool_of(check: Check) -> str:
    """The tool that a simple step calls; empty where it can't be narrowed."""
    words = simple(check.step.run) if check.step.shell in ("", "bash", "sh") else None
    tool = called(words)[0] if words else ""
    return tool if tool in TOOLS else ""
