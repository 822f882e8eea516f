"""C: a variable or a `static` function that nothing uses, where the whole declaration is plain."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.edits.exact import EditSpan
from healing.model import CIError
from healing.repair.fixers.suggested.reported_line import ReportedLine, reported_lines
from healing.repair.fixers.suggested.suggestion import LIKELY, UNSURE, Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig
from healing.view import TreeView

ENDINGS = (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".m")
UNUSED = re.compile(
    r"unused (?P<kind>variable|function) [‘'`](?P<name>\w{1,100})[’']|"
    r"[‘'`](?P<defined>\w{1,100})[’'] defined but not used"
)
DECLARED = rb"[ \t]*[A-Za-z_][\w \t]{0,100}[ \t*]%b[ \t]*(?:\[[^\]\n]{0,60}\][ \t]*)?(?:=(?P<value>[^;\n]{1,300}))?;"
BEHIND = rb"[ \t\r]*(?://[^\n]*|/\*[^\n]*\*/)?[ \t\r]*"
ACTS = re.compile(rb"\(|\+\+|--|(?<![=!<>])=(?!=)")  # a value that calls or assigns is there for what it does
RETURNS = re.compile(rb"[ \t]*return\b")
ENDING = re.compile(rb"\}[ \t\r]*\Z")
COMMENT = re.compile(rb"[ \t]*(?://|/\*|\*)")
MAX_LINES = 100  # of a function that is removed


@dataclass(frozen=True)
class CUnused:
    """A variable goes with its line. A function goes with the comment above it, and with a mark: its use may be what is
    missing."""

    name: str = "c-unused"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if (e.file or "").endswith(ENDINGS) and UNUSED.search(e.message[:500]))

    def calls(
        self, _files: tuple[str, ...], _errors: tuple[CIError, ...], _tool_config: ToolConfig
    ) -> tuple[Call, ...]:
        return ()

    def read(self, _answer: str, errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        for error, line in reported_lines(errors, view):
            unused = UNUSED.search(error.message[:500])
            name = (unused["name"] or unused["defined"]) if unused else ""
            if unused and unused["kind"] == "variable" and _declares(line.text, name.encode()):
                end = line.start + len(line.text)
                spans = {line.file: (EditSpan(line.start, end, b""),)}
                yield Suggestion(line.file, line.number, f"Remove the unused variable `{name}`", spans, LIKELY)
            elif unused and unused["kind"] != "variable" and (span := _function(line, view.read(line.file) or b"")):
                title = f"Remove the unused function `{name}`"
                flags = (f"removes `{name}`: nothing calls it, and maybe something should",)
                yield Suggestion(line.file, line.number, title, {line.file: (span,)}, UNSURE, flags=flags)


def _declares(line: bytes, name: bytes) -> bool:
    """Whether a line declares the variable, and does nothing else."""
    declaration = re.fullmatch(DECLARED % re.escape(name) + BEHIND, line)
    return declaration is not None and not RETURNS.match(line) and not ACTS.search(declaration["value"] or b"")


def _function(line: ReportedLine, data: bytes) -> EditSpan | None:
    """A function that begins on a line with `static` at its start, up to the bracket that closes it at a line's
    start."""
    if not line.text.startswith(b"static "):
        return None
    lines = data.splitlines(keepends=True)
    first = line.number - 1
    body = lines[first : first + MAX_LINES]
    length = next((at for at, text in enumerate(body, 1) if ENDING.match(text.rstrip(b"\n"))), 0)
    if not length or any(text.rstrip().endswith(b";") for text in body[:1]):
        return None
    while first and COMMENT.match(lines[first - 1]):
        first -= 1
    end = line.number - 1 + length
    if end < len(lines) and not lines[end].strip() and (not first or not lines[first - 1].strip()):
        end += 1
    start = sum(map(len, lines[:first]))
    return EditSpan(start, start + sum(map(len, lines[first:end])), b"")
