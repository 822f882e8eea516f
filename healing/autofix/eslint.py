"""ESLint with --fix."""

from dataclasses import dataclass

from healing.autofix.call import Call
from healing.autofix.node import JAVASCRIPT, node_calls
from healing.autofix.runner import told_by
from healing.autofix.settings import Habits, with_ending
from healing.model import CIError

CONFIGS = tuple(f"eslint.config.{ending}" for ending in ("js", "mjs", "cjs", "ts", "mts", "cts"))
OLD_CONFIGS = tuple(f".eslintrc{ending}" for ending in ("", ".js", ".cjs", ".json", ".yml", ".yaml"))
OPTIONS = frozenset({"-c", "--config", "--ignore-path", "--ext", "--rulesdir", "--resolve-plugins-relative-to"})
FLAGS = frozenset({"--no-eslintrc", "--report-unused-disable-directives", "--quiet"})
ENDINGS = (*JAVASCRIPT, ".vue", ".svelte", ".astro")


@dataclass(frozen=True)
class Eslint:
    """Exit code 1 says that problems are left; 2 is a crash. Files that the repo ignores are skipped with a warning."""

    name: str = "eslint"

    def used(self, habits: Habits) -> bool:
        own = habits.has(*CONFIGS, *OLD_CONFIGS) or habits.depends_on("eslint")
        return own or bool(habits.called("eslint") or "eslint" in habits.hooks)

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        return told_by(errors, ("eslint",), ("eslint",))

    def calls(self, files: tuple[str, ...], _errors: tuple[CIError, ...], habits: Habits, /) -> tuple[Call, ...]:
        argv = ("eslint", "--fix", *eslint_options(habits))
        return node_calls(with_ending(files, ENDINGS), habits, argv, codes=(0, 1))


def eslint_options(habits: Habits) -> tuple[str, ...]:
    """How the repo's own call names its settings."""
    return habits.options("eslint", OPTIONS, FLAGS)
