"""Finds failures that only moved: errors that a fix reveals and that fail in the very lines it wrote, or for want of a
definition that it took away.

A bracket closed in the wrong place parses, and everything it hid fails right there: that is no fix, however many errors
are gone. Nor is half of a renaming.
"""

import ast
import re
from collections.abc import Container, Iterable, Mapping
from difflib import SequenceMatcher

from healing.causes import Places
from healing.graph.python.syntax import parse
from healing.model import Category, CIError
from healing.verify.faults import GONE
from healing.verify.guard.meaning import only_layout_changed
from healing.verify.guard.reading.text import PYTHON, language_of
from healing.view import TreeView

DEFINITION = re.compile(
    rb"\b(?:def|class|function|func|fn|const|let|var|type|struct|interface|enum|trait|module)[ \t]+(\w{1,100})"
    rb"|^[ \t]*(\w{1,100})[ \t]*(?::[^=\n]{0,100})?=[^=]",
    re.M,
)
BY_FILE = {"ruff", "flake8"}  # linters that read nothing but the file (pylint follows imports)
ABOUT_FORM = {Category.LINT, Category.FORMAT}  # a line may well have a second such error that was hidden before


def errors_on_written_lines(
    revealed: Iterable[CIError], changed: Mapping[str, tuple[bytes | None, bytes | None]], view: TreeView
) -> tuple[CIError, ...]:
    """The revealed errors whose deepest frame in the repository is on a line that the change wrote; `view` is after
    it."""
    places, written = Places(view), {path: written_lines(old, new) for path, (old, new) in changed.items()}
    moved_errors = []
    for error in revealed:
        frames = places.frames(error)
        if error.category not in ABOUT_FORM and frames and frames[0][1] in written.get(frames[0][0], ()):
            moved_errors.append(error)
    return tuple(moved_errors)


def only_layout(changed: Mapping[str, tuple[bytes | None, bytes | None]], by_tool: bool) -> bool:
    """Whether the change is one of layout alone in every file: Python's syntax tree is the same, with the order of its
    imports; other languages have the same words, and a tool of the repository wrote them (`by_tool`), for line ends or
    brackets may carry a meaning there."""
    return all(
        _same_tree(*both) if language_of(path) == PYTHON else by_tool and only_layout_changed(path, *both)
        for path, both in changed.items()
    )


def _same_tree(old: bytes | None, new: bytes | None) -> bool:
    before, after = parse(old or b""), parse(new or b"")
    return before is not None and after is not None and ast.dump(before) == ast.dump(after)


def is_of_another_file(error: CIError, changed: Container[str]) -> bool:
    """Whether a tool that looks at each file by itself complains of a file that the change leaves alone. What a
    generator would write (git's diff of it) depends on other files."""
    by_file = (error.category is Category.FORMAT and error.tool != "git") or error.tool in BY_FILE
    return by_file and error.file is not None and error.file not in changed


def form_errors_on_written_lines(
    revealed: Iterable[CIError], changed: Mapping[str, tuple[bytes | None, bytes | None]]
) -> tuple[CIError, ...]:
    """The revealed errors about form on lines that the change wrote: one formatter's layout may be another's error. One
    that names no file or no line may be anywhere in it."""
    written = {path: written_lines(old, new) for path, (old, new) in changed.items()}

    def is_there(error: CIError) -> bool:
        return error.file is None or (error.file in written and (not error.line or error.line in written[error.file]))

    return tuple(error for error in revealed if error.category in ABOUT_FORM and is_there(error))


def errors_for_want_of(
    revealed: Iterable[CIError], changed: Mapping[str, tuple[bytes | None, bytes | None]]
) -> tuple[CIError, ...]:
    """The revealed errors that report a name as missing whose definition the change took away."""
    taken: set[str] = set()
    for old, new in changed.values():
        taken |= defined(old or b"") - defined(new or b"")
    return tuple(e for e in revealed if taken & {n for match in GONE.finditer(e.message) for n in match.groups() if n})


def defined(text: bytes) -> set[str]:
    """The names that a file seems to define, whatever its language."""
    return {(first or second).decode() for first, second in DEFINITION.findall(text)}


def written_lines(old: bytes | None, new: bytes | None) -> frozenset[int]:
    """The line numbers of `new`, from 1, that differ from `old`."""
    before, after = (old or b"").splitlines(), (new or b"").splitlines()
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return frozenset(line + 1 for kind, _, _, start, end in blocks if kind != "equal" for line in range(start, end))
