"""Biome, linter and formatter in one."""

from dataclasses import dataclass

from healing.model import CIError
from healing.repair.tools.call import Call
from healing.repair.tools.node import JAVASCRIPT, node_calls
from healing.repair.tools.runner import reported_by
from healing.repair.tools.settings import ToolConfig, with_ending

CONFIGS = ("biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc")
HOOKS = ("biome-check", "biome-ci", "biome-format", "biome-lint")
ENDINGS = (*JAVASCRIPT, ".json", ".jsonc", ".css", ".graphql", ".vue", ".svelte", ".astro")
OPTIONS = frozenset({"--config-path"})


@dataclass(frozen=True)
class Biome:
    """`check --write` applies safe fixes only, formats and sorts imports by the repo's settings. Exit code 1 means that
    problems are left."""

    name: str = "biome"

    def used(self, tool_config: ToolConfig) -> bool:
        own = tool_config.has(*CONFIGS) or tool_config.depends_on("@biomejs/biome")
        return own or bool(tool_config.called("biome") or tool_config.hooks & set(HOOKS))

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        return reported_by(errors, ("biome",), HOOKS)

    def calls(
        self, files: tuple[str, ...], _errors: tuple[CIError, ...], tool_config: ToolConfig, /
    ) -> tuple[Call, ...]:
        argv = ("biome", _half(tool_config), "--write", "--no-errors-on-unmatched", *biome_options(tool_config))
        return node_calls(with_ending(files, ENDINGS), tool_config, argv, codes=(0, 1))


def biome_options(tool_config: ToolConfig) -> tuple[str, ...]:
    """The options with which the repo's own call names its settings."""
    return tool_config.options("biome", OPTIONS)


def _half(tool_config: ToolConfig) -> str:
    """The subcommand: `lint` or `format` where the repo uses only one of them, otherwise `check`."""
    halves = {rest.split()[0] for rest in tool_config.called("biome") if rest.split()}
    return halves.pop() if len(halves) == 1 and halves <= {"lint", "format"} else "check"
