"""A repo's own settings for its tools; read as data, and a broken file counts as empty."""

import json
import posixpath
import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from healing.view import TreeView

MANIFEST = "package.json"
VENDORED = ("node_modules/", "vendor/", "third_party/")
MAX_MANIFESTS = 200
SCRIPT = re.compile(r"(?:^|[\s;&|(])(?:npm|pnpm|yarn|bun)(?:\s+(?:run|run-script|-s|--silent))*\s+([\w:.-]{1,100})")


@dataclass(frozen=True)
class ToolConfig:
    """How a repo uses its tools: what its settings name, and what `commands`, those of the failed checks, call."""

    view: TreeView
    commands: tuple[str, ...] = ()

    def table(self, tool: str) -> dict[str, Any] | None:
        """The `[tool.<tool>]` table of pyproject.toml; None where there is none."""
        tools = self._pyproject.get("tool")
        tool_table = tools.get(tool) if isinstance(tools, dict) else None
        return tool_table if isinstance(tool_table, dict) else None

    @cached_property
    def _pyproject(self) -> dict[str, Any]:
        try:
            return tomllib.loads((self.view.read("pyproject.toml") or b"").decode("utf-8-sig"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
            return {}

    @cached_property
    def hooks(self) -> frozenset[str]:
        """The ids of the hooks in .pre-commit-config.yaml."""
        text = (self.view.read(".pre-commit-config.yaml") or b"").decode("utf-8", "replace")
        return frozenset(re.findall(r"^\s*-?\s*id:\s*[\"']?([\w.-]+)", text, re.MULTILINE))

    def called(self, tool: str) -> tuple[str, ...]:
        """The arguments of each call of `tool` in the commands and in the package scripts that they run: `("check .
        --fix",)` for `python -m ruff check . --fix`."""
        arguments: list[str] = []
        for command in (part for text in self._shell for part in re.split(r"[;&|\n]+", text)):
            if not re.search(r"(?<![-\w])(?:install|add|sync)\b", command):  # but `npx --no-install` calls
                arguments += re.findall(rf"(?:^|[\s/(]){re.escape(tool)}(?:@\S+)?(?=\s|$)(.*)", command)
        return tuple(rest.strip() for rest in arguments)

    @cached_property
    def _shell(self) -> tuple[str, ...]:
        """The commands, the package.json scripts that they run, and those that these run in turn."""
        scripts = [manifest.get("scripts") for manifest in self.packages.values()]
        known = {name: text for table in scripts if isinstance(table, dict) for name, text in table.items()}
        texts = list(self.commands)
        for text in texts:
            run = [known.pop(name, None) for name in SCRIPT.findall(text)]
            texts += [script for script in run if isinstance(script, str)]
        return tuple(texts)

    def options(self, tool: str, with_value: frozenset[str], flags: frozenset[str] = frozenset()) -> tuple[str, ...]:
        """Those of the given options that the first call of `tool` with any of them has: how the repo itself names its
        settings."""
        for rest in self.called(tool):
            if kept := tuple(_kept(_words(rest), with_value, flags)):
                return kept
        return ()

    def has(self, *paths: str) -> bool:
        """Whether one of these files exists, at the root or in a package's folder."""
        folders = {"", *(f"{folder}/" for folder in self.packages if folder != ".")}
        return any(self.view.mode(folder + path) for folder in folders for path in paths)

    @cached_property
    def packages(self) -> dict[str, dict[str, Any]]:
        """The package.json files by their folder, `.` for the root."""
        by_folder: dict[str, dict[str, Any]] = {}
        for path in self.view.paths():
            if posixpath.basename(path) == MANIFEST and not any(part in f"/{path}" for part in VENDORED):
                by_folder[posixpath.dirname(path) or "."] = _object(self.view.read(path))
                if len(by_folder) >= MAX_MANIFESTS:
                    break
        return by_folder

    def depends_on(self, package: str) -> bool:
        """Whether a package.json lists this npm package in any kind of dependencies."""
        kinds = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
        tables = [manifest.get(kind) for manifest in self.packages.values() for kind in kinds]
        return any(isinstance(table, dict) and package in table for table in tables)

    def package_of(self, file: str) -> str:
        """The folder of the nearest package.json at or above a file, `.` where there is none."""
        return self.nearest(file, MANIFEST)

    def nearest(self, file: str, name: str) -> str:
        """The nearest folder at or above that of `file` that contains a file called `name`; `.` where none does."""
        folder = posixpath.dirname(file)
        while folder and not self.view.mode(f"{folder}/{name}"):
            folder = posixpath.dirname(folder)
        return folder or "."


def with_ending(files: Iterable[str], endings: tuple[str, ...]) -> tuple[str, ...]:
    """The files with one of these endings, sorted, each once."""
    return tuple(sorted({file for file in files if file.endswith(endings)}))


def python_files(files: Iterable[str]) -> tuple[str, ...]:
    """The Python files among `files`, sorted, each once."""
    return with_ending(files, (".py", ".pyi"))


def _object(data: bytes | None) -> dict[str, Any]:
    try:
        value = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return []


def _kept(words: list[str], with_value: frozenset[str], flags: frozenset[str]) -> Iterator[str]:
    for at, word in enumerate(words):
        name, equals, _ = word.partition("=")
        if word in flags or (equals and name in with_value):
            yield word
        elif word in with_value and at + 1 < len(words):
            yield from (word, words[at + 1])
