"""C: a pointer to what is `const`, declared without the word."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.edits.exact import EditSpan
from healing.model import CIError
from healing.repair.fixers.suggested.reported_line import reported_lines
from healing.repair.fixers.suggested.suggestion import LIKELY, Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig
from healing.view import TreeView

DISCARDS = re.compile(
    r"initialization (?:of [^\n]{1,200} )?discards [‘'`]?const[’']? qualifier|"
    r"initializing [^\n]{1,200} discards qualifiers"
)
DECLARATION = re.compile(rb"([ \t]*)(?:(?:struct|enum|union|unsigned|signed)[ \t]+)?\w+[ \t]*\*[ \t]*\w+[ \t]*=(?!=)")


@dataclass(frozen=True)
class CConst:
    """Only where the variable is declared on the line: the compiler then shows whether something writes through it."""

    name: str = "c-const"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.line and (e.file or "").endswith(".c") and DISCARDS.search(e.message[:500]))

    def calls(
        self, _files: tuple[str, ...], _errors: tuple[CIError, ...], _tool_config: ToolConfig
    ) -> tuple[Call, ...]:
        return ()

    def read(self, _answer: str, errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        for _, line in reported_lines(errors, view):
            if declared := DECLARATION.match(line.text):
                at = line.start + declared.end(1)
                spans = {line.file: (EditSpan(at, at, b"const "),)}
                yield Suggestion(line.file, line.number, "Declare what is pointed to `const`", spans, LIKELY)
