"""ESLint with --fix."""

from dataclasses import dataclass

from healing.model import CIError
from healing.repair.tools.call import Call
from healing.repair.tools.node import JAVASCRIPT, node_calls
from healing.repair.tools.runner import reported_by
from healing.repair.tools.settings import ToolConfig, with_ending

CONFIGS = tuple(f"eslint.config.{ending}" for ending in ("js", "mjs", "cjs", "ts", "mts", "cts"))
OLD_CONFIGS = tuple(f".eslintrc{ending}" for ending in ("", ".js", ".cjs", ".json", ".yml", ".yaml"))
OPTIONS = frozenset({"-c", "--config", "--ignore-path", "--ext", "--rulesdir", "--resolve-plugins-relative-to"})
FLAGS = frozenset({"--no-eslintrc", "--report-unused-disable-directives", "--quiet"})
ENDINGS = (*JAVASCRIPT, ".vue", ".svelte", ".astro")


@dataclass(frozen=True)
class Eslint:
    """Exit code 1 means that problems are left; 2 is a crash. Files that the repo ignores are skipped with a
    warning."""

    name: str = "eslint"

    def used(self, tool_config: ToolConfig) -> bool:
        own = tool_config.has(*CONFIGS, *OLD_CONFIGS) or tool_config.depends_on("eslint")
        return own or bool(tool_config.called("eslint") or "eslint" in tool_config.hooks)

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        return reported_by(errors, ("eslint",), ("eslint",))

    def calls(
        self, files: tuple[str, ...], _errors: tuple[CIError, ...], tool_config: ToolConfig, /
    ) -> tuple[Call, ...]:
        argv = ("eslint", "--fix", *eslint_options(tool_config))
        return node_calls(with_ending(files, ENDINGS), tool_config, argv, codes=(0, 1))


def eslint_options(tool_config: ToolConfig) -> tuple[str, ...]:
    """The options with which the repo's own call names its settings."""
    return tool_config.options("eslint", OPTIONS, FLAGS)
