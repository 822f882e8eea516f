"""Go: the fixes in the output of `go vet -json`. Older versions of Go have none."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from healing.edits.exact import EditSpan
from healing.model import CIError
from healing.repair.fixers.suggested.suggestion import LIKELY, Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig, with_ending
from healing.view import TreeView

TOOLS = ("go", "go vet", "go-test")
COMMAND = "go vet -json ./... 2>&1 || true"  # it writes to either stream, and fails if a package is broken
MAX_PACKAGES = 2000


@dataclass(frozen=True)
class GoVet:
    """Only where CI runs it."""

    name: str = "go-vet"

    def wants(self, errors: tuple[CIError, ...], tool_config: ToolConfig) -> tuple[CIError, ...]:
        called = any(rest.startswith("vet") for rest in tool_config.called("go"))
        return tuple(e for e in errors if called and e.tool in TOOLS and e.line and (e.file or "").endswith(".go"))

    def calls(self, files: tuple[str, ...], _errors: tuple[CIError, ...], tool_config: ToolConfig) -> tuple[Call, ...]:
        folders = sorted({tool_config.nearest(file, "go.mod") for file in with_ending(files, (".go",))})
        return tuple(Call(("bash", "-c", COMMAND), folder) for folder in folders)

    def read(self, answer: str, _errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        for diagnostic in diagnostics(answer):
            try:
                file, line, _ = str(diagnostic["posn"]).rsplit(":", 2)
                for fix in diagnostic.get("suggested_fixes") or ():
                    spans: dict[str, tuple[EditSpan, ...]] = {}
                    for edit in fix["edits"]:
                        span = EditSpan(int(edit["start"]), int(edit["end"]), str(edit["new"]).encode())
                        spans[str(edit["filename"])] = (*spans.get(str(edit["filename"]), ()), span)
                    if spans and all(view.mode(name) for name in spans):
                        yield Suggestion(file, int(line), str(fix["message"])[:200], spans, LIKELY)
            except (KeyError, TypeError, ValueError, AttributeError):
                continue


def diagnostics(answer: str) -> Iterator[dict[str, Any]]:
    """Yields what each analysis reported on each package: multi-line JSON objects, each after a line with the package's
    name."""
    decoder, at = json.JSONDecoder(), answer.find("{")
    for _ in range(MAX_PACKAGES):
        if at < 0:
            return
        try:
            packages, end = decoder.raw_decode(answer, at)
        except (ValueError, RecursionError):
            end = at + 1
            packages = {}
        for analyses in packages.values() if isinstance(packages, dict) else ():
            for reported in analyses.values() if isinstance(analyses, dict) else ():
                yield from (
                    (diagnostic for diagnostic in reported if isinstance(diagnostic, dict))
                    if isinstance(reported, list)
                    else ()
                )
        at = answer.find("{", end)
