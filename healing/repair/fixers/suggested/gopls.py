"""Go: gopls's quick fixes."""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, replace

from healing.edits.exact import EditSpan
from healing.model import CIError
from healing.repair.fixers.suggested.quick_fixes import asking, quick_fixes
from healing.repair.fixers.suggested.suggestion import LIKELY, SURE, Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig, with_ending
from healing.view import TreeView

TOOLS = ("go", "go vet", "go-test", "staticcheck", "golangci-lint", "gopls")
ANALYSES = {"analyses": {"unusedvariable": True, "fillreturns": True, "nonewvars": True, "noresultvalues": True}}
PROVEN = ("Delete import", "Add import", "Remove variable", "Organize")


@dataclass(frozen=True)
class Gopls:
    """Its codes are its own, so suggestions are matched to errors by line only."""

    name: str = "gopls"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.tool in TOOLS and (e.file or "").endswith(".go") and not e.test)

    def calls(self, files: tuple[str, ...], _errors: tuple[CIError, ...], tool_config: ToolConfig) -> tuple[Call, ...]:
        by_module: dict[str, list[str]] = {}
        for file in with_ending(files, (".go",)):
            folder = tool_config.nearest(file, "go.mod")
            by_module.setdefault(folder, []).append(posixpath.relpath(file, folder))
        return tuple(Call(asking(("gopls",), "go", names, ANALYSES), folder) for folder, names in by_module.items())

    def read(self, answer: str, _errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        for fix, _ in quick_fixes(answer, view):
            certainty = SURE if fix.title.startswith(PROVEN) else LIKELY
            spans = {file: _whole_lines(parts, view.read(file) or b"") for file, parts in fix.replacements.items()}
            yield replace(fix, codes=(), certainty=certainty, replacements=spans)


def _whole_lines(spans: tuple[EditSpan, ...], data: bytes) -> tuple[EditSpan, ...]:
    """Spans that take the indentation with a statement that they remove up to the next line."""
    starts = [data.rfind(b"\n", 0, span.start) + 1 for span in spans]
    return tuple(
        EditSpan(start, span.end, b"")
        if not span.new and data[span.start : span.end].endswith(b"\n") and not data[start : span.start].strip()
        else span
        for start, span in zip(starts, spans, strict=True)
    )
