"""isort, which sorts imports."""

from dataclasses import dataclass

from healing.model import CIError
from healing.repair.tools.call import Call
from healing.repair.tools.runner import reported_by
from healing.repair.tools.settings import ToolConfig, python_files

OPTIONS = frozenset({"--settings-path", "--settings-file", "--settings", "--sp", "--profile"})


@dataclass(frozen=True)
class Isort:
    """`--filter-files` makes it apply its skip settings to files that are passed by name."""

    name: str = "isort"

    def used(self, tool_config: ToolConfig) -> bool:
        settings = tool_config.table("isort") is not None or tool_config.has(".isort.cfg")
        return settings or bool(tool_config.called("isort") or "isort" in tool_config.hooks)

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        return reported_by(errors, ("isort",), ("isort",))

    def calls(
        self, files: tuple[str, ...], _errors: tuple[CIError, ...], tool_config: ToolConfig, /
    ) -> tuple[Call, ...]:
        chosen = python_files(files)
        options = tool_config.options("isort", OPTIONS)
        return (Call(("isort", "--quiet", "--filter-files", *options, "--", *chosen)),) if chosen else ()
