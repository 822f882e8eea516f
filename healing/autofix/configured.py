"""A tool that the repo's heal.yml names for its repairs."""

from dataclasses import dataclass

from healing.autofix.call import Call
from healing.autofix.settings import Habits
from healing.model import Category, CIError, Frozen

KINDS = {Category.FORMAT, Category.LINT}


class NamedTool(Frozen):
    """`run` is a bash command for the repo's top folder; the files to mend are its arguments, `"$@"`."""

    name: str
    run: str


@dataclass(frozen=True)
class Configured:
    """It wants what a tool of its name told, else everything about style; the door says what it really cures."""

    tool: NamedTool

    @property
    def name(self) -> str:
        return self.tool.name

    def used(self, _habits: Habits) -> bool:
        return True

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        own = tuple(e for e in errors if e.tool == self.name)
        return own or tuple(e for e in errors if e.category in KINDS)

    def calls(self, files: tuple[str, ...], _errors: tuple[CIError, ...], _habits: Habits, /) -> tuple[Call, ...]:
        return (Call(("bash", "-e", "-o", "pipefail", "-c", self.tool.run, self.name, *files)),)
