"""Linters that bundle ESLint and its settings: XO, standard and its relatives."""

from dataclasses import dataclass

from healing.model import CIError
from healing.repair.tools.call import Call
from healing.repair.tools.eslint import ENDINGS
from healing.repair.tools.node import node_calls
from healing.repair.tools.runner import reported_by
from healing.repair.tools.settings import ToolConfig, with_ending

OPTIONS = frozenset({"--env", "--global", "--globals", "--parser", "--plugin", "--space", "--ext", "--extension"})
FLAGS = frozenset({"--space", "--semicolon", "--no-semicolon", "--prettier", "--node-version", "--ts"})


@dataclass(frozen=True)
class EslintInside:
    """Their output has ESLint's format or standard's. Exit code 1 means that problems are left."""

    name: str

    def used(self, tool_config: ToolConfig) -> bool:
        return bool(tool_config.depends_on(self.name) or tool_config.called(self.name))

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        return reported_by(errors, ("eslint", "standard", self.name), (self.name,))

    def calls(
        self, files: tuple[str, ...], _errors: tuple[CIError, ...], tool_config: ToolConfig, /
    ) -> tuple[Call, ...]:
        argv = (self.name, "--fix", *tool_config.options(self.name, OPTIONS, FLAGS))
        return node_calls(with_ending(files, ENDINGS), tool_config, argv, codes=(0, 1))


XO, STANDARD = EslintInside("xo"), EslintInside("standard")
SEMISTANDARD, TS_STANDARD = EslintInside("semistandard"), EslintInside("ts-standard")
