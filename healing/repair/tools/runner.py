"""The interface of tools that fix files by themselves: when a tool is used, which errors it may fix, how it is
called."""

from typing import Protocol

from healing.model import CIError
from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig


class Runner(Protocol):
    """One tool. The caller runs it in a sandboxed worktree and compares the files; the tool's own claims are not
    trusted."""

    @property
    def name(self) -> str:
        """The tool's usual name: in the commit's subject and in `autofix:<name>`."""
        ...

    def used(self, tool_config: ToolConfig) -> bool:
        """Whether the repo itself uses the tool: its own settings name it, or the failing commands call it."""
        ...

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        """The errors that the tool might fix, in the order given."""
        ...

    def calls(self, files: tuple[str, ...], errors: tuple[CIError, ...], tool_config: ToolConfig) -> tuple[Call, ...]:
        """The commands, to be run one after another: they touch at most `files`, obey the repo's settings, versions and
        ignore files, and exit with one of their `codes` when they succeeded (errors may be left). Empty: nothing to
        do."""
        ...


def reported_by(
    errors: tuple[CIError, ...], tools: tuple[str, ...], hooks: tuple[str, ...] = (), rule: str = ""
) -> tuple[CIError, ...]:
    """The errors that one of these tools reported, by itself, as a pre-commit hook with one of these ids, or as the
    rule of another tool that includes it."""
    return tuple(
        e
        for e in errors
        if e.tool in tools or (e.tool == "pre-commit" and e.code in hooks) or (rule and e.code == rule)
    )
