"""What a repo's own settings say about its tools; read as data, a broken file says nothing."""

import re
import tomllib
from collections.abc import Iterable
from typing import Any

from healing.view import TreeView


def tool_table(view: TreeView, tool: str) -> dict[str, Any] | None:
    """The `[tool.<tool>]` table of pyproject.toml; None where there is none."""
    try:
        table = tomllib.loads((view.read("pyproject.toml") or b"").decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return None
    tools = table.get("tool")
    found = tools.get(tool) if isinstance(tools, dict) else None
    return found if isinstance(found, dict) else None


def hook_ids(view: TreeView) -> frozenset[str]:
    """The ids of the hooks in .pre-commit-config.yaml."""
    text = (view.read(".pre-commit-config.yaml") or b"").decode("utf-8", "replace")
    return frozenset(re.findall(r"^\s*-?\s*id:\s*[\"']?([\w.-]+)", text, re.MULTILINE))


def called(commands: tuple[str, ...], tool: str) -> tuple[str, ...]:
    """What follows each call of `tool` in shell commands: `("check . --fix",)` for `python -m ruff check . --fix`."""
    found: list[str] = []
    for command in (part for text in commands for part in re.split(r"[;&|\n]+", text)):
        if not re.search(r"\b(?:install|add|sync)\b", command):
            found += re.findall(rf"(?:^|[\s/(]){re.escape(tool)}(?:@\S+)?(?=\s|$)(.*)", command)
    return tuple(rest.strip() for rest in found)


def python_files(files: Iterable[str]) -> tuple[str, ...]:
    """The Python files among `files`, sorted, each once."""
    return tuple(sorted({file for file in files if file.endswith((".py", ".pyi"))}))
