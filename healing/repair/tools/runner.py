"""What a tool that fixes files by itself is to Heal: when it is used, what it fixes, how it is called."""

from typing import Protocol

from healing.model import CIError
from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig


class Runner(Protocol):
    """One tool. The caller runs it in a sandboxed worktree and looks at what changed; nothing is believed of it."""

    @property
    def name(self) -> str:
        """The tool's name as people know it: in the commit's subject and in `autofix:<name>`."""
        ...

    def used(self, tool_config: ToolConfig) -> bool:
        """Whether the repo itself uses the tool: its own settings name it, or the failing commands call it."""
        ...

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        """The errors that the tool might fix, in the order given."""
        ...

    def calls(self, files: tuple[str, ...], errors: tuple[CIError, ...], tool_config: ToolConfig) -> tuple[Call, ...]:
        """The commands, to be run one after the other: they touch at most `files`, obey the repo's settings, versions
        and ignore files, and end with an exit code of theirs when they could do their work (errors may be left).
        Empty: there is nothing for it to do."""
        ...


def reported_by(
    errors: tuple[CIError, ...], tools: tuple[str, ...], hooks: tuple[str, ...] = (), rule: str = ""
) -> tuple[CIError, ...]:
    """The errors that one of these tools told, by itself, as a hook of pre-commit with one of these ids, or as the rule
    of another tool that has it built in."""
    return tuple(
        e
        for e in errors
        if e.tool in tools or (e.tool == "pre-commit" and e.code in hooks) or (rule and e.code == rule)
    )
