"""A proposal's edits as a diff for pages: removed and added lines, with syntax highlighting. Hostile code is
escaped."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import PurePosixPath
from typing import Any

from markupsafe import Markup

from healing.model import Edit, Proposal

MAX_LINES = 400  # per edit
MAX_LINE = 500
MAX_COLOURED = 20_000  # characters passed to a lexer
AROUND = 3
LEXERS = {
    ".py": "python", ".pyi": "python", ".js": "javascript", ".jsx": "javascript", ".mjs": "javascript",
    ".cjs": "javascript", ".ts": "typescript", ".tsx": "typescript", ".go": "go", ".rs": "rust", ".java": "java",
    ".kt": "kotlin", ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cs": "csharp", ".rb": "ruby", ".php": "php",
    ".yml": "yaml", ".yaml": "yaml", ".json": "json", ".toml": "toml", ".sh": "bash", ".css": "css", ".html": "html",
}  # fmt: skip


@dataclass(frozen=True)
class DiffLine:
    """One line: `sign` is ` `, `-` or `+`, or `…` for omitted lines."""

    sign: str
    code: Markup


@dataclass(frozen=True)
class FileDiff:
    """All edits of one file."""

    path: str
    kind: str
    rows: tuple[DiffLine, ...]


def diffs(proposal: Proposal) -> tuple[FileDiff, ...]:
    """Returns a diff for each file, in the order of the edits, with context lines if they are known."""
    files: dict[str, list[Edit]] = {}
    for edit in proposal.wide or proposal.edits:
        files.setdefault(edit.file, []).append(edit)
    return tuple(FileDiff(path, edits[0].kind, tuple(_rows(path, edits))) for path, edits in files.items())


def _rows(path: str, edits: list[Edit]) -> Iterator[DiffLine]:
    for number, edit in enumerate(edits):
        if number:
            yield DiffLine("…", Markup(""))
        old, new = _coloured(path, edit.old_string), _coloured(path, edit.new_string)
        yield from list(_changes(edit.old_string.splitlines(), edit.new_string.splitlines(), old, new))[:MAX_LINES]


def _changes(old: list[str], new: list[str], shown_old: list[Markup], shown_new: list[Markup]) -> Iterator[DiffLine]:
    if len(old) + len(new) > 2 * MAX_LINES:
        yield DiffLine("…", Markup("{} lines become {}: too many to show here").format(len(old), len(new)))
        return
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(AROUND):
        for tag, from_old, to_old, from_new, to_new in group:
            if tag == "equal":
                yield from (DiffLine(" ", code) for code in shown_old[from_old:to_old])
                continue
            yield from (DiffLine("-", code) for code in shown_old[from_old:to_old])
            yield from (DiffLine("+", code) for code in shown_new[from_new:to_new])


def _coloured(path: str, text: str) -> list[Markup]:
    """Returns the lines as HTML; without highlighting if there is no lexer, or the text is too long."""
    lines = text.splitlines()
    name = LEXERS.get(PurePosixPath(path).suffix.lower())
    if name is None or len(text) > MAX_COLOURED or any(len(line) > MAX_LINE for line in lines):
        return [Markup("{}").format(_visible(line)) for line in lines]
    rows: list[list[Markup]] = [[]]
    for kind, value in _tokens(name, "\n".join(lines)):
        for number, part in enumerate(value.split("\n")):
            if number:
                rows.append([])
            if part:
                rows[-1].append(Markup('<span class="{}">{}</span>').format(kind, _visible(part)))
    joined = [Markup("").join(parts) for parts in rows]
    return joined if len(joined) == len(lines) else [Markup("{}").format(_visible(line)) for line in lines]


def _tokens(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Yields classes of the style sheet (`k`, `s`, `c`, `m`, `f`) with their texts."""
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.token import Comment, Keyword, Name, Number, String  # type: ignore[import-untyped]

    looks: tuple[tuple[Any, str], ...] = (
        (Comment, "c"), (Keyword, "k"), (String, "s"), (Number, "m"), (Name.Function, "f"), (Name.Class, "f"),
        (Name.Decorator, "f"), (Name.Tag, "k"),
    )  # fmt: skip
    lexer = get_lexer_by_name(name, ensurenl=False, stripnl=False)
    for token, value in lexer.get_tokens(text):
        yield next((look for kind, look in looks if token in kind), ""), value


def _visible(text: str) -> str:
    """Cuts the text, and replaces characters that would reverse the line or hide part of it."""
    cut = text if len(text) <= MAX_LINE else text[:MAX_LINE] + "…"
    return "".join(char if char.isprintable() or char == "\t" else f"\\u{ord(char):04x}" for char in cut)
