"""Prettier with --write."""

from dataclasses import dataclass

from healing.model import CIError
from healing.repair.tools.call import Call
from healing.repair.tools.node import node_calls
from healing.repair.tools.runner import reported_by
from healing.repair.tools.settings import ToolConfig

ENDINGS = ("", ".json", ".json5", ".yaml", ".yml", ".toml", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts")
CONFIGS = (*(f".prettierrc{ending}" for ending in ENDINGS), *(f"prettier.config{ending}" for ending in ENDINGS[6:]))
OPTIONS = frozenset({"--config", "--ignore-path", "--plugin", "--parser", "--config-precedence", "--print-width"})
RULE = "prettier/prettier"  # the rule of ESLint's Prettier plugin


@dataclass(frozen=True)
class Prettier:
    """`--ignore-unknown` makes it skip files that it can't format."""

    name: str = "prettier"

    def used(self, tool_config: ToolConfig) -> bool:
        own = tool_config.has(*CONFIGS) or tool_config.depends_on("prettier")
        own = own or any("prettier" in manifest for manifest in tool_config.packages.values())
        return own or bool(tool_config.called("prettier") or "prettier" in tool_config.hooks)

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        return reported_by(errors, ("prettier",), ("prettier",), rule=RULE)

    def calls(
        self, files: tuple[str, ...], _errors: tuple[CIError, ...], tool_config: ToolConfig, /
    ) -> tuple[Call, ...]:
        options = tool_config.options("prettier", OPTIONS)
        return node_calls(files, tool_config, ("prettier", "--write", "--ignore-unknown", "--log-level=warn", *options))
