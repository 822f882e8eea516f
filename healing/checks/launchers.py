"""Replaces commands that create an environment and run others in it (tox, nox, hatch, uv, poetry, pdm, pre-commit) by
the commands that they would run.

Used where the environment exists already. What can't be determined without running the launcher is kept as it is.
"""

import ast
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from healing.checks import hooks as pre_commit
from healing.checks.source import WorkflowError
from healing.checks.tox import environments
from healing.view import TreeView

Installed = Callable[[str], bool]
# Options of the launchers that take a value: what follows the last option is the command.
RUN_OPTIONS = frozenset(
    (
        *("--with", "--with-editable", "--with-requirements", "--extra", "--group", "--no-group", "--only-group", "-p"),
        *("--python", "--from", "--package", "--index", "--index-url", "--default-index", "--env-file", "--project"),
        *("--directory", "-C", "--constraints", "-c", "--spec", "--pip-args", "--no-extra", "--color", "--find-links"),
        *(
            "--index-strategy",
            "--resolution",
            "--exclude-newer",
            "--cache-dir",
            "-e",
            "--env",
            "-w",
            "--refresh-package",
        ),
    )
)
MEASURES = re.compile(r"coverage (?:combine|report|xml|html|lcov|json|erase|debug)\b|codecov\b|diff-cover\b")
INSTALLING_GOALS = re.compile(r"(?:dev[-_])?(?:install\S*|deps|dependencies|requirements|reqs|setup|bootstrap|venv)\Z")
ENDS = "&&", "||", ";", "|"
MAX_DEPTH = 6  # nested launchers


@dataclass(frozen=True)
class OpenedCommand:
    """One command that a launcher would run, with the name of the launcher's unit (such as a tox environment), and
    the folder and variables that it gets. `judges`: it checks code, whatever its name. `lacks`: why it can't be run
    here."""

    command: str
    name: str = ""
    cwd: str = "."
    env: Mapping[str, str] = field(default_factory=dict)
    judges: bool = False
    lacks: str = ""


@dataclass(frozen=True)
class Launchers:
    """Opens the launcher commands of one tree. `installed` returns whether the environment has a program; a launcher
    that is installed is not opened, except for `make`."""

    view: TreeView
    installed: Installed

    def opened(self, line: str, variables: Mapping[str, str], depth: int = 0) -> tuple[OpenedCommand, ...] | None:
        """The commands that one command line stands for; None where it is no launcher or can't be opened."""
        words = _words(line, variables)
        if not words or depth > MAX_DEPTH:
            return None
        assignments = [word for word in words if re.match(r"[A-Za-z_]\w*=", word)]
        start = next((at for at, word in enumerate(words) if word not in assignments), len(words))
        own_variables = dict(word.split("=", 1) for word in words[:start])
        words = words[start:]
        if not words:
            return None
        commands = self._launched(words, {**variables, **own_variables}, depth)
        if commands is None:
            return None
        return tuple(replace(command, env={**own_variables, **command.env}) for command in commands)

    def _launched(self, words: list[str], variables: Mapping[str, str], depth: int) -> tuple[OpenedCommand, ...] | None:
        program = words[0]
        if (
            program in ("python", "python3")
            and words[1:2] == ["-m"]
            and words[2:3] in (["tox"], ["nox"], ["pre_commit"])
        ):
            program, words = words[2].replace("_", "-"), words[2:]
        opener = {
            "uv": self._uv, "uvx": self._tool, "pipx": self._pipx, "poetry": self._run, "pipenv": self._run,
            "rye": self._run, "pdm": self._pdm, "hatch": self._hatch, "tox": self._tox, "nox": self._nox,
            "pre-commit": self._hooks, "prek": self._hooks, "coverage": self._coverage,
            "make": self._make,
        }.get(program)  # fmt: skip
        if opener is None or (program != "make" and self.installed(program)):
            return None
        commands = opener(words[1:], variables)
        if commands is None:
            return None
        return tuple(further for command in commands for further in self._further(command, variables, depth))

    def _further(self, one: OpenedCommand, variables: Mapping[str, str], depth: int) -> Iterator[OpenedCommand]:
        inner = None if one.lacks else self.opened(one.command, {**variables, **one.env}, depth + 1)
        for further in inner if inner is not None else (one,):
            folder = further.cwd if further.cwd != "." else one.cwd
            name = further.name or one.name
            judges = one.judges or further.judges
            yield replace(further, name=name, cwd=folder, env={**one.env, **further.env}, judges=judges)

    def _uv(self, words: list[str], variables: Mapping[str, str]) -> tuple[OpenedCommand, ...] | None:
        rest = _after_options(words)
        if rest[:1] == ["run"]:
            return self._run(rest, variables)
        if rest[:2] == ["tool", "run"]:
            return self._tool(rest[2:], variables)
        return None

    def _run(self, words: list[str], _variables: Mapping[str, str]) -> tuple[OpenedCommand, ...] | None:
        """`poetry run CMD`, `uv run CMD`."""
        rest = _after_options(words)
        if rest[:1] != ["run"]:
            return None
        command = _after_options(rest[1:])
        module = next((word for word in rest[1 : len(rest) - len(command)] if word in ("-m", "--module")), "")
        if command and command[0].endswith(".py"):
            module, command = "", ["python", *command]
        return (OpenedCommand(_joined([*(["python", "-m"] if module else []), *command])),) if command else None

    def _tool(self, words: list[str], _variables: Mapping[str, str]) -> tuple[OpenedCommand, ...] | None:
        """`uvx [--with X] TOOL@VERSION ARGS`."""
        rest = _after_options(words)
        return (OpenedCommand(_joined([rest[0].partition("@")[0], *rest[1:]])),) if rest else None

    def _pipx(self, words: list[str], variables: Mapping[str, str]) -> tuple[OpenedCommand, ...] | None:
        return self._tool(words[1:], variables) if words[:1] == ["run"] else None

    def _pdm(self, words: list[str], variables: Mapping[str, str]) -> tuple[OpenedCommand, ...] | None:
        """A script of [tool.pdm.scripts], or a command."""
        rest = words if words[:1] == ["run"] else ["run", *words]
        launched = self._run(rest, variables)
        scripts = _table(self._project(), "tool", "pdm", "scripts")
        command = _after_options(rest[1:])
        script = scripts.get(command[0]) if command else None
        if isinstance(script, dict):
            script = script.get("cmd") or script.get("shell") or script.get("composite")
        if script is None:
            return launched if words[:1] == ["run"] else None
        listed = script if isinstance(script, list) else [script]
        return tuple(OpenedCommand(" ".join([str(line), *command[1:]]).strip(), command[0]) for line in listed)

    def _hatch(self, words: list[str], _variables: Mapping[str, str]) -> tuple[OpenedCommand, ...] | None:
        """`hatch run ENV:SCRIPT`, `hatch test`, `hatch fmt`."""
        rest = _after_options(words)
        if rest[:1] == ["test"]:
            given = [
                word for word in rest[1:] if not re.match(r"-(?:a|c|p|py|r|i|-all|-cover|-randomize|-parallel)\Z", word)
            ]
            return (OpenedCommand(_joined(["pytest", *(given or ["tests"])]), "test"),)
        if rest[:1] == ["fmt"]:
            return (OpenedCommand("ruff check --no-fix .", "fmt"), OpenedCommand("ruff format --check .", "fmt"))
        if rest[:1] != ["run"] or not (command := _after_options(rest[1:])):
            return None
        name, colon, script = command[0].rpartition(":")
        lines = _scripts(self._project(), name or "default", script, command[1:]) if colon or not name else None
        if lines is None:
            return None if colon else (OpenedCommand(_joined(command)),)
        return tuple(OpenedCommand(line, command[0]) for line in lines)

    def _tox(self, words: list[str], variables: Mapping[str, str]) -> tuple[OpenedCommand, ...] | None:
        """The commands of tox's environments."""
        verbs = ("run", "r", "run-parallel", "p")
        given = words[1:] if words[:1] and words[0] in verbs else words
        if any(word in ("-c", "--conf", "--workdir", "--root", "list", "config") for word in given):
            return None
        selected = environments(self.view, given, variables)
        if not selected:
            return None
        return tuple(
            OpenedCommand(command, f"tox {environment.name}", environment.cwd, environment.env)
            for environment in selected
            for command in environment.commands
            if not MEASURES.match(command)
        )

    def _nox(self, words: list[str], _variables: Mapping[str, str]) -> tuple[OpenedCommand, ...] | None:
        """The commands that its sessions run with literal arguments."""
        data = self.view.read("noxfile.py")
        if data is None:
            return None
        named: list[str] = []
        for before, word in zip(["", *words], words, strict=False):
            if before in ("-s", "-e", "--session", "--sessions") or (named and not word.startswith("-")):
                named.append(re.sub(r"-[\d.]+\Z|\(.*\Z", "", word))
        if any(word in ("-t", "--tags", "-k", "-f", "--noxfile") for word in words):
            return None
        try:
            return tuple(_sessions(ast.parse(data), named)) or None
        except (SyntaxError, ValueError, RecursionError, NotPlain):
            return None

    def _hooks(self, words: list[str], _variables: Mapping[str, str]) -> tuple[OpenedCommand, ...] | None:
        if words[:1] not in (["run"], []) and not words[0].startswith("-"):
            return None
        try:
            return self.hooks(words[1:])
        except WorkflowError:
            return None

    def hooks(self, words: list[str]) -> tuple[OpenedCommand, ...]:
        """The pre-commit hooks as commands; hooks that can't be run here carry the reason. Raises WorkflowError."""
        commands = []
        for hook in pre_commit.hooks(self.view, words):
            name = f"pre-commit {hook.id}"
            if not hook.tidy:
                lacks = "" if hook.command else f"the hook {hook.id} is known to pre-commit alone"
                commands.append(OpenedCommand(hook.command, name, judges=True, lacks=lacks))
        return tuple(commands)

    def _coverage(self, words: list[str], _variables: Mapping[str, str]) -> tuple[OpenedCommand, ...] | None:
        """The measured program without the measurement."""
        if words[:1] != ["run"]:
            return ()
        return (
            OpenedCommand(
                _joined(["python", *_after_options(words[1:], ("-m",), frozenset(("--source", "--rcfile")))])
            ),
        )

    def _make(self, words: list[str], _variables: Mapping[str, str]) -> tuple[OpenedCommand, ...] | None:
        """The same `make` call without the goals that install; None where it has no such goal."""
        goals = [word for word in words if not INSTALLING_GOALS.match(word)]
        if goals == words:
            return None
        named = any(not word.startswith("-") and "=" not in word for word in goals)
        return (OpenedCommand(_joined(["make", *goals])),) if named else ()

    def _project(self) -> Mapping[str, object]:
        try:
            return tomllib.loads((self.view.read("pyproject.toml") or b"").decode())
        except (ValueError, RecursionError):
            return {}


class NotPlain(Exception):
    """Something that can be determined only by running it."""


def _sessions(tree: ast.Module, named: list[str]) -> Iterator[OpenedCommand]:
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and any(map(_is_session, function.decorator_list)):
            name = next((n for d in function.decorator_list if (n := _name_given(d))), function.name)
            if not named or name in named or name.replace("_", "-") in named:
                yield from (OpenedCommand(command, f"nox {name}") for command in _session_commands(function))


def _is_session(decorator: ast.expr) -> bool:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")) == "session"


def _name_given(decorator: ast.expr) -> str:
    words = decorator.keywords if isinstance(decorator, ast.Call) else []
    values = [w.value.value for w in words if w.arg == "name" and isinstance(w.value, ast.Constant)]
    return str(values[0]) if values else ""


def _session_commands(function: ast.FunctionDef) -> Iterator[str]:
    for call in ast.walk(function):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "run"):
            continue
        words = []
        for argument in call.args:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                words.append(argument.value)
            elif not isinstance(argument, ast.Starred):  # `*session.posargs` is empty here
                raise NotPlain
        if words:
            yield _joined(words)


def _scripts(
    project: Mapping[str, object], env: str, script: str, given: list[str], depth: int = 0
) -> list[str] | None:
    """The lines of a script in [tool.hatch.envs.ENV.scripts]; None where there is no such script."""
    scripts = _table(project, "tool", "hatch", "envs", env, "scripts")
    raw = scripts.get(script)
    if raw is None or depth > MAX_DEPTH:
        return None
    lines: list[str] = []
    for line in raw if isinstance(raw, list) else [raw]:
        text = re.sub(r"\{args(?::([^{}]*))?\}", lambda found: _joined(given) or found[1] or "", str(line)).strip()
        text = text.removeprefix("- ")
        first, *rest = text.split(" ", 1) or [""]
        lines += _scripts(project, env, first, rest, depth + 1) or [text]
    return lines


def _table(root: object, *keys: str) -> Mapping[str, object]:
    for key in keys:
        root = root.get(key) if isinstance(root, dict) else None
    return root if isinstance(root, dict) else {}


def _after_options(words: list[str], kept: tuple[str, ...] = (), taking: frozenset[str] = RUN_OPTIONS) -> list[str]:
    """The words after the leading options, or after `--`."""
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] not in kept:
        if words[at] == "--":
            return words[at + 1 :]
        at += 2 if words[at] in taking else 1
    return words[at:]


def _words(line: str, variables: Mapping[str, str]) -> list[str] | None:
    """The words of one plain command, with known variables replaced; None for anything more than a plain command."""
    known = re.sub(
        r"\$(?:\{(\w+)\}|(\w+))", lambda found: variables.get(found[1] or found[2], found[0]), line.replace("\\\n", " ")
    )
    try:
        words = shlex.split(known, comments=True)
    except ValueError:
        return None
    return None if any(word in ENDS or "`" in word or "$(" in word for word in words) else words


def _joined(words: list[str]) -> str:
    """The words as a command; glob patterns stay unquoted."""
    return " ".join(word if re.fullmatch(r"[\w./*?\[\],:=@%+$\{}~-]+", word) else shlex.quote(word) for word in words)
