"""Go: the fixes that `go vet -json` names. An old Go names none."""

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
COMMAND = "go vet -json ./... 2>&1 || true"  # it writes to the one or the other, and fails where a package is broken
MOST_PACKAGES = 2000


@dataclass(frozen=True)
class GoVet:
    """Only where CI calls it."""

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
                    found: dict[str, tuple[EditSpan, ...]] = {}
                    for edit in fix["edits"]:
                        span = EditSpan(int(edit["start"]), int(edit["end"]), str(edit["new"]).encode())
                        found[str(edit["filename"])] = (*found.get(str(edit["filename"]), ()), span)
                    if found and all(view.mode(name) for name in found):
                        yield Suggestion(file, int(line), str(fix["message"])[:200], found, LIKELY)
            except (KeyError, TypeError, ValueError, AttributeError):
                continue


def diagnostics(answer: str) -> Iterator[dict[str, Any]]:
    """What each analysis reported of each package: JSON objects of several lines, each behind a line with its name."""
    decoder, at = json.JSONDecoder(), answer.find("{")
    for _ in range(MOST_PACKAGES):
        if at < 0:
            return
        try:
            packages, end = decoder.raw_decode(answer, at)
        except (ValueError, RecursionError):
            end = at + 1
            packages = {}
        for analyses in packages.values() if isinstance(packages, dict) else ():
            for found in analyses.values() if isinstance(analyses, dict) else ():
                yield from (
                    (diagnostic for diagnostic in found if isinstance(diagnostic, dict))
                    if isinstance(found, list)
                    else ()
                )
        at = answer.find("{", end)
