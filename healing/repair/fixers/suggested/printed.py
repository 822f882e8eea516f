"""Suggestions in the log itself: the intended name printed beside the wrong one. No tool has to be run."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from healing.edits.exact import EditSpan
from healing.model import CIError
from healing.repair.fixers.suggested.suggestion import LIKELY, Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig
from healing.view import TreeView

QUOTED = r"[\"'`‘’“]([A-Za-z_$][\w$-]{0,100})[\"'`’”]"
NAMED = re.compile(QUOTED)
DID_YOU_MEAN = re.compile(
    rf"(?:[Dd]id you mean(?: to (?:write|use|call))?|[Mm]aybe(?: you meant)?|similar name(?: exists)?|"
    rf"but does have(?: (?:field|method))?)[:,]? {{0,2}}(?:[a-z]{{1,20}} )?{QUOTED}?"
)
SEVERAL = re.compile(rf"{QUOTED}(?:,| or,?) {{0,2}}{QUOTED}")
BARE = re.compile(r"(?:but does have (?:field |method )?|Did you mean\?  )([A-Za-z_]\w{0,100})")
SELECTOR = re.compile(r"\.([A-Za-z_]\w{0,100}) undefined \(")  # Go: `t.name undefined (type T has no field …)`
LIMIT = 2000  # characters of a message that are read


@dataclass(frozen=True)
class PrintedName:
    """Only where exactly one name is suggested: of several it is unclear which is meant."""

    name: str = "did-you-mean"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.file and e.line and pair(e))

    def calls(
        self, _files: tuple[str, ...], _errors: tuple[CIError, ...], _tool_config: ToolConfig
    ) -> tuple[Call, ...]:
        return ()

    def read(self, _answer: str, errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        for error in errors:
            names = pair(error)
            data = view.read(error.file or "")
            span = word_at(data, error, *names) if names and data is not None else None
            if span and names and error.file and error.line:
                title = f"Write `{names[1]}` for `{names[0]}`"
                codes = (error.code,) if error.code else ()
                yield Suggestion(error.file, error.line, title, {error.file: (span,)}, LIKELY, codes)


def pair(error: CIError) -> tuple[str, str] | None:
    """(the wrong name, the intended one) of an error that names both."""
    text = f"{error.message[:LIMIT]}\n{(error.suggestion or '')[:LIMIT]}"
    meant = {*filter(None, DID_YOU_MEAN.findall(text)), *BARE.findall(text)}
    if len(meant) != 1 or SEVERAL.search(text):
        return None
    (right,) = meant
    wrong = [name for name in (*SELECTOR.findall(text), *NAMED.findall(text)) if name != right]
    return (max(wrong, key=lambda name: _likeness(name, right)), right) if wrong else None


def _likeness(name: str, other: str) -> float:
    return SequenceMatcher(None, name.lower(), other.lower()).ratio()


def word_at(data: bytes, error: CIError, wrong: str, right: str) -> EditSpan | None:
    """`right` in place of the wrong name in the error's line: at its column, or where it is the only occurrence
    there."""
    lines = data.split(b"\n")
    if not error.line or error.line > len(lines):
        return None
    start = sum(len(line) + 1 for line in lines[: error.line - 1])
    word = re.compile(rb"(?<![\w$])" + re.escape(wrong.encode()) + rb"(?![\w$])")
    offsets = [match.start() for match in word.finditer(lines[error.line - 1])]
    named = [at for at in offsets if error.column and at == error.column - 1]
    at = (named or offsets)[0] if len(named or offsets) == 1 else None
    return None if at is None else EditSpan(start + at, start + at + len(wrong.encode()), right.encode())
