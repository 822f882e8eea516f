"""C: a name that the repository declares, but not for the line that uses it: the `#include` or the prototype that it
needs."""

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from healing.edits.exact import EditSpan
from healing.model import CIError
from healing.repair.fixers.suggested.reported_line import ReportedLine, reported_lines
from healing.repair.fixers.suggested.suggestion import LIKELY, Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig
from healing.view import TreeView

SOURCES, HEADERS = (".c", ".h"), (".h",)
UNDECLARED = re.compile(
    r"implicit declaration of function [‘'`](\w{1,100})[’']|call to undeclared function '(\w{1,100})'|"
    r"unknown type name [‘'`](\w{1,100})[’']|[‘'`](\w{1,100})[’'] undeclared|use of undeclared identifier '(\w{1,100})'"
)
INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*([<\"])([^>\"\n]{1,300})[>\"][^\n]*\n", re.MULTILINE)
DECLARES = (
    rb"^[A-Za-z_][\w \t*]{0,200}[ \t*]%b[ \t]*\([^;{}]{0,500};|^\}[ \t]*%b[ \t]*;|"
    rb"^typedef\b[^;{}\n]{1,300}[ \t*]%b[ \t]*;|^[ \t]*#[ \t]*define[ \t]+%b\b"
)
ENUM = re.compile(rb"\benum\b[^;{}()]{0,100}\{([^{}]{0,5000})\}")
NOT_CODE = re.compile(rb"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL)
TOP = re.compile(rb"^[A-Za-z_][^\n;={]*\)[^\n;={]*\n?\{", re.MULTILINE)
MAX_FILES = 1_000


@dataclass(frozen=True)
class CDeclaring:
    """A prototype where the same file defines the function farther down, at the start of a line; else the one header
    of the repository that declares the name, as others include it."""

    name: str = "c-declaring"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.line and (e.file or "").endswith(SOURCES) and undeclared(e))

    def calls(
        self, _files: tuple[str, ...], _errors: tuple[CIError, ...], _tool_config: ToolConfig
    ) -> tuple[Call, ...]:
        return ()

    def read(self, _answer: str, errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        for error, line in reported_lines(errors, view):
            name, data = undeclared(error), view.read(line.file) or b""
            if signature := _defined_below(data, name.encode(), line):
                at = _above(data, line.start)
                span = EditSpan(at, at, signature + b";\n\n")
                yield Suggestion(
                    line.file, line.number, f"Declare `{name}` before its use", {line.file: (span,)}, LIKELY
                )
            elif header := _header(name, line.file, view):
                span = _including(data, header)
                title = f'Include "{header}" for `{name}`'
                yield Suggestion(line.file, line.number, title, {line.file: (span,)}, LIKELY)


def undeclared(error: CIError) -> str:
    """The name that a compiler has not seen declared; empty for other errors."""
    match = UNDECLARED.search(error.message[:500])
    return next(filter(None, match.groups()), "") if match else ""


def _defined_below(data: bytes, name: bytes, line: ReportedLine) -> bytes:
    """The signature of the function, if the file defines it behind the line; else empty."""
    defined = re.compile(
        rb"^([A-Za-z_][\w \t*]{0,200}[ \t*]%b[ \t]*\([^;{}()]{0,500}\))\s*\{" % re.escape(name), re.MULTILINE
    )
    match = defined.search(data, line.start)
    return match[1] if match else b""


def _above(data: bytes, at: int) -> int:
    """Where the function around a place begins, with the comment above it."""
    start = max((match.start() for match in TOP.finditer(data, 0, at)), default=0)
    lines = data[:start].splitlines(keepends=True)
    while lines and re.match(rb"[ \t]*(?://|/\*|\*)", lines[-1]):
        start -= len(lines.pop())
    return start


def _header(name: str, file: str, view: TreeView) -> str:
    """How the one header that declares a name is included; empty where none or several do, or the file has it."""
    paths = [path for path in view.paths() if path.endswith(SOURCES)][:MAX_FILES]
    texts = {path: view.read(path) or b"" for path in paths}
    having = [
        p for p, data in texts.items() if p.endswith(HEADERS) and _declares(NOT_CODE.sub(b"", data), name.encode())
    ]
    if len(having) != 1 or having[0] == file:
        return ""
    base = posixpath.basename(having[0])
    quoted = [match for data in texts.values() for match in INCLUDE.finditer(data) if match[1] == b'"']
    written = [match[2].decode("utf-8", "replace") for match in quoted]
    usual = Counter(path for path in written if posixpath.basename(path) == base).most_common(1)
    own = {posixpath.basename(match[2].decode("utf-8", "replace")) for match in INCLUDE.finditer(texts.get(file, b""))}
    return usual[0][0] if usual and base not in own else ""


def _declares(code: bytes, name: bytes) -> bool:
    """Whether a header has a prototype, a type, a macro or an enumerator of the name."""
    enumerators = re.findall(rb"\w+", b" ".join(ENUM.findall(code)))
    return bool(re.search(DECLARES % ((re.escape(name),) * 4), code, re.MULTILINE)) or name in enumerators


def _including(data: bytes, header: str) -> EditSpan:
    """The line after the last `#include` of the repository's own headers, or of any."""
    found = list(INCLUDE.finditer(data))
    quoted = [match for match in found if match[1] == b'"']
    at = quoted[-1].end() if quoted else found[-1].end() if found else 0
    text = f'#include "{header}"\n'.encode()
    return EditSpan(at, at, text if quoted else (b"\n" + text if found else text + b"\n"))
