"""Prettier with --write."""

from dataclasses import dataclass

from healing.autofix.call import Call
from healing.autofix.node import node_calls
from healing.autofix.runner import told_by
from healing.autofix.settings import Habits
from healing.model import CIError

ENDINGS = ("", ".json", ".json5", ".yaml", ".yml", ".toml", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts")
CONFIGS = (*(f".prettierrc{ending}" for ending in ENDINGS), *(f"prettier.config{ending}" for ending in ENDINGS[6:]))
OPTIONS = frozenset({"--config", "--ignore-path", "--plugin", "--parser", "--config-precedence", "--print-width"})
RULE = "prettier/prettier"  # ESLint's, of its plugin


@dataclass(frozen=True)
class Prettier:
    """Which files it knows is its own affair: those that it doesn't are skipped."""

    name: str = "prettier"

    def used(self, habits: Habits) -> bool:
        own = habits.has(*CONFIGS) or habits.depends_on("prettier")
        own = own or any("prettier" in manifest for manifest in habits.packages.values())
        return own or bool(habits.called("prettier") or "prettier" in habits.hooks)

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        return told_by(errors, ("prettier",), ("prettier",), rule=RULE)

    def calls(self, files: tuple[str, ...], _errors: tuple[CIError, ...], habits: Habits, /) -> tuple[Call, ...]:
        options = habits.options("prettier", OPTIONS)
        return node_calls(files, habits, ("prettier", "--write", "--ignore-unknown", "--log-level=warn", *options))
