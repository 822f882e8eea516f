"""The tool that edits the scratch copy."""

from healing.repair.agents.fences import numbered, truncated
from healing.repair.agents.scratch import Scratch
from healing.repair.agents.tool_arguments import EditFile
from healing.repair.agents.tools.answer import ToolAnswer
from healing.verify.syntax import syntax_problems


class CopyEditor:
    """Edits one scratch copy."""

    def __init__(self, scratch: Scratch) -> None:
        self.scratch = scratch

    async def edit_file(self, arguments: EditFile) -> ToolAnswer:
        """Replaces text and shows the result."""
        before = await self.scratch.read(arguments.file)
        after = await self.scratch.edit(arguments.file, arguments.old_string, arguments.new_string)
        shown, broken = around(after, arguments.new_string), syntax_problems({arguments.file: (before, after)})
        if broken:
            notice = "Changed in your scratch copy, and now it does not parse: repair that before you hand it in."
            return ToolAnswer(notice, "\n".join([*broken, "", shown]))
        return ToolAnswer("Changed in your scratch copy. It now reads:", shown)


def around(data: bytes, new: str) -> str:
    """The lines with the new text and some around them, numbered."""
    lines = data.decode("utf-8", "replace").replace("\r\n", "\n").removesuffix("\n").split("\n")
    start = new.split("\n", maxsplit=1)[0]
    at = next((n for n, line in enumerate(lines) if start and start in line), 0)
    first = max(at - 3, 0)
    return truncated(numbered("\n".join(lines[first : at + new.count("\n") + 4]), first + 1), 4_000)
