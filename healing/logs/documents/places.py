"""Reads the place that a node names: file, line, column and end, in any of the ways that tools write them."""

import re
from dataclasses import dataclass, replace
from enum import Enum
from html import unescape
from urllib.parse import unquote

from healing.logs.documents.node import Node, Roles, Value, nodes, number, ranked, roles, text

# Fields by `word`, the most reliable first.
FILES = roles(
    "file", "filename", "filepath", "path", "pathname", "uri", "fileuri", "fullpath", "abspath", "absolutepath",
    "relativepath", "sourcepath", "sourcefile", "sourcefilename", "srcfile", "maineventfilepathname", "filepathname",
    "document",
    "testfilepath", "script", "packagepath", "issuefile", "templatefile", "inputfile", "modulename",
)  # fmt: skip
LINES = roles(
    "line", "lineno", "linenumber", "startline", "linestart", "beginline", "linebegin", "linefrom", "fromline",
    "firstline", "startlinenumber", "row", "startrow", "lineno0", "maineventlinenumber", "sourceline", "filelinerange",
    "linerange", "beginlinenumber", "issueline", "startlineno",
)  # fmt: skip
COLUMNS = roles(
    "column", "col", "columnnumber", "startcolumn", "columnstart", "begincolumn", "columnbegin", "columnfrom",
    "startcol", "linepos", "colno", "columnno", "coloffset",
    "char", "character", "startcolumnnumber", "offsetcolumn", "colstart",
    "startpos", "errorrange", "span", "startlinepos",
)  # fmt: skip
END_LINES = roles(
    "endline", "lineend", "lineto", "toline", "lastline", "endlinenumber", "endrow", "endlineno", "finishline"
)
END_COLUMNS = roles(
    "endcolumn",
    "columnend",
    "columnto",
    "endcol",
    "endcolumnnumber",
    "endlinepos",
    "colend",
    "endcoloffset",
)
INSIDE = roles(
    "physicallocation", "location", "locations", "loc", "place", "range", "region", "textrange", "span", "spans", "pos",
    "position", "positions", "posn", "lines", "linerange", "lineranges", "sfa", "primarylocation", "artifactlocation",
    "path", "file", "sourcelocation", "startposition", "extent", "sourceline", "source", "context", "line",
    "codeobject",
    "filename", "files", "where", "filematch", "causemetadata",
    "caret", "labels", "diagnosticmessage", "stack", "sourcefile", "uri",
)  # fmt: skip
STARTS = roles("startloc", "start", "begin", "from", "first", "startposition")
ENDS = roles("endloc", "end", "endlocation", "to", "last", "endposition", "finish")
_LINES_ONLY = ("lines", "sourceline", "linerange", "lineranges", "linerange", "filelinerange")

_WRITTEN = re.compile(r"(?!https?://)([^\n:]{0,2}[^\n:]{1,600}):(\d{1,8})(?:[-:](\d{1,6}))?(?::\d{1,6})?$")
_COUNTED = re.compile(r"([^\n()]{1,600})\((\d{1,8})(?:,(\d{1,6}))?\)")
_BARE = re.compile(r"(\d{1,8}):(\d{1,6})(?:-\d{1,8}(?::\d{1,6})?)?$")
_NO_FILE = re.compile(
    r"[a-z][\w+.-]{1,20}://(?<!file://)|pkg:|.*[\n\r<>|\"*]|(?:unknown|none|null|n/a|-)$", re.IGNORECASE
)
_LSP = {"line", "character"}  # a position of the Language Server Protocol, which is 0-based
_SOURCE = re.compile(r"[^\s?*<>|\"]{0,900}(?:[/\\][^\s/\\?*<>|\"]{1,90}|\.[a-z]{1,9})|(?:[A-Z][a-z]{2,9})file")
MAYBE_FILES = roles("source", "resource", "target")  # a file in some tools' reports, a rule or a resource in others
_NAMED = ("violations", "startposition", "startloc")  # in a node with one of these, `name` is the file
_DEPTH = 4


class Zero(Enum):
    """Which of a tool's numbers are 0-based."""

    NOTHING = "nothing"
    COLUMNS = "columns"
    BOTH = "lines and columns"


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file: 1-based numbers, the path as written."""

    file: str | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None

    def over(self, wider: "Place") -> "Place":
        """This place, with missing parts from `wider`; a line only if it is in the same file."""
        if self.line is None and (self.file is None or wider.file in (None, self.file)):
            return replace(wider, file=self.file or wider.file)
        return replace(self, file=self.file or wider.file)


def place(node: Node, *, zero: Zero = Zero.NOTHING, depth: int = 0) -> Place:
    """The place that a node names, itself or in a field for it. `zero`: which numbers are 0-based."""
    words = node.words
    if words.keys() <= _LSP and len(words) == 2:
        zero = Zero.BOTH
    lines, columns = zero is Zero.BOTH, zero is not Zero.NOTHING
    spot = Place(
        file=_file(node),
        line=_first(words, LINES, lines),
        column=_first(words, COLUMNS, columns),
        end_line=_first(words, END_LINES, lines),
        end_column=_first(words, END_COLUMNS, columns),
    )
    if spot.file and spot.line is None and (counted := _COUNTED.fullmatch(spot.file)):
        spot = Place(counted[1], number(counted[2]), number(counted[3]))
    if depth >= _DEPTH:
        return spot
    for key in ranked(words, STARTS):
        if isinstance(start := words.get(key), Node) and spot.line is None:
            spot = spot.over(place(start, zero=zero, depth=depth + 1))
    for key in ranked(words, INSIDE):
        if spot.file and spot.line:
            break
        if inner := _inside(key, words[key], zero, depth):
            spot = spot.over(inner)
    return _ended(spot, words, zero, depth)


def _ended(spot: Place, words: dict[str, Value], zero: Zero, depth: int) -> Place:
    """The place with its end, where that is a node of its own."""
    for key in ranked(words, ENDS):
        if isinstance(end := words.get(key), Node) and spot.line and spot.end_line is None:
            last = place(end, zero=zero, depth=depth + 1)
            spot = replace(spot, end_line=last.line, end_column=last.column)
    return spot


def _inside(key: str, value: Value, zero: Zero, depth: int) -> Place | None:
    if isinstance(value, str):
        return parse_place(value)
    if key == "stack" and isinstance(value, Node):
        value = [frame for frame in nodes(value.words.get("frame")) if "file" in frame.words]
    if isinstance(value, list):
        value = None if key == "files" else next((item for item in value if isinstance(item, Node)), None)
    if not isinstance(value, Node):
        return None
    inner = place(value, zero=zero, depth=depth + 1)
    if inner.line is None and key in _LINES_ONLY:
        ends = [_first(value.words, names, zero is Zero.BOTH) for names in (STARTS, ENDS)]
        inner = replace(inner, line=ends[0], end_line=ends[1])
    return inner


def parse_place(written_place: str) -> Place | None:
    """The place in a text such as `file:line`, `file:line:column` or `line:column`; None for any other text."""
    written_place = written_place.strip()
    if bare := _BARE.match(written_place):
        return Place(None, number(bare[1]), number(bare[2]))
    match = _WRITTEN.match(written_place) if len(written_place) < 700 else None
    return Place(match[1], number(match[2]), number(match[3])) if match else None


def _file(node: Node) -> str | None:
    """The node's path; a folder in one field and a name in another are joined."""
    words = node.words
    folder = text(words.get("mutatedclass")).rpartition(".")[0].replace(".", "/")
    folder = folder or text(words.get("dir"))
    folder += "/" if folder else ""
    for key in ranked(words, FILES):
        value = words.get(key)
        if isinstance(value, str) and (path := plausible(value)):
            if not path.endswith(("/", "\\")):
                return folder + path
            folder = folder or path
    for key in ranked(words, MAYBE_FILES):
        named = text(words.get(key))
        # In XML it is mostly a rule.
        if _SOURCE.fullmatch(named) and (not node.tag or not {"/", "\\"}.isdisjoint(named)):
            return plausible(named)
    if isinstance(component := words.get("component"), str) and ":" in component:  # project:module:path
        return plausible(component.rpartition(":")[2])
    if node.tag.lower() in ("file", "sourcefile", "path") or not words.keys().isdisjoint(_NAMED):
        return plausible(text(words.get("name")))
    return None


def plausible(written_place: str) -> str | None:
    """`written_place` as a path, decoded; None if it can't be one."""
    written_place = written_place.strip()
    if not written_place or len(written_place) > 1_000 or _NO_FILE.match(written_place):
        return None
    if written_place.startswith("file://") or re.search("%[0-9A-F]{2}", written_place):
        written_place = unquote(written_place.removeprefix("file://"))
    written_place = written_place.removeprefix("$PROJECT_DIR$/")
    return unescape(written_place) if "&" in written_place else written_place


def _first(words: dict[str, Value], names: Roles, zero: bool) -> int | None:
    for name in ranked(words, names):
        value = words[name]
        if isinstance(value, list) and value and isinstance(value[0], int):
            value = value[0]
        if zero and isinstance(value, int) and not isinstance(value, bool):
            value += 1
        if count := number(value):
            return count
    return None
