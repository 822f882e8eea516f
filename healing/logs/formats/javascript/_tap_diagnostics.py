"""Reads the diagnostics below a failed TAP test point: YAML as JavaScript runners write it, stacks, or comments."""

import re
from dataclasses import dataclass, field, replace

from healing.logs.format import Finding
from healing.logs.formats.javascript._stacks import JavascriptFrame, blame, category, comparison, frame
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_KEPT = 200
_CRASHED = "test failed"  # node's only message about a file that ended early
_FIELD = re.compile(
    r"(?P<indent>\s{0,60})(?P<key>error|message|name|at|stack|location|expected|actual|wanted|found|file|line|column|lineNumber|fileName|failureType|code|diff|got|severity):(?:\s(?P<value>.*))?$"
)
_BLOCK = re.compile(r"[|>][-+\d]{0,3}$")
_COMMENT_PLACE = re.compile(
    r"\s{0,20}#\s{1,8}(?:at (?P<file>\S{1,400}) line (?P<line>\d{1,9})\.?|\((?:in"
    r"|from) .{0,200}?file (?P<test>[^,()]{1,400}), line (?P<row>\d{1,9})\).{0,20})$"
)
_COMMENT = re.compile(r"\s{0,20}#\s{0,8}(?P<words>\S.*)$")


@dataclass(slots=True)
class Point:
    """A failed point: its name with those of its parents, its indentation, its line and the lines below it. `crashed`
    is the error that ended its file, if that was reported above."""

    title: str
    indent: int
    first: int
    last: int = 0
    lines: list[str] = field(default_factory=list)
    quoted: bool = False
    crashed: Finding | None = None

    def takes(self, text: str) -> bool:
        """Whether `text` belongs to this point: it is deeper, a comment, blank or inside a quoted YAML string."""
        if len(self.lines) >= _KEPT or self._ended:
            return False
        if self.quoted or not text.strip():
            return True
        depth = len(text) - len(text.lstrip())
        return depth > self.indent or (depth == self.indent and text.lstrip().startswith(("#", "---", "...")))

    @property
    def _ended(self) -> bool:
        """Whether the point's YAML is closed, so that further lines belong to the next point."""
        return not self.quoted and bool(self.lines) and self.lines[-1].strip() == "..."

    def add(self, line: Line) -> None:
        """Adds a line. Vitest writes strings over several lines, without indentation."""
        self.lines.append(line.text)
        if line.text.strip():
            self.last = line.number
        if re.match(r"\s{0,60}(?:\w{1,20}: )?\"", line.text) or self.quoted:
            odd = line.text.replace('\\"', "").count('"') % 2 == 1
            self.quoted = self.quoted != odd


def failed(point: Point, paths: Paths) -> Finding | None:
    """The failure of `point`; None if it only reports that subtests failed."""
    fields = _fields(point.lines)
    if "subtestsFailed" in fields.get("failureType", ""):
        return None
    if point.crashed and fields.get("error") == _CRASHED:
        return replace(point.crashed, tool="tap", test=point.title, score=1.0)
    place = _place(fields, point.lines, paths)
    name = fields.get("name", "")
    message = fields.get("error") or fields.get("message") or _words(point.lines) or point.title.rpartition(" › ")[2]
    wanted, got = comparison(fields.get("diff", "").split("\n")) if "diff" in fields else (None, None)
    kind = category(name, message, Category.TEST)
    return Finding(
        tool="tap",
        category=kind,
        message=f"{name}: {message}" if name.endswith("Error") and name not in ("Error", "AssertionError") else message,
        file=place.file if place else None,
        line=place.line or None if place else None,
        column=place.column if place else None,
        log_line=point.first,
        span=(point.first, max(point.first, point.last)),
        test=point.title,
        expected=fields.get("expected") or fields.get("wanted") or wanted,
        actual=fields.get("actual") or fields.get("found") or fields.get("got") or got,
        excerpt="\n".join([f"not ok {point.title}", *point.lines]).rstrip(),
        # What a test compared is data; a test that ran a tool, as in linters' harnesses, has no such comparison.
        repeats=kind is Category.TEST and ("expected" in fields or "wanted" in fields),
    )


def _fields(lines: list[str]) -> dict[str, str]:
    """The fields by key, each by its first occurrence. Blocks and folded text are joined."""
    fields: dict[str, str] = {}
    for at, text in enumerate(lines):
        match = _FIELD.match(text)
        if match is None or match["key"] in fields:
            continue
        value = (match["value"] or "").strip()
        if not value or _BLOCK.match(value):
            block = _deeper(lines[at + 1 :], len(match["indent"]))
            value = "" if match["key"] == "error" and _FIELD.match(block[0] if block else "") else "\n".join(block)
        fields[match["key"]] = _unquoted(value.strip().strip(","))
    return fields


def _unquoted(value: str) -> str:
    """A scalar without surrounding quotes; quotes only at the beginning or the end of a block are part of it."""
    opened, closed = value[:1], value[-1:]
    if opened and opened in "'\"" and (opened == closed or "\n" not in value):
        return value.strip(opened).strip()
    return value


def _deeper(lines: list[str], indent: int) -> list[str]:
    block: list[str] = []
    for text in lines:
        if text.strip() and len(text) - len(text.lstrip()) <= indent:
            break
        block.append(text.strip())
    return block


def _place(fields: dict[str, str], lines: list[str], paths: Paths) -> JavascriptFrame | None:
    trace = [f"at {text.strip().removeprefix('at ')}" for text in fields.get("stack", "").split("\n")]
    trace += [
        f"at {fields[key].replace(chr(10), ' ').removeprefix('at ')}" for key in ("at", "location") if fields.get(key)
    ]
    trace += [text for text in lines if text.lstrip().startswith("at ")]
    if place := blame(filter(None, map(frame, trace)), paths):
        return place
    file, line = fields.get("file") or fields.get("fileName"), fields.get("line") or fields.get("lineNumber", "")
    if file:
        column = fields.get("column", "")
        return JavascriptFrame(file, int(line) if line.isdigit() else 0, int(column) if column.isdigit() else None)
    match = next((match for text in lines if (match := _COMMENT_PLACE.match(text))), None)
    return JavascriptFrame(match["file"] or match["test"], int(match["line"] or match["row"])) if match else None


def _words(lines: list[str]) -> str:
    """The message in plain text, as Mocha and bats print it."""
    if any(text.strip() == "---" for text in lines[:2]):
        return ""
    plain = [text for text in lines if not _COMMENT.match(text)]
    if headline := next((text.strip() for text in plain if text.strip() and not text.lstrip().startswith("at ")), ""):
        return headline
    comments = [match["words"] for text in lines if (match := _COMMENT.match(text)) and not _COMMENT_PLACE.match(text)]
    return next((words for words in comments if not words.startswith("Failed test")), "")
