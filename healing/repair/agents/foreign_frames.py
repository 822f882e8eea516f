"""Folds stack frames in a language's runtime or in packages: that code can't be edited, so an agent sees only their
number."""

import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

_PACKAGES = r"(?:site-packages|dist-packages|lib/python\d[\d.]{0,5})/"
_JVM = r"(?:java|javax|jdk|sun|kotlin|kotlinx|junit|org\.junit|org\.testng|org\.gradle|org\.apache\.maven)\."
_FRAME = re.compile(
    # JavaScript: in Node itself, or in a package.
    r"\s*(?:at )?(?:[^()\n]{0,200}\()?(?:node:[a-z]|internal/|[^()\n:]{0,300}node_modules/)[^\n]*:\d{1,9}\)?\s*\Z"
    # Java and Kotlin, by what a class's name begins with.
    rf"|\s*at (?:[\w.]{{1,60}}/)?{_JVM}[^\n]*\)\s*\Z"
    # Go's and Rust's own sources.
    r"|\s+(?:at )?/(?:usr/local/go|usr/lib/go[\w.-]{0,9}|rustc/[0-9a-f]{6,40})/[^\n]*:\d{1,9}[^\n]*\Z"
)
# Python: the line with the place, as the interpreter and pytest write it; its source lines follow indented.
_PYTHON = re.compile(
    rf"\s*File \"[^\"\n]{{0,300}}{_PACKAGES}[^\"\n]{{0,300}}\", line \d{{1,9}}"
    rf"|(?:\S{{0,300}}/)?{_PACKAGES}\S{{1,300}}:\d{{1,9}}: (?:in \S|[A-Z])"
)
_BETWEEN = re.compile(r"(?:_ ){9}")  # separates two frames
_FOREIGN_END = re.compile(rf"(?:(?:\S{{0,300}}/)?{_PACKAGES}\S{{1,300}}|<frozen [\w.]{{1,80}}>):\d{{1,9}}: [A-Z]")
_SOURCE = re.compile(r"    (?!\s*File \")|  \s*\^")
OF_MESSAGE = re.compile(r"in [\w.<>]{1,200}\Z")  # all that is known about a frame in a file outside the repository


def fold_foreign_frames(text: str) -> str:
    """A log excerpt in which runs of frames of the runtime and of packages are one line each."""
    rows: list[str] = []
    for foreign, marked in groupby(_marked(_without_foreign_code(text.split("\n"))), key=itemgetter(1)):
        lines = [line for line, _ in marked]
        count = sum(bool(_FRAME.match(line)) or not _SOURCE.match(line) for line in lines) if foreign else 0
        rows += [f"    (… {count} frames outside of the repository)"] if count > 1 else lines
    return "\n".join(rows)


def _without_foreign_code(lines: list[str]) -> list[str]:
    """Shortens the last frame of pytest's long style, which prints a whole function with its line below: of a library's
    function only the failing line and the error are kept."""
    begins = max((number for number, line in enumerate(lines) if _BETWEEN.match(line)), default=None)
    last = next((line for line in reversed(lines) if line.strip()), "")
    if begins is None or not _FOREIGN_END.match(last):
        return lines
    code = lines[begins + 1 : lines.index(last, begins + 1)]
    kept = [line for line in code if line.startswith((">", "E "))]
    left = sum(bool(line.strip()) for line in code) - len(kept)
    left_note = [f"    (… {left} lines of code outside of the repository)"] * (left > 1)
    return [*lines[: begins + 1], *left_note, *kept, *lines[begins + 1 + len(code) :]] if left_note else lines


def _marked(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Yields each line, and whether it belongs to a frame outside the repository."""
    in_python = False
    for line in lines:
        in_python = bool(_PYTHON.match(line)) or (in_python and bool(_SOURCE.match(line)))
        yield line, in_python or bool(_FRAME.match(line))
