"""The commands that developers of a repository usually type, for repositories where neither workflow files nor
`heal.yml` name any.

Each follows from a file of the repository; a linter that is not configured, for example, is never guessed.
"""

import configparser
import json
import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from healing.view import TreeView

MAKERS = frozenset({"tox", "nox"})  # create environments and run other commands in them; those are wanted here
MANAGERS = (("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun"), ("bun.lockb", "bun"))
SCRIPTS = ("test", "lint", "typecheck", "type-check", "check-types", "types", "tsc", "typescript")
NO_TEST = "no test specified"  # in the script that `npm init` writes
GOALS = ("test", "tests", "check", "lint")
PYTHON_FILES = ("pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "noxfile.py")
A_TEST = re.compile(r"(?:^|/)(?:test_[^/]{1,200}|[^/]{1,200}_test)\.py\Z")
OF_PYTEST = re.compile(
    rb"^(?:import pytest\b|from pytest\b|(?:async )?def test_)", re.MULTILINE
)  # unittest's tests are methods
GOAL = re.compile(r"^([a-z][a-z-]{0,30})[ \t]{0,9}:(?!=)", re.MULTILINE)
MAX_TESTS = 50  # test files that are read
MAX_BYTES = 1 << 20


@dataclass(frozen=True)
class UsualCommand:
    """A command, and the file that it follows from. `optional`: only where its program is installed."""

    command: str
    file: str
    optional: bool = False


def usual_commands(view: TreeView) -> tuple[UsualCommand, ...]:
    """The usual commands of a tree, tests first; empty where no file suggests any. pre-commit hooks are not
    included."""
    repo = _Repo(view)
    commands = [*_python(repo), *_node(repo), *_go(repo), *_rust(repo)]
    return tuple(commands or _make(repo))


class _Repo:
    """The top-level files of a tree."""

    def __init__(self, view: TreeView) -> None:
        self.view = view
        self.paths = view.paths()
        self.top = frozenset(path for path in self.paths if "/" not in path)

    def text(self, path: str) -> str:
        data = self.view.read(path) if path in self.top else None
        return "" if data is None or len(data) > MAX_BYTES else data.decode(errors="replace")

    def toml(self, path: str) -> dict[str, Any]:  # any TOML value
        with suppress(tomllib.TOMLDecodeError, RecursionError):
            return tomllib.loads(self.text(path))
        return {}

    def sections(self, path: str) -> configparser.RawConfigParser:
        parser = configparser.RawConfigParser(strict=False)
        with suppress(configparser.Error):
            parser.read_string(self.text(path))
        return parser


def _python(repo: _Repo) -> Iterator[UsualCommand]:
    tool = repo.toml("pyproject.toml").get("tool")
    tools: dict[str, Any] = tool if isinstance(tool, dict) else {}
    maker = _maker(repo, tools)
    if maker:
        yield maker
        return
    yield from _python_tests(repo)
    if ".pre-commit-config.yaml" not in repo.top:
        yield from _python_linters(repo, tools)


def _maker(repo: _Repo, tools: dict[str, Any]) -> UsualCommand | None:
    for file in ("tox.ini", "tox.toml"):
        if file in repo.top:
            return UsualCommand("tox", file)
    if "tox" in tools:
        return UsualCommand("tox", "pyproject.toml")
    return UsualCommand("nox", "noxfile.py") if "noxfile.py" in repo.top else None


def _python_tests(repo: _Repo) -> Iterator[UsualCommand]:
    config_files = [
        name for name in repo.top if name in PYTHON_FILES or re.fullmatch(r".{0,50}requirements.{0,50}\.txt", name)
    ]
    config_with_pytest = next((name for name in sorted(config_files) if "pytest" in repo.text(name)), "")
    tests = [path for path in repo.paths if A_TEST.search(path)]
    pytest_file = next((path for path in tests[:MAX_TESTS] if OF_PYTEST.search(repo.view.read(path) or b"")), "")
    if config_with_pytest or pytest_file or any(path.endswith("conftest.py") for path in repo.paths):
        yield UsualCommand("pytest", config_with_pytest or pytest_file or "conftest.py")
    elif tests:
        yield UsualCommand("python -m unittest", tests[0])


def _python_linters(repo: _Repo, tools: dict[str, Any]) -> Iterator[UsualCommand]:
    setup = repo.sections("setup.cfg")

    def configured(name: str, *files: str) -> str:
        own = next((file for file in files if file in repo.top), "")
        in_tools = "pyproject.toml" if name in tools else ""
        return own or in_tools or ("setup.cfg" if setup.has_section(name) else "")

    for command, file in (
        ("ruff check .", configured("ruff", "ruff.toml", ".ruff.toml")),
        ("black --check .", configured("black")),
        ("flake8", configured("flake8", ".flake8")),
    ):
        if file:
            yield UsualCommand(command, file, optional=True)
    mypy_settings = tools.get("mypy")
    names_files = isinstance(mypy_settings, dict) and not {"files", "packages", "modules"}.isdisjoint(mypy_settings)
    if names_files or any(repo.sections(name).has_option("mypy", "files") for name in ("mypy.ini", "setup.cfg")):
        yield UsualCommand("mypy", configured("mypy", "mypy.ini"), optional=True)


def _node(repo: _Repo) -> Iterator[UsualCommand]:
    try:
        package = json.loads(repo.text("package.json") or "{}")
    except (ValueError, RecursionError):
        return
    scripts = package.get("scripts") if isinstance(package, dict) else None
    if not isinstance(scripts, dict):
        return
    manager = next((name for lock, name in MANAGERS if lock in repo.top), "npm")
    for name in SCRIPTS:
        script = scripts.get(name)
        if isinstance(script, str) and script.strip() and NO_TEST not in script:
            yield UsualCommand(f"{manager} test" if name == "test" else f"{manager} run {name}", "package.json")


def _go(repo: _Repo) -> Iterator[UsualCommand]:
    if "go.mod" in repo.top:
        yield UsualCommand("go test ./...", "go.mod")
        yield UsualCommand("go vet ./...", "go.mod")


def _rust(repo: _Repo) -> Iterator[UsualCommand]:
    if "Cargo.toml" not in repo.top:
        return
    yield UsualCommand("cargo test", "Cargo.toml")
    for command, files in (
        ("cargo fmt --check", ("rustfmt.toml", ".rustfmt.toml")),
        ("cargo clippy", ("clippy.toml", ".clippy.toml")),
    ):
        for file in files:
            if file in repo.top:
                yield UsualCommand(command, file)


def _make(repo: _Repo) -> Iterator[UsualCommand]:
    file = next((name for name in ("GNUmakefile", "makefile", "Makefile") if name in repo.top), "")
    goals = set(GOAL.findall(repo.text(file))) if file else set()
    yield from (UsualCommand(f"make {goal}", file) for goal in GOALS if goal in goals)
