"""`file:12:3: error: message [-Wcode]`: gcc, clang, swiftc, ghc, zig, gnat, nasm, clang-tidy, current cppcheck."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related, Severity

# fmt: off
_ENDINGS = (
    "c", "h", "cc", "hh", "cpp", "hpp", "cxx", "hxx", "c++", "h++", "C", "H", "CPP", "inl", "ipp", "tcc", "tpp", "inc",
    "m", "mm", "M", "cu", "cuh", "cl", "l", "y", "ll", "yy", "lex", "i", "ii", "S", "s", "asm", "nasm", "ino",
    "pde", "def", "swift", "hs", "lhs", "hsc", "zig", "adb", "ads", "f", "F", "for", "f77", "f90", "F90", "f95",
    "f03", "f08", "td", "pyx", "pxd", "vala", "ispc", "hip", "glsl", "frag", "vert", "comp", "metal", "dts", "dtsi",
)
# fmt: on
_FILE = (
    rf"(?!\[   LINE   \])(?P<file>(?:[A-Za-z]:[\\/])?[^\s:'\"<>(][^:'\"<>]{{0,400}}?"
    rf"\.(?:{'|'.join(map(re.escape, _ENDINGS))}))"
)
_ROW = re.compile(
    rf"\s{{0,12}}(?:[\d:.,-]{{5,30}}\s{{1,8}})?(?:\[[\w./-]{{1,20}}\]\s{{1,4}})?{_FILE}"
    r":(?P<line>\d{1,9})(?:[:.](?P<column>\d{1,9})(?:-(?P<end>\d{1,9}))?)?(?::\{[\d:,{}-]{3,80}\})?:\s?"
    r"(?P<level>(?:fatal |internal compiler )?[Ee]rror|[Ww]arning|[Nn]ote|remark|style|performance|portability"
    r"|information|sorry, unimplemented|Fatal Error)\s?:"
    r"(?:\s(?P<message>.*))?$"
)
_DRIVER = re.compile(
    r"(?:\S{0,200}/)?(?P<driver>cc1(?:plus|obj(?:plus)?)?|gcc|g\+\+|cc|c\+\+|f951|lto1|gfortran|clang(?:\+\+)?"
    r"|cl\.exe|as|nvcc"
    r"|emcc|em\+\+|swiftc|ghc|zig|nasm)(?:-\d{1,3})?(?:\.exe)?: (?P<level>fatal error|error|warning"
    r"|Error): (?P<message>\S.*)$"
)
_FROM = re.compile(
    r"(?:In file included|\s{1,24})\s?from (?P<file>[^:]{1,400}):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?[,:]"
)
_REQUIRED = re.compile(
    rf"{_FILE}:(?P<line>\d{{1,9}})(?::(?P<column>\d{{1,9}}))?:\s{{1,4}}(?P<message>(?:recursively )?"
    r"(?:required |instantiated |in .{0,20}expansion ).*)$"
)
_PICTURE = re.compile(r"\s{0,8}\d{0,9}\s{0,4}\||\s+\S|\s*$")
_CARET = re.compile(r"[\s|]*[~^ ]{0,400}\^[~^ ]{0,400}$")
_FIX = re.compile(r"\s{0,8}\|?\s{1,400}(?P<text>\S.{0,200})$")
_CODE = re.compile(r"\s{1,3}\[(?P<code>-[WR][^\]\s]{1,80}|[A-Za-z][\w.,-]{2,160})\]$")
_ONLY_CODE = re.compile(r"\[(?P<code>GHC-\d{1,6}|-W[\w-]{1,60})(?:, -W\S{1,80})?\](?: \[-W\S{1,80}\])?$")
_RULE = re.compile(r"\s\((?P<code>[a-z]{2,20}(?:_[a-z]{1,30}){0,6})\)$")  # swiftlint's
_MEANT = re.compile(r"did you mean [‘'`\"](?P<name>[^’'`\"]{1,120})[’'`\"]")
_TEST = re.compile(r'in "|Failure in |-\[|\w{1,200}\.\w{1,200} : ')
_CONSEQUENCE = re.compile(
    r"linker command failed|ld returned|\d+ errors? generated|assembler command failed|`gcc' failed"
)
_TOOLS = {
    "swift": "swiftc",
    "hs": "ghc",
    "lhs": "ghc",
    "hsc": "ghc",
    "zig": "zig",
    "adb": "gnat",
    "ads": "gnat",
    "asm": "nasm",
}
_SYNTAX = re.compile(
    r"expected |syntax error|stray |unterminated|missing terminating|parse error|extraneous |unmatched"
    r"|invalid preprocessing"
)
_MISSING = re.compile(r".{0,200}(?:No such file or directory|file not found|no such module|Could not find module)")
_INCLUDED = "included from"
_LINES, _NOTES = 60, 20


class _Reader:
    """Holds an error for its code frame and the notes that follow, and include lines for the error after them."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._open: Finding | None = None
        self._trail: list[Related] = []
        self._row_at = 0  # number of the last row with a column: its source follows, maybe unindented
        self._caret_at = 0
        self._bare_at = 0  # number of the unindented line that was taken for source

    @property
    def busy(self) -> bool:
        return self._open is not None or bool(self._trail)

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if match := _ROW.match(text):
            return self._row(match, line) if not _others(match) else self.close()
        if self._open is not None and self._is_picture(self._open, line) and self._joins(self._open, line):
            return ()
        if match := _FROM.match(text) or _REQUIRED.match(text):
            message = match.groupdict().get("message") or _INCLUDED
            self._trail = [*self._trail[-_NOTES:], _spot(match, message)]
            return self.close()
        done = self.close()
        if (match := _DRIVER.match(text)) and not _CONSEQUENCE.match(match["message"]):
            return (*done, _finding(match, line, ()))
        if ": In " not in text and ": At top level" not in text:
            self._trail = []
        return done

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        return (_blamed(done, self._paths),) if done else ()

    def _is_picture(self, error: Finding, line: Line) -> bool:
        if line.number == self._row_at + 1:
            self._bare_at = 0 if _PICTURE.match(line.text) else line.number
            return not _FROM.match(line.text) and not _DRIVER.match(line.text)
        if line.number == self._bare_at + 1 and not _CARET.match(line.text):
            return False  # It wasn't source: indented lines below it, such as a traceback, are another program's.
        return bool(_PICTURE.match(line.text)) or error.message.endswith(" for")

    def _row(self, match: re.Match[str], line: Line) -> Iterable[Finding]:
        level = match["level"].lower()
        self._row_at = line.number if match["column"] else 0
        error = self._open
        if level in ("note", "remark") and error is not None and error.severity is not Severity.NOTE:
            if len(error.related) < _NOTES:
                note = _spot(match, match["message"] or "")
                text = f"{error.excerpt}\n{line.text}"
                self._open = replace(
                    error, related=(*error.related, note), excerpt=text, span=(error.log_line, line.number)
                )
            return ()
        done = self.close()
        self._open = _finding(match, line, tuple(self._trail))
        self._trail = []
        return done

    def _joins(self, error: Finding, line: Line) -> bool:
        if error.excerpt.count("\n") >= _LINES or (not line.text.strip() and error.message):
            return False
        message = error.message
        if message.endswith(" for"):  # doxygen
            message = f"{message} {line.text.strip()}"
        elif not message and line.text.strip():  # ghc's message is on the next line
            message = line.text.strip(" •\t")
        if self._caret_at == line.number - 1 and (fix := _FIX.match(line.text)) and not error.suggestion:
            error = replace(error, suggestion=fix["text"])
        if _CARET.match(line.text):
            self._caret_at = line.number
        self._open = replace(
            error,
            message=message,
            category=_category(error.code, message, error.severity) if message != error.message else error.category,
            excerpt=f"{error.excerpt}\n{line.text}",
            # An unindented line is the error's source only if a caret follows: it could be another program's.
            span=(error.log_line, line.number) if _PICTURE.match(line.text) or not error.message else error.span,
        )
        return True


_CPPLINT = re.compile(r"  \[[\w/+]{3,60}\] \[\d\]$")


def _others(match: re.Match[str]) -> bool:
    """Whether the line has a format of its own: of a test library (unit.py), cpplint (lint.py), or hlint, whose levels
    are capitalised (functional.py)."""
    message = match["message"] or ""
    return bool(_TEST.match(message) or _CPPLINT.search(message[-80:])) or (
        match["level"][0].isupper() and match["file"].endswith("hs")
    )


def _spot(match: re.Match[str], message: str) -> Related:
    return Related(
        file=match["file"], line=number(match["line"]), column=number(match["column"]), message=message.strip()
    )


def _finding(match: re.Match[str], line: Line, trail: tuple[Related, ...]) -> Finding:
    groups = match.groupdict()
    message, code = _split((groups["message"] or "").strip())
    level = groups["level"].lower()
    rule = (
        _RULE.search(message[-80:]) if (groups.get("file") or "").endswith(".swift") and "iolation" in message else None
    )
    if rule:
        message, code = message[: len(message) - len(rule[0])], rule["code"]
    severity = Severity.ERROR
    if level in ("note", "remark", "information"):
        severity = Severity.NOTE
    elif level in ("warning", "style", "performance", "portability"):
        severity = Severity.WARNING
    meant = _MEANT.search(message)
    return Finding(
        tool="swiftlint" if rule else _tool(groups.get("file"), code, groups.get("driver")),
        code=code,
        category=_category(code, message, severity),
        severity=severity,
        message=message,
        file=groups.get("file"),
        line=number(groups.get("line")),
        column=number(groups.get("column")),
        end_column=number(groups.get("end")),
        related=trail,
        suggestion=meant["name"] if meant else None,
        log_line=line.number,
        excerpt=line.text,
        score={Severity.ERROR: 1.0, Severity.WARNING: 0.2, Severity.NOTE: 0.1}[severity],
    )


def _blamed(error: Finding, paths: Paths) -> Finding:
    """The error; one inside a library's header is moved to the line of the repository that led there."""
    if error.file is None or paths.inside(error.file):
        return error
    inside = [spot for spot in error.related if spot.file and paths.inside(spot.file)]
    here = next((spot for spot in inside if spot.message != _INCLUDED), inside[0] if inside else None)
    if here is None:
        return error
    related = Related(file=error.file, line=error.line, column=error.column, message="reported here")
    return replace(
        error, file=here.file, line=here.line, column=here.column, end_column=None, related=(*error.related, related)
    )


def _split(message: str) -> tuple[str, str | None]:
    if only := _ONLY_CODE.match(message):
        return "", only["code"]
    match = _CODE.search(message[-180:])
    return (message[: len(message) - len(match[0])], match["code"]) if match else (message, None)


def _tool(file: str | None, code: str | None, driver: str | None) -> str:
    if driver:
        return "gcc" if driver.startswith("cc1") else driver
    ending = (file or "").rpartition(".")[2].lower()
    if ending in _TOOLS:
        return _TOOLS[ending]
    if ending.startswith("f") and ending != "frag":
        return "gfortran"
    if code and not code.startswith(("-", "GHC-")):
        return "clang-tidy" if "-" in code or "." in code else "cppcheck"
    return "gcc"


def _category(code: str | None, message: str, severity: Severity) -> Category:
    if code == "-Wclang-format-violations":
        return Category.FORMAT
    if _MISSING.match(message):
        return Category.IMPORT
    if severity is Severity.ERROR and _SYNTAX.match(message):
        return Category.SYNTAX
    lint = severity is not Severity.ERROR or (code and not code.startswith(("-Werror", "GHC-", "clang-diagnostic")))
    return Category.LINT if lint else Category.COMPILE


FORMAT = Format(
    "gcc",
    (
        ": error:",
        ": style:",
        ": performance:",
        ": portability:",
        ": information:",
        ":error:",
        ": warning:",
        ":warning:",
        ": note:",
        ": remark:",
        "atal error:",
        " error: ",
        ": Error:",
        ": Warning:",
        ": Fatal Error:",
        "ompiler error:",
        "unimplemented:",
        "ncluded from ",
        "required from",
        "instantiated from",
        ": error :",
        ": warning :",
    ),
    _Reader,
    before=3,
)
