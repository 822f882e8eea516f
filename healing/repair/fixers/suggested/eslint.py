"""ESLint's fixes, one by one, and its suggestions, from its JSON report."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from healing.edits.exact import EditSpan
from healing.model import CIError
from healing.repair.fixers.suggested.offsets import Offsets
from healing.repair.fixers.suggested.suggester import objects
from healing.repair.fixers.suggested.suggestion import LIKELY, SURE, Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.eslint import ENDINGS, eslint_options
from healing.repair.tools.node import node_calls
from healing.repair.tools.settings import ToolConfig, with_ending
from healing.view import TreeView


@dataclass(frozen=True)
class EslintSuggestions:
    """Includes its fixes: where all of them together are refused, single ones may pass."""

    name: str = "eslint"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.tool == "eslint" and e.file and e.code)

    def calls(self, files: tuple[str, ...], _errors: tuple[CIError, ...], tool_config: ToolConfig) -> tuple[Call, ...]:
        argv = ("eslint", "--format", "json", *eslint_options(tool_config))
        return node_calls(with_ending(files, ENDINGS), tool_config, argv, codes=(0, 1))

    def read(self, answer: str, _errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        for report in objects(answer):
            try:
                file = str(report["filePath"])
                data = view.read(file)
                for message in report["messages"] if data is not None else ():
                    yield from _of_message(message, file, Offsets(data or b""))
            except (KeyError, TypeError, ValueError):
                continue


def _of_message(message: dict[str, Any], file: str, offsets: Offsets) -> Iterator[Suggestion]:
    rule = message.get("ruleId")
    alternatives = [(message.get("fix"), message["message"], SURE)]
    alternatives += [
        (suggestion["fix"], suggestion["desc"], LIKELY - 10 * n)
        for n, suggestion in enumerate(message.get("suggestions") or ())
    ]
    for fix, title, certainty in alternatives:
        if not fix or not rule:
            continue
        start, end = (offsets.of_units(int(place)) for place in fix["range"])
        if start is not None and end is not None:
            span = EditSpan(start, end, str(fix["text"]).encode())
            yield Suggestion(file, int(message["line"]), str(title)[:200], {file: (span,)}, max(certainty, 1), (rule,))
