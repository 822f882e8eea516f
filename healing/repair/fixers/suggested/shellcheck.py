"""ShellCheck's own fixes, from its JSON report: quotes above all."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from healing.edits.exact import EditSpan
from healing.model import CIError
from healing.repair.fixers.suggested.suggester import objects
from healing.repair.fixers.suggested.suggestion import LIKELY, Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig
from healing.view import TreeView

WITH_VALUE = frozenset({"-s", "--shell", "-e", "--exclude", "-i", "--include", "-o", "--enable", "-P", "--source-path"})
FLAGS = frozenset({"-x", "--external-sources", "-a", "--check-sourced", "--norc"})


@dataclass(frozen=True)
class Shellcheck:
    """One fix for each of its findings, with the options that the repository calls it with."""

    name: str = "shellcheck"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.tool == "shellcheck" and e.file and e.line)

    def calls(self, files: tuple[str, ...], _errors: tuple[CIError, ...], tool_config: ToolConfig) -> tuple[Call, ...]:
        options = tool_config.options("shellcheck", WITH_VALUE, FLAGS)
        argv = ("shellcheck", "--format=json1", *options, *(f"./{file}" for file in files))
        return (Call(argv, codes=(0, 1)),) if files else ()

    def read(self, answer: str, _errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        for report in objects(answer):
            comments = report.get("comments") if isinstance(report, dict) else None
            for comment in comments if isinstance(comments, list) else ():
                try:
                    yield from _of_comment(comment, view)
                except (LookupError, TypeError, ValueError, AttributeError):
                    continue


def _of_comment(comment: dict[str, Any], view: TreeView) -> Iterator[Suggestion]:
    file = str(comment["file"]).removeprefix("./")
    data, replacements = view.read(file), (comment.get("fix") or {}).get("replacements") or ()
    if data is None or not replacements:
        return
    lines = data.decode("utf-8").splitlines(keepends=True)
    spans = tuple(_span(lines, replacement) for replacement in replacements)
    title = str(comment["message"])[:200]
    yield Suggestion(file, int(comment["line"]), title, {file: spans}, LIKELY, (f"SC{comment['code']}",))


def _span(lines: list[str], replacement: dict[str, Any]) -> EditSpan:
    """Its columns count characters from 1."""
    places = (
        (int(replacement["line"]), int(replacement["column"])),
        (int(replacement["endLine"]), int(replacement["endColumn"])),
    )
    start, end = (len("".join([*lines[: line - 1], lines[line - 1][: column - 1]]).encode()) for line, column in places)
    return EditSpan(start, end, str(replacement["replacement"]).encode())
