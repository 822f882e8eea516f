"""Go: a verb of a format string that doesn't fit its argument's type, which `go vet` names."""

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

WRONG = re.compile(r"format (%[-+# 0\d.]{0,10}[a-zA-Z]) has arg [^\n]{1,300} of wrong type (\S{1,100})")
INTEGER = re.compile(r"u?int(?:8|16|32|64)?\Z")
WRAPPED = 5  # lines of a call
VERBS = {"string": "s", "bool": "t", "error": "v"}


@dataclass(frozen=True)
class GoFormat:
    """Only for types with one plain verb, and where the wrong one stands once on the line, or in the call that begins
    there."""

    name: str = "go-format"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.line and (e.file or "").endswith(".go") and WRONG.search(e.message[:1000]))

    def calls(
        self, _files: tuple[str, ...], _errors: tuple[CIError, ...], _tool_config: ToolConfig
    ) -> tuple[Call, ...]:
        return ()

    def read(self, _answer: str, errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        for error, line in reported_lines(errors, view):
            wrong = WRONG.search(error.message[:1000])
            verb = _verb(wrong[2]) if wrong else ""
            old = wrong[1].encode() if wrong else b""
            call = _call(view.read(line.file) or b"", line.start, old)
            if verb and call.count(old) == 1:
                at = line.start + call.index(old)
                new = old[:-1] + verb.encode()
                spans = {line.file: (EditSpan(at, at + len(old), new),)}
                yield Suggestion(line.file, line.number, f"Write `{new.decode()}`", spans, LIKELY)


def _call(data: bytes, start: int, verb: bytes) -> bytes:
    """The reported line, where it has the verb, else that line with those below it: a call may be wrapped."""
    line = data[start:].partition(b"\n")[0]
    return line if verb in line else b"\n".join(data[start:].split(b"\n", WRAPPED)[:WRAPPED])


def _verb(type_name: str) -> str:
    return "d" if INTEGER.match(type_name) else VERBS.get(type_name, "")
