"""Commands that stop at the first failure, so that later failures stay hidden."""

import re
import shlex
from dataclasses import dataclass

from healing.checks.check import Script
from healing.checks.npm_scripts import RUNNERS, script_called
from healing.view import TreeView

# Test runner → the options that end a run early, as it documents them; a value of 0 means "never".
STOPS = {
    r"py\.?test": r"-x|--exitfirst|--maxfail[= ][1-9]\d*",
    r"-m unittest": r"-f|--failfast",
    r"mocha": r"-b|--bail",
    r"jest": r"-b|--bail(?:[= ][1-9]\d*)?",
    r"vitest": r"--bail[= ][1-9]\d*",
    r"tap": r"-b|--bail",
    r"ava": r"--fail-fast",
    r"go test": r"-failfast(?:=true)?",
    r"rspec": r"--fail-fast(?:=[1-9]\d*)?",
    r"phpunit": r"--stop-on-(?:failure|error|defect)",
}
JOINED = re.compile(r"(?<=\s)-(?P<before>[qvsl]{0,6})x(?P<after>[qvsl]{0,6})(?=\s|\Z)")  # pytest's -xvs

COLLECTING = re.compile(r"^!+ Interrupted: \d{1,6} errors? during collection !+$", re.M)
CONTINUE = "--continue-on-collection-errors"

SEVERAL = re.compile(r"[&|;]|^\s*\w+=")  # more than a program with its options


@dataclass(frozen=True)
class ContinuingCommand:
    """The option that makes a command stop early, and the command without it."""

    option: str
    command: str


def continuing_command(step: Script, view: TreeView) -> ContinuingCommand | None:
    """The command that continues after a failure; None where it does so already, or where that can't be determined. A
    script of package.json that it calls is read too."""
    if result := _without_stop(step.run):
        return result
    try:
        call = script_called(shlex.split(step.run))
    except ValueError:
        return None
    script = call.script(step.cwd, view.read) if call else ""
    result = None if SEVERAL.search(script) else _without_stop(script)
    if call is None or result is None:
        return None
    return ContinuingCommand(
        result.option, " ".join([*RUNNERS[call.tool], result.command, *map(shlex.quote, call.more)])
    )


def past_collection(step: Script, output: str) -> str:
    """The command that runs the other tests where pytest ends because a file can't be collected; empty where it isn't
    that, or the command is more than a call of pytest."""
    line = step.run.strip()
    if not COLLECTING.search(output) or SEVERAL.search(line) or "\n" in line or CONTINUE in line:
        return ""
    return f"{line} {CONTINUE}" if re.search(r"(?:^|[\s/])py\.?test(?=\s|\Z)", line) else ""


def _without_stop(run: str) -> ContinuingCommand | None:
    line = run.strip()
    if "\n" in line:
        return None
    for runner, stop in STOPS.items():
        called = re.search(rf"(?:^|[\s/]){runner}(?=\s|\Z)", line)
        if called is None:
            continue
        before, options = line[: called.end()], line[called.end() :]
        if joined := JOINED.search(options):
            rest = joined["before"] + joined["after"]
            kept = options[: joined.start()] + (f"-{rest}" if rest else "") + options[joined.end() :]
            return ContinuingCommand("-x", _tidy(before + kept)) if runner.startswith("py") else None
        if option := re.search(rf"(?<=\s)(?:{stop})(?=\s|\Z)", options):
            return ContinuingCommand(option[0], _tidy(before + options[: option.start()] + options[option.end() :]))
    return None


def _tidy(command: str) -> str:
    """The command without the extra space where an option was removed."""
    return re.sub(r"(?<=\S)[ \t]{2,}", " ", command).strip()
