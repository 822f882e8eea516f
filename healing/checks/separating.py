"""A step of several commands as a check each.

CI stops at the first command that fails. Judged together, what comes to light when the first is fixed (the base branch
may have it too, or this machine may be unable to run the second) could not be told from what the fix broke. A step
stays one check where its commands may need what those before them made.
"""

import re
import shlex

from healing.checks.check import Check, Script
from healing.checks.npm_scripts import RUNNERS, Read, script_called
from healing.checks.recognising import is_check, prepares

SHELLS = ("", "bash", "sh")
# One command: words and quoted words, without anything else that a shell would do.
COMMAND = r"""(?:'[^'\n]*'|"[^"\\`\n]*"|[^'"&|;<>()`\\\n#])+"""
ONE = re.compile(COMMAND)
PLAIN_LIST = re.compile(rf"{COMMAND}(?:(?:&&|\n){COMMAND})*")
ASSIGNMENTS = re.compile(r"(?:[A-Za-z_]\w*=\S*\s+)*")
STATE = re.compile(r"(?:cd|export|source|\.)\s")  # what these do holds for the commands after them
SAYS = re.compile(r"(?:echo|printf|ls|pwd|which|true)(?:\s|$)|[\w.-]+ (?:--version|-[vV])$")
NEEDS_NOTHING = re.compile(r"(?:go|cargo) (?:\+\S+ )?(?:build|vet)\b")  # later commands build for themselves
EMITS = re.compile(r"(?:^|\s)tsc(?!.*--noEmit)")  # a compiler that writes what the tests run
AS_THEY_ARE = frozenset(
    ("node", "npm", "npx", "pnpm", "yarn", "bun", "bunx", "deno", "go", "cargo", "make", "python", "python3", "sh")
)
TOGETHER = re.compile(r"(?:run-s|npm-run-all)((?:\s+[\w:.-]+)+)$")
RUNS = tuple(" ".join(words) + " " for words in RUNNERS.values())
DEEPEST = 4  # scripts that call one another
MOST = 12


def separate(check: Check, read: Read) -> tuple[Check, ...]:
    """The check of each command of the step, in their order; the check alone where it is one command, or where they
    can't be told apart surely. `read` gives the files of the tree, for the scripts of package.json."""
    step = check.step
    if step.shell not in SHELLS or step.tolerant:
        return (check,)
    commands = [found for one in _plain_list(step.run) or () for found in _opened(one, step.cwd, read)]
    before: list[str] = []
    parts: list[Check] = []
    for place, command in enumerate(commands, 1):
        if STATE.match(command):
            before.append(command)
        elif not SAYS.match(command):
            script = step.model_copy(update={"run": "\n".join([*before, command])})
            if not _stands_alone(script, command, last=place == len(commands)):
                return (check,)
            parts.append(check.model_copy(update={"step": script, "part": _shown(command)}))
    return tuple(parts) if 1 < len(parts) <= MOST else (check,)


def _stands_alone(script: Script, command: str, last: bool) -> bool:
    """Whether a command looks at the code, and makes nothing that those after it need."""
    if not is_check(script):
        return False
    makes = prepares(script) and not NEEDS_NOTHING.match(command)
    return last or not (makes or EMITS.search(command) or script_called(_words(command)))


def _shown(command: str) -> str:
    """The command as people know it."""
    return next((command.removeprefix(one) for one in RUNS if command.startswith(one)), command)


def _plain_list(run: str) -> list[str] | None:
    """The commands of a script that stops at the first that fails. None where it is more than a list of commands."""
    lines = [line.strip() for line in run.replace("\\\n", " ").splitlines()]
    kept = (line for line in lines if line and not line.startswith("#"))
    text = "".join(line if line.endswith("&&") else f"{line}\n" for line in kept).rstrip("\n")
    plain = PLAIN_LIST.fullmatch(text) and "$npm_" not in text
    return [one.strip() for one in ONE.findall(text)] if plain else None


def _opened(command: str, cwd: str, read: Read, depth: int = 0) -> list[str]:
    """The commands that a script of package.json comes to; the command itself where it calls none, or one that is more
    than a list."""
    called = script_called(_words(command))
    script = called.script(cwd, read) if called and depth < DEEPEST else None
    lines = _plain_list(script) if script else None
    if called is None or lines is None or any(STATE.match(line) for line in lines):
        return [command]
    lines = [one for line in lines for one in _calls(line, called.tool)]
    if called.more:
        lines[-1] += " " + shlex.join(called.more)
    return [found for line in lines for found in _opened(_as_run(line, called.runner), cwd, read, depth + 1)]


def _calls(line: str, tool: str) -> list[str]:
    """The scripts that a runner of several calls, else the line itself."""
    several = TOGETHER.match(line)
    return [f"{tool} run {name}" for name in several[1].split()] if several else [line]


def _as_run(command: str, runner: str) -> str:
    """A command of a script as it is called without one: by what finds the project's own programs."""
    variables = ASSIGNMENTS.match(command)
    at = variables.end() if variables else 0
    program = (_words(command[at:]) or [""])[0]
    known = program in AS_THEY_ARE or SAYS.match(command)
    return command if known else f"{command[:at]}{runner} {command[at:]}"


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []
