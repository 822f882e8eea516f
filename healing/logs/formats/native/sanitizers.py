"""Reports of AddressSanitizer and other sanitizers, of Valgrind and of Dr. Memory, with their stack frames."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related

_RUNTIME = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:]{0,400}):(?P<line>\d{1,9}):(?P<column>\d{1,9}): runtime error: "
    r"(?P<message>\S.*)$"
)
_SANITIZER = re.compile(r"(?:==\d{1,9}==\s?)?(?:ERROR|WARNING|FATAL): (?P<tool>\w{3,30}Sanitizer): (?P<message>\S.*)$")
_LEAK = re.compile(r"(?P<message>(?:Direct|Indirect) leak of \d+ byte\(s\) in \d+ object\(s\)).{0,80}$")
_VALGRIND = re.compile(
    r"==\d{1,9}== (?P<message>(?:Invalid (?:read|write|free)|Conditional jump|Use of uninitialised|Mismatched free"
    r"|Jump to the"
    r"|Syscall param|Source and destination overlap|Possible data race|Process terminating|Illegal memory pool"
    r"|Argument '"
    r"|[\d,]{1,20} (?:\([^)]{1,80}\) )?bytes in [\d,]{1,12} blocks are (?:definitely|indirectly|possibly) lost).*)$"
)
_DRMEMORY = re.compile(r"Error #\d{1,6}: (?P<message>(?:[A-Z]{3,20} ){1,3}\S.*)$")
_FRAME = re.compile(
    r"(?:==\d{1,9}== {2,6}(?:at|by) 0x[0-9A-F]{1,16}: (?P<function>.{1,300}?) \((?P<file>[^():]{1,300}):"
    r"(?P<line>\d{1,9})\)"
    r"|\s{0,8}#\s?\d{1,4} (?:0x[0-9a-f]{1,16} )?(?:in )?(?P<name>\S.{0,300}?)\s{1,4}\[?"
    r"(?P<place>[^\s()\[\]:]{1,300}):(?P<row>\d{1,9})(?::\d{1,9})?"
    r"\]?(?: \([^)]{1,300}\))?)$"
)
_ANY_FRAME = re.compile(r"(?:==\d{1,9}== {2,6}(?:at|by) 0x|\s{0,8}#\s?\d{1,4} )")
_END = re.compile(r"SUMMARY: |={20,}$|==\d{1,9}==(?:ABORTING|HINT)|==\d{1,9}== (?:HEAP|LEAK|ERROR) SUMMARY|Exiting$")
_ADDRESS = re.compile(r"(?: on)?(?: unknown)? address 0x.*$| \(pid=\d+\).*$| in loss record .*$")
_LIBRARY = re.compile(r"/libsanitizer/|/sysdeps/|/compiler-rt/|(?:^|/)csu/|/glibc|/libstdc|vg_replace_malloc\.c$")
_LINES, _FRAMES = 120, 60
_NAMES = {"A": "asan", "T": "tsan", "M": "msan", "L": "lsan", "U": "ubsan"}


@dataclass(slots=True)
class _Report:
    tool: str
    message: str
    first: int
    last: int
    lines: list[str]
    frames: list[tuple[str, str, int]] = field(default_factory=list)
    stacks: int = 0
    gap: bool = False


class _Reader:
    """Reads a headline and the first stack under it; later stacks are those of allocations."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._open: _Report | None = None

    @property
    def busy(self) -> bool:
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if match := _RUNTIME.match(text):
            return (*self.close(), _runtime(match, line))
        if report := _start(line):
            done = self.close()
            self._open = report
            return done
        if self._open is None:
            return ()
        if _END.match(text) or line.number - self._open.first > _LINES:
            return self.close()
        self._inside(self._open, line)
        return ()

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        if done is None or (done.message == "detected memory leaks" and not done.frames):
            return ()
        return (self._finding(done),)

    def _inside(self, report: _Report, line: Line) -> None:
        if len(report.lines) < _FRAMES:
            report.lines.append(line.text)
        if match := _FRAME.match(line.text):
            if len(report.frames) < _FRAMES:
                name, place = match["function"] or match["name"], match["file"] or match["place"]
                report.frames.append((name, place, int(match["line"] or match["row"])))
                report.last = line.number
        elif not _ANY_FRAME.match(line.text) and report.frames:
            report.gap = True

    def _finding(self, report: _Report) -> Finding:
        own = [(file, row) for _, file, row in report.frames if self._paths.inside(file) and not _LIBRARY.search(file)]
        file, row = own[0] if own else (None, None)
        return Finding(
            tool=report.tool,
            category=Category.RUNTIME,
            message=_ADDRESS.sub("", report.message),
            file=file,
            line=row,
            related=tuple(Related(file=f, line=n, message=f"in {name}") for name, f, n in reversed(report.frames)),
            log_line=report.first,
            span=(report.first, report.last),
            excerpt="\n".join(report.lines[:40]),
        )


def _start(line: Line) -> _Report | None:
    text = line.text
    if match := _SANITIZER.match(text):
        tool = _NAMES.get(match["tool"][0], "sanitizer")
    elif match := _LEAK.match(text):
        tool = "lsan"
    elif match := _VALGRIND.match(text):
        tool = "valgrind"
    elif match := _DRMEMORY.match(text):
        tool = "drmemory"
    else:
        return None
    return _Report(tool, match["message"], line.number, line.number, [text])


def _runtime(match: re.Match[str], line: Line) -> Finding:
    return Finding(
        tool="ubsan",
        category=Category.RUNTIME,
        message=match["message"],
        file=match["file"],
        line=int(match["line"]),
        column=int(match["column"]),
        log_line=line.number,
        excerpt=line.text,
    )


FORMAT = Format(
    "sanitizers",
    (
        "Sanitizer: ",
        "runtime error: ",
        " leak of ",
        "== Invalid ",
        "== Conditional ",
        "== Use of ",
        "== Mismatched ",
        "== Syscall ",
        "== Process term",
        "== Source and",
        "== Possible ",
        "bytes in ",
        "== Jump ",
        "== Argument",
        "Error #",
    ),
    _Reader,
)
