"""A tool that the repo's heal.yml names for `autofix`."""

from dataclasses import dataclass

from pydantic import Field

from healing.model import Category, CIError, Frozen
from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig

KINDS = {Category.FORMAT, Category.LINT}


class NamedTool(Frozen):
    """One entry of `autofix` in heal.yml."""

    name: str = Field(
        pattern=r"^[A-Za-z][A-Za-z0-9._-]{0,40}$", description="What it is called in the commit and in reports."
    )
    run: str = Field(
        min_length=1,
        max_length=2000,
        description="A bash command for the repository's top folder; the files to fix are its arguments.",
    )


@dataclass(frozen=True)
class Configured:
    """Handles errors that a tool of its name reported, otherwise all style errors; the verifier finds out which it
    fixes."""

    tool: NamedTool

    @property
    def name(self) -> str:
        return self.tool.name

    def used(self, _tool_config: ToolConfig) -> bool:
        return True

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        own = tuple(e for e in errors if e.tool == self.name)
        return own or tuple(e for e in errors if e.category in KINDS)

    def calls(
        self, files: tuple[str, ...], _errors: tuple[CIError, ...], _tool_config: ToolConfig, /
    ) -> tuple[Call, ...]:
        return (Call(("bash", "-e", "-o", "pipefail", "-c", self.tool.run, self.name, *files)),)
