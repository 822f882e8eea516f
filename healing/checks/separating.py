"""Splits a step of several commands into one check for each.

CI stops at the first command that fails. Judged as a whole, a failure that appears once the first command is fixed (the
base branch may have it too, or this machine may be unable to run that command) could not be told apart from damage by
the fix. A step stays one check where its commands may need what earlier ones produced.
"""

import re
import shlex

from healing.checks.check import Check, Script
from healing.checks.makefiles import make_recipe
from healing.checks.npm_scripts import RUNNERS, Read, script_called
from healing.checks.recognising import is_check, prepares
from healing.checks.shell_scripts import script_commands
from healing.checks.unreadable import LISTED

SHELLS = ("", "bash", "sh")
# One command: words and quoted words, without anything else that a shell would do.
COMMAND = r"""(?:'[^'\n]*'|"[^"\\`\n]*"|[^'"&|;<>()`\\\n#])+"""
ONE = re.compile(COMMAND)
PLAIN_LIST = re.compile(rf"{COMMAND}(?:(?:&&|\n){COMMAND})*")
ASSIGNMENTS = re.compile(r"(?:[A-Za-z_]\w*=\S*\s+)*")
STATE = re.compile(r"(?:cd|export|source|\.)\s")  # these affect the commands after them
ONLY_BASH = re.compile(r"(?<!\$)\{[^}\s]*(?:,|\.\.)|\[\[")  # what `sh`, which runs recipes and scripts, takes as it is
SAYS = re.compile(r"(?:echo|printf|ls|pwd|which|true)(?:\s|$)|[\w.-]+ (?:--version|-[vV])$")
NEEDS_NOTHING = re.compile(r"(?:go|cargo) (?:\+\S+ )?(?:build|vet)\b")  # later commands build for themselves
EMITS = re.compile(r"(?:^|\s)tsc(?!.*--noEmit)")  # a compiler that writes what the tests run
AS_THEY_ARE = frozenset(
    ("node", "npm", "npx", "pnpm", "yarn", "bun", "bunx", "deno", "go", "cargo", "make", "python", "python3", "sh")
)
TOGETHER = re.compile(r"(?:run-s|npm-run-all)((?:\s+[\w:.-]+)+)$")
RUNS = tuple(" ".join(words) + " " for words in RUNNERS.values())
MAX_DEPTH = 4  # nested scripts
LIMIT = 12


def separate(check: Check, read: Read) -> tuple[Check, ...]:
    """One check for each command of the step, in order. The check itself alone where it is a single command, or where
    the commands can't be separated reliably. `read` returns the files of the tree, for the scripts of package.json."""
    step = check.step
    if step.shell not in SHELLS or step.tolerant:
        return (check,)
    commands = commands_of(step, read)
    prefix: list[str] = []
    parts: list[Check] = []
    for index, command in enumerate(commands, 1):
        if STATE.match(command):
            prefix.append(command)
        elif not SAYS.match(command):
            script = step.model_copy(update={"run": "\n".join([*prefix, command])})
            if not _is_independent(script, command, last=index == len(commands)):
                return (check,)
            parts.append(check.model_copy(update={"step": script, "part": _shown(command)}))
    return tuple(parts) if 1 < len(parts) <= LIMIT else (check,)


def commands_of(script: Script, read: Read) -> list[str]:
    """The commands of a script that stops at the first failure, with those that scripts of package.json stand for; none
    where it is more than a list of commands."""
    return [part for line in _plain_list(script.run) or () for part in _opened(line, script, read)]


def _is_independent(script: Script, command: str, last: bool) -> bool:
    """Whether a command checks code and produces nothing that the commands after it need."""
    if LISTED.search(command):
        return True
    if not is_check(script):
        return False
    makes = prepares(script) and not NEEDS_NOTHING.match(command)
    return last or not (makes or EMITS.search(command) or script_called(_words(command)))


def _shown(command: str) -> str:
    """The command as people call it: without the package manager that runs it."""
    return next((command.removeprefix(prefix) for prefix in RUNS if command.startswith(prefix)), command)


def _plain_list(run: str) -> list[str] | None:
    """The commands of a script that stops at the first failure; None where it is more than a list of commands."""
    lines = [line.strip() for line in run.replace("\\\n", " ").splitlines()]
    kept = (line for line in lines if line and not line.startswith("#"))
    text = "".join(line if line.endswith("&&") else f"{line}\n" for line in kept).rstrip("\n")
    plain = PLAIN_LIST.fullmatch(text) and "$npm_" not in text
    return [command.strip() for command in ONE.findall(text)] if plain else None


def _opened(command: str, script: Script, read: Read, depth: int = 0) -> list[str]:
    """The commands that a script of package.json, a recipe of a Makefile or a shell script stands for. The command
    itself where it calls none of them, or one that is more than a list."""
    words = _words(command)
    called = script_called(words)
    recipe = make_recipe(words, script.cwd, read, script.env) or ()
    other = "\n".join(recipe) or script_commands(words, script.cwd, read)
    text = called.script(script.cwd, read) if called else other
    lines = _plain_list(text) if text and depth < MAX_DEPTH else None
    if lines is None or any(STATE.match(line) or ONLY_BASH.search(line) for line in lines):
        return [command]
    if called:
        lines = [called_line for line in lines for called_line in _calls_of(line, called.tool)]
        if called.more:
            lines[-1] += " " + shlex.join(called.more)
        lines = [_with_runner(line, called.runner) for line in lines]
    return [opened for line in lines for opened in _opened(line, script, read, depth + 1)]


def _calls_of(line: str, tool: str) -> list[str]:
    """The scripts that a runner such as `run-s` calls, else the line itself."""
    several = TOGETHER.match(line)
    return [f"{tool} run {name}" for name in several[1].split()] if several else [line]


def _with_runner(command: str, runner: str) -> str:
    """A command of a script as it has to be called outside of the script: through the runner that finds the project's
    own programs."""
    variables = ASSIGNMENTS.match(command)
    at = variables.end() if variables else 0
    program = (_words(command[at:]) or [""])[0]
    as_is = program in AS_THEY_ARE or SAYS.match(command)
    return command if as_is else f"{command[:at]}{runner} {command[at:]}"


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []
