"""What a tool that mends files by itself is to Heal: when it is used, what it cures, how it is called (AF-1)."""

from typing import Protocol

from healing.model import CIError
from healing.view import TreeView


class Runner(Protocol):
    """One tool. The caller runs it in a sandboxed worktree and looks at what changed; nothing is believed of it."""

    @property
    def name(self) -> str:
        """The tool's name as people know it: in the commit's subject and in `autofix:<name>`."""
        ...

    def used(self, view: TreeView, commands: tuple[str, ...]) -> bool:
        """Whether the repo itself uses the tool: its own settings name it, or the failing commands call it."""
        ...

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        """The errors that the tool might cure, in the order given."""
        ...

    def argv(self, files: tuple[str, ...], errors: tuple[CIError, ...], /) -> tuple[str, ...]:
        """The command, to be run at the repo's root: it touches at most `files`, obeys the repo's settings and ignore
        files, and exits 0 when it could do its work (errors may be left). Empty: there is nothing for it to do."""
        ...
