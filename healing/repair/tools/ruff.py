"""Ruff's two commands: `ruff check --fix`, with safe fixes of the rules that CI reported, and `ruff format`."""

import re
from dataclasses import dataclass

from healing.model import Category, CIError
from healing.repair.tools.call import Call
from healing.repair.tools.runner import reported_by
from healing.repair.tools.settings import ToolConfig, python_files

CODE = re.compile(r"[A-Z]{1,10}[0-9]{1,4}")
LINT_HOOKS = ("ruff", "ruff-check")
FIX = ("ruff", "check", "--fix", "--no-unsafe-fixes", "--exit-zero", "--force-exclude", "--no-cache", "--quiet")
LEFT_BEHIND = "F401,I001"
"""Unused and unsorted imports: what fixes of other rules leave behind."""
CHOSEN_RULES = re.compile(r"--(?:extend-)?(?:select|ignore)\b|--isolated\b|--config\b")
"""Options that give a command other rules than the settings have."""


@dataclass(frozen=True)
class RuffCheck:
    """Unsafe fixes may change what the code does, so they are never applied, even where the repo's settings allow
    them."""

    name: str = "ruff"

    def used(self, tool_config: ToolConfig) -> bool:
        if any(not rest.startswith("format") for rest in tool_config.called("ruff")):
            return True
        return configured(tool_config) or bool(tool_config.hooks & set(LINT_HOOKS))

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        reported = reported_by(errors, ("ruff", "ruff-check"), LINT_HOOKS)
        return tuple(e for e in reported if e.tool == "pre-commit" or e.category is not Category.FORMAT)

    def calls(
        self, files: tuple[str, ...], errors: tuple[CIError, ...], tool_config: ToolConfig, /
    ) -> tuple[Call, ...]:
        chosen = python_files(files)
        if not chosen:
            return ()
        codes = sorted({e.code for e in self.wants(errors) if e.code and CODE.fullmatch(e.code)})
        # Only the rules that failed: a repo may tolerate others in files that this pull request didn't mean to touch.
        first = Call((*FIX, *(("--select", ",".join(codes)) if codes else ()), "--", *chosen))
        own_rules = any(CHOSEN_RULES.search(rest) for rest in tool_config.called("ruff"))
        if own_rules or not set(codes) - {*LEFT_BEHIND.split(",")}:
            return (first,)
        # `Optional[int]` turned into `int | None` leaves an import that nothing uses. The settings' own rules decide
        # whether that is an error, and nothing else is changed.
        return (first, Call((*FIX, "--fixable", LEFT_BEHIND, "--", *chosen)))


@dataclass(frozen=True)
class RuffFormat:
    """A repo that only lints with Ruff is not formatted: `[tool.ruff]` alone doesn't ask for it."""

    name: str = "ruff-format"

    def used(self, tool_config: ToolConfig) -> bool:
        if any(rest.startswith("format") for rest in tool_config.called("ruff")):
            return True
        return "format" in (tool_config.table("ruff") or {}) or "ruff-format" in tool_config.hooks

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        reported = reported_by(errors, ("ruff", "ruff-format"), ("ruff-format",))
        return tuple(e for e in reported if e.tool != "ruff" or e.category is Category.FORMAT)

    def calls(
        self, files: tuple[str, ...], _errors: tuple[CIError, ...], _tool_config: ToolConfig, /
    ) -> tuple[Call, ...]:
        chosen = python_files(files)
        argv = ("ruff", "format", "--force-exclude", "--no-cache", "--quiet", "--", *chosen)
        return (Call(argv),) if chosen else ()


def configured(tool_config: ToolConfig) -> bool:
    """Whether the repo has settings for Ruff."""
    return tool_config.table("ruff") is not None or tool_config.has("ruff.toml", ".ruff.toml")
