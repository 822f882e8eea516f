"""Ruff's fixes including unsafe ones: these may change what the code does, so each is proven separately."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from healing.edits.exact import EditSpan
from healing.model import CIError
from healing.repair.fixers.suggested.offsets import Offsets
from healing.repair.fixers.suggested.suggester import objects
from healing.repair.fixers.suggested.suggestion import LIKELY, SURE, UNSURE, Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig, python_files
from healing.view import TreeView

SURENESS = {"safe": SURE, "unsafe": LIKELY, "display": UNSURE}


@dataclass(frozen=True)
class RuffSuggestions:
    """One suggestion for each place."""

    name: str = "ruff"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.tool in ("ruff", "ruff-check") and e.file and e.code)

    def calls(self, files: tuple[str, ...], errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[Call, ...]:
        codes = sorted({e.code for e in errors if e.code and e.code.isalnum()})
        chosen = python_files(files)
        options = ("--output-format=json", "--unsafe-fixes", "--no-fix", "--exit-zero", "--force-exclude", "--no-cache")
        argv = ("ruff", "check", *options, "--select", ",".join(codes), "--", *chosen)
        return (Call(argv),) if codes and chosen else ()

    def read(self, answer: str, _errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        for violation in objects(answer):
            try:
                if violation["fix"] and (data := view.read(violation["filename"])) is not None:
                    yield from of_violation(violation, str(violation["filename"]), Offsets(data))
            except (KeyError, TypeError, ValueError):
                continue


def of_violation(violation: dict[str, Any], file: str, offsets: Offsets) -> Iterator[Suggestion]:
    """The suggestion of one of Ruff's violations (`--output-format=json`) that has a fix. Raises KeyError, TypeError or
    ValueError where it is none."""
    fix, spans = violation["fix"], []
    for edit in fix["edits"]:
        start, end = (_byte(edit[place], offsets) for place in ("location", "end_location"))
        if start is None or end is None:
            return
        spans.append(EditSpan(start, end, str(edit["content"] or "").encode()))
    title = str(fix["message"] or violation["message"])[:200]
    certainty = SURENESS.get(fix["applicability"], UNSURE)
    yield Suggestion(
        file, int(violation["location"]["row"]), title, {file: tuple(spans)}, certainty, (str(violation["code"]),)
    )


def _byte(place: dict[str, int], offsets: Offsets) -> int | None:
    return offsets.at_characters(place["row"] - 1, place["column"] - 1)
