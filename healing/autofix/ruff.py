"""Ruff's two halves: `ruff check --fix`, safe fixes of the rules that CI named, and `ruff format`."""

import re
from dataclasses import dataclass

from healing.autofix.settings import called, hook_ids, python_files, tool_table
from healing.model import Category, CIError
from healing.view import TreeView

CODE = re.compile(r"[A-Z]{1,10}[0-9]{1,4}")


@dataclass(frozen=True)
class RuffCheck:
    """Unsafe fixes may change what the code does, so they are never taken, even where the repo's settings allow it."""

    name: str = "ruff"

    def used(self, view: TreeView, commands: tuple[str, ...]) -> bool:
        if any(not rest.startswith("format") for rest in called(commands, "ruff")):
            return True
        return configured(view) or bool(hook_ids(view) & {"ruff", "ruff-check"})

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.tool in ("ruff", "ruff-check") and e.category is not Category.FORMAT)

    def argv(self, files: tuple[str, ...], errors: tuple[CIError, ...], /) -> tuple[str, ...]:
        chosen = python_files(files)
        if not chosen:
            return ()
        codes = sorted({e.code for e in self.wants(errors) if e.code and CODE.fullmatch(e.code)})
        # Only the rules that failed: a repo may tolerate others in files that this pull request never meant to touch.
        select = ("--select", ",".join(codes)) if codes else ()
        options = ("--fix", "--no-unsafe-fixes", "--exit-zero", "--force-exclude", "--no-cache", "--quiet")
        return ("ruff", "check", *options, *select, "--", *chosen)


@dataclass(frozen=True)
class RuffFormat:
    """A repo that only lints with Ruff is not formatted: `[tool.ruff]` alone is no wish for it."""

    name: str = "ruff-format"

    def used(self, view: TreeView, commands: tuple[str, ...]) -> bool:
        if any(rest.startswith("format") for rest in called(commands, "ruff")):
            return True
        return "format" in (tool_table(view, "ruff") or {}) or "ruff-format" in hook_ids(view)

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        return tuple(e for e in errors if _of_formatter(e))

    def argv(self, files: tuple[str, ...], _errors: tuple[CIError, ...], /) -> tuple[str, ...]:
        chosen = python_files(files)
        return ("ruff", "format", "--force-exclude", "--no-cache", "--quiet", "--", *chosen) if chosen else ()


def configured(view: TreeView) -> bool:
    """Whether the repo has settings for Ruff."""
    return tool_table(view, "ruff") is not None or any(view.mode(file) for file in ("ruff.toml", ".ruff.toml"))


def _of_formatter(error: CIError) -> bool:
    return error.tool == "ruff-format" or (error.tool == "ruff" and error.category is Category.FORMAT)
