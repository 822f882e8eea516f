"""Black, the formatter."""

import re
from dataclasses import dataclass

from healing.autofix.settings import called, hook_ids, python_files, tool_table
from healing.model import CIError
from healing.view import TreeView


@dataclass(frozen=True)
class Black:
    """Black doesn't obey `exclude` and .gitignore for files that it is handed by name, only for those that it finds;
    so it is sent over the whole repo with a pattern that nothing but the wanted files match."""

    name: str = "black"

    def used(self, view: TreeView, commands: tuple[str, ...]) -> bool:
        if called(commands, "black") or tool_table(view, "black") is not None:
            return True
        return bool(hook_ids(view) & {"black", "black-jupyter"})

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.tool == "black")

    def argv(self, files: tuple[str, ...], _errors: tuple[CIError, ...], /) -> tuple[str, ...]:
        chosen = python_files(files)
        if not chosen:
            return ()
        # Not anchored at the start: where there is no .git, Black takes the path from the root of the file system.
        pattern = f"(?:^|/)(?:{'|'.join(re.escape(file) for file in chosen)})$"
        return ("black", "--quiet", "--include", pattern, ".")
