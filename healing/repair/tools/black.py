"""Black, the formatter."""

import re
from dataclasses import dataclass

from healing.model import CIError
from healing.repair.tools.call import Call
from healing.repair.tools.runner import reported_by
from healing.repair.tools.settings import ToolConfig, python_files

HOOKS = ("black", "black-jupyter")


@dataclass(frozen=True)
class Black:
    """Black applies `exclude` and .gitignore only to files that it finds, not to files passed by name; so it runs on
    the whole repo with an include pattern that matches only the wanted files."""

    name: str = "black"

    def used(self, tool_config: ToolConfig) -> bool:
        return (
            bool(tool_config.called("black") or tool_config.hooks & set(HOOKS))
            or tool_config.table("black") is not None
        )

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        return reported_by(errors, ("black",), HOOKS)

    def calls(
        self, files: tuple[str, ...], _errors: tuple[CIError, ...], _tool_config: ToolConfig, /
    ) -> tuple[Call, ...]:
        chosen = python_files(files)
        if not chosen:
            return ()
        # Not anchored at the start: where there is no .git, Black takes the path from the root of the file system.
        pattern = f"(?:^|/)(?:{'|'.join(re.escape(file) for file in chosen)})$"
        return (Call(("black", "--quiet", "--include", pattern, ".")),)
