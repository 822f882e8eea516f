"""Biome, linter and formatter in one."""

from dataclasses import dataclass

from healing.autofix.call import Call
from healing.autofix.node import JAVASCRIPT, node_calls
from healing.autofix.runner import told_by
from healing.autofix.settings import Habits, with_ending
from healing.model import CIError

CONFIGS = ("biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc")
HOOKS = ("biome-check", "biome-ci", "biome-format", "biome-lint")
ENDINGS = (*JAVASCRIPT, ".json", ".jsonc", ".css", ".graphql", ".vue", ".svelte", ".astro")
OPTIONS = frozenset({"--config-path"})


@dataclass(frozen=True)
class Biome:
    """`check --write` takes safe fixes alone, formats and sorts imports as the repo's settings say. Exit code 1 says
    that problems are left."""

    name: str = "biome"

    def used(self, habits: Habits) -> bool:
        own = habits.has(*CONFIGS) or habits.depends_on("@biomejs/biome")
        return own or bool(habits.called("biome") or habits.hooks & set(HOOKS))

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        return told_by(errors, ("biome",), HOOKS)

    def calls(self, files: tuple[str, ...], _errors: tuple[CIError, ...], habits: Habits, /) -> tuple[Call, ...]:
        argv = ("biome", _half(habits), "--write", "--no-errors-on-unmatched", *biome_options(habits))
        return node_calls(with_ending(files, ENDINGS), habits, argv, codes=(0, 1))


def biome_options(habits: Habits) -> tuple[str, ...]:
    """How the repo's own call names its settings."""
    return habits.options("biome", OPTIONS)


def _half(habits: Habits) -> str:
    """A repo that only formats with it, or only lints, wants nothing of the other half."""
    halves = {rest.split()[0] for rest in habits.called("biome") if rest.split()}
    return halves.pop() if len(halves) == 1 and halves <= {"lint", "format"} else "check"
