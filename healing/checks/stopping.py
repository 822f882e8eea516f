"""Commands that end at their first failure: of what fails after it nothing is seen, neither by a person nor by Heal."""

import re
import shlex
from dataclasses import dataclass

from healing.checks.check import Script
from healing.checks.npm_scripts import RUNNERS, script_called
from healing.view import TreeView

# Test runner → the options that end a run early. As each documents them; a value of 0 means "never".
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

SEVERAL = re.compile(r"[&|;]|^\s*\w+=")  # more than a program with its options


@dataclass(frozen=True)
class Unstopped:
    """The option that ends a command early, and the command without it."""

    option: str
    command: str


def unstopped(step: Script, view: TreeView) -> Unstopped | None:
    """The command that goes on after a failure; None where this one does so already, or where that is not known. The
    script of package.json that it calls is looked into."""
    if found := _without(step.run):
        return found
    try:
        call = script_called(shlex.split(step.run))
    except ValueError:
        return None
    script = call.script(step.cwd, view.read) if call else ""
    found = None if SEVERAL.search(script) else _without(script)
    if call is None or found is None:
        return None
    return Unstopped(found.option, " ".join([*RUNNERS[call.tool], found.command, *map(shlex.quote, call.more)]))


def _without(run: str) -> Unstopped | None:
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
            return Unstopped("-x", _tidy(before + kept)) if runner.startswith("py") else None
        if option := re.search(rf"(?<=\s)(?:{stop})(?=\s|\Z)", options):
            return Unstopped(option[0], _tidy(before + options[: option.start()] + options[option.end() :]))
    return None


def _tidy(command: str) -> str:
    """Without the second space where an option was taken out."""
    return re.sub(r"(?<=\S)[ \t]{2,}", " ", command).strip()
