"""The TypeScript compiler, plain and --pretty, and tools that print the same: vue-tsc, ts-node, ts-loader, ng build."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related, Severity

_FILE = r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:(][^:]{0,400}?)"
_SAYS = r"(?P<level>error|warning|message)\s{1,4}(?P<code>(?:TS|NG|TSCONFIG)-?\d{1,8}): (?P<message>.*)$"
_BEFORE = r"(?:\[tsl\] |\s?Exception during run: )?(?:Error: )?"  # ts-loader's, mocha's, ng build's
_ROWS = (
    re.compile(rf"{_BEFORE}{_FILE}\((?P<line>\d{{1,9}}),(?P<column>\d{{1,9}})\): {_SAYS}"),
    re.compile(rf"(?:Error: )?{_FILE}:(?P<line>\d{{1,9}}):(?P<column>\d{{1,9}}) - {_SAYS}"),
    re.compile(_SAYS),
)
_PLACE = re.compile(r"  (?P<file>\S[^:]{0,400}):(?P<line>\d{1,9}):(?P<column>\d{1,9})(?: - (?P<message>\S.*))?$")
_PICTURE = re.compile(r"\d{1,9}\s|\s{1,10}~|\s{2,9}\d{1,9}\s|\.\.\.|$")
_KEPT, _NOTES = 60, 20


class _Reader:
    """Holds each error until the next one, so that its chain of reasons, code frame and related places can be added."""

    def __init__(self, _paths: Paths) -> None:
        self._open: Finding | None = None
        self._last = 0

    @property
    def busy(self) -> bool:
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        match = _match(line.text) if ": " in line.text else None
        if match:
            done = self.close()
            self._open, self._last = _finding(match, line), line.number
            return done
        if self._open is None or self._joins(self._open, line):
            return ()
        return self.close()

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        if done is None:
            return ()
        span = (done.log_line, self._last) if self._last > done.log_line else None
        return (replace(done, span=span, excerpt=done.excerpt.rstrip()),)

    def _joins(self, error: Finding, line: Line) -> bool:
        text = line.text
        if error.excerpt.count("\n") >= _KEPT or not (text.startswith("  ") or _PICTURE.match(text)):
            return False
        if text.strip():
            self._last = line.number
        related = error.related
        if (place := _PLACE.match(text)) and len(related) < _NOTES:
            note = Related(
                file=place["file"],
                line=number(place["line"]),
                column=number(place["column"]),
                message=place["message"] or "",
            )
            related = (*related, note)
        elif related and not related[-1].message and text.startswith("    ") and not _PICTURE.match(text[4:]):
            related = (*related[:-1], related[-1].model_copy(update={"message": text.strip()}))
        self._open = replace(error, related=related, excerpt=f"{error.excerpt}\n{text}")
        return True


def _match(text: str) -> re.Match[str] | None:
    return next((match for row in _ROWS if (match := row.match(text))), None)


def _finding(match: re.Match[str], line: Line) -> Finding:
    groups = match.groupdict()
    code = groups["code"]
    digits = int(re.sub(r"\D", "", code))
    return Finding(
        tool="tsc",
        code=code,
        category=_category(digits, bool(groups.get("file"))),
        severity=Severity.ERROR if groups["level"] == "error" else Severity.WARNING,
        message=groups["message"],
        file=groups.get("file"),
        line=number(groups.get("line")),
        column=number(groups.get("column")),
        log_line=line.number,
        excerpt=line.text,
    )


def _category(digits: int, located: bool) -> Category:
    """The category of an error number: 1xxx are syntax errors, 2xxx types, 5xxx options, 6xxx the command line."""
    if digits in (2307, 2306, 2305, 2614, 2792, 7016):
        return Category.IMPORT
    if 1000 <= digits < 2000:
        return Category.SYNTAX
    return (
        Category.CONFIG
        if (5000 <= digits < 7000 and digits not in (6133, 6192, 6196, 6198)) or not located
        else Category.TYPE
    )


FORMAT = Format("tsc", ("error TS", "error NG", "warning TS", "warning NG", "error  TS"), _Reader)
