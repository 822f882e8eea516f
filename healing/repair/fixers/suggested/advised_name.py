"""A replacement that a compiler or a linter names in its message, written where the old name stands."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.causes.stated import Stated, advice_of
from healing.edits.exact import EditSpan
from healing.graph import is_test
from healing.model import CIError
from healing.repair.fixers.suggested.printed import word_at
from healing.repair.fixers.suggested.suggestion import LIKELY, Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig
from healing.view import TreeView

# What these report is wrong where the new name doesn't exist. A linter would accept any name.
COMPILERS = ("rustc", "clippy", "cargo", "tsc", "typescript", "vue-tsc", "gcc", "clang", "g++", "go build")
SUCCESSOR = re.compile(r"deprecated|renamed|removed|replaced|superseded", re.I)
LIMIT = 2000  # characters of a message that are read
NOT_CODE = re.compile(rb"//.*|/\*.*?(?:\*/|\Z)|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
PARTS = re.compile(r"\.|::")
MEMBER = re.compile(rb"(?:\.|::|->)\s*\Z")
Place = tuple[CIError, EditSpan]


@dataclass(frozen=True)
class AdvisedName:
    """Only the last part of a name changes (`box.get` → `box.fetch`), and a bare name only where a compiler is the
    judge: a linter wouldn't see that the new one isn't imported. Of a linter it has to be the old name's successor:
    what is merely unwanted (`substr`) may differ from what is preferred (`slice`). All places that a run reports come
    first, together: of an import and its uses, no half would compile."""

    name: str = "advised-name"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        placed = (e for e in errors if e.file and e.line and not e.file.endswith((".py", ".pyi")))
        return tuple(e for e in placed if (advice := advice_of(e)) and not advice.whole and len(advice.olds) == 1)

    def calls(
        self, _files: tuple[str, ...], _errors: tuple[CIError, ...], _tool_config: ToolConfig
    ) -> tuple[Call, ...]:
        return ()

    def read(self, _answer: str, errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        places: dict[tuple[str, str], list[Place]] = {}
        for error in errors:
            advice = advice_of(error)
            pair = _last_parts(advice) if advice else None
            if pair is not None:
                found = [(error, span) for span in _spans(error, *pair, view)]
                places.setdefault(pair, []).extend(found)
        for pair, found in places.items():
            yield from _together(pair, found)
            yield from (_suggestion(pair, error, {str(error.file): (span,)}, LIKELY) for error, span in found)


def _together(pair: tuple[str, str], found: list[Place]) -> Iterator[Suggestion]:
    """All places as one suggestion, for the error at the first of them; the product's alone where tests have some."""
    for some in (found, [(error, span) for error, span in found if not is_test(error.file or "")]):
        spans: dict[str, tuple[EditSpan, ...]] = {}
        for error, span in some:
            file = str(error.file)
            spans[file] = tuple(sorted({*spans.get(file, ()), span}, key=lambda one: one.start))
        if sum(map(len, spans.values())) > 1:
            yield _suggestion(pair, some[0][0], spans, LIKELY + 1)


def _suggestion(
    pair: tuple[str, str], error: CIError, spans: dict[str, tuple[EditSpan, ...]], certainty: int
) -> Suggestion:
    codes = (error.code,) if error.code else ()
    title = f"Use `{pair[1]}` instead of `{pair[0]}`"
    return Suggestion(str(error.file), error.line or 0, title, spans, certainty, codes)


def _last_parts(advice: Stated) -> tuple[str, str] | None:
    """(old, new) where only the last part of the name differs."""
    if len(advice.olds) != 1 or advice.whole or advice.plain:
        return None
    *old_owner, old = PARTS.split(advice.olds[0])
    *owner, new = PARTS.split(advice.new)
    private = new.startswith(("_", "#")) and not old.startswith(("_", "#"))
    return (old, new) if owner in ([], old_owner) and old != new and not private else None


def _spans(error: CIError, old: str, new: str, view: TreeView) -> list[EditSpan]:
    """The old name at the error's column, or where it is the only one on the line; for a compiler, all of the line: it
    reports the same place for two uses in one statement."""
    data = view.read(error.file or "")
    if data is None or not error.line:
        return []
    if error.tool in COMPILERS:
        return _of_line(data, error.line, old, new)
    span = word_at(data, error, old, new) or _behind(data, error, old, new)
    if span is None or not SUCCESSOR.search(error.message[:LIMIT]):
        return []
    start = data.rfind(b"\n", 0, span.start) + 1
    return [span] if MEMBER.search(data, start, span.start) else []


def _of_line(data: bytes, number: int, old: str, new: str) -> list[EditSpan]:
    """All uses of the old name on a line, outside of strings and comments."""
    lines = data.split(b"\n")
    line = lines[number - 1] if number <= len(lines) else b""
    start = sum(len(above) + 1 for above in lines[: number - 1])
    code = NOT_CODE.sub(lambda match: b" " * len(match[0]), line)
    word = re.compile(rb"(?<![\w$])" + re.escape(old.encode()) + rb"(?![\w$])")
    return [EditSpan(start + m.start(), start + m.end(), new.encode()) for m in word.finditer(code)]


def _behind(data: bytes, error: CIError, old: str, new: str) -> EditSpan | None:
    """The old name as the member of the expression that begins at the error's column (`text.substr`)."""
    lines = data.split(b"\n")
    if not error.line or not error.column or error.line > len(lines):
        return None
    member = re.compile(rb"[\w$]{1,100}(?:\.|::|->)" + re.escape(old.encode()) + rb"(?![\w$])")
    match = member.match(lines[error.line - 1], error.column - 1)
    if match is None:
        return None
    end = sum(len(line) + 1 for line in lines[: error.line - 1]) + match.end()
    return EditSpan(end - len(old.encode()), end, new.encode())
