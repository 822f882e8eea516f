"""Composer: requirements that can't be met, files that it can't read, failed scripts."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_PROBLEM = re.compile(r"\s{1,4}Problem \d{1,4}$")
_REASON = re.compile(r"\s{2,8}- (?P<message>\S.*)$")
_JSON = re.compile(
    r"\s{1,4}\"(?P<file>\S{0,300}?composer\.(?:json|lock))\" does not (?P<message>contain valid JSON"
    r"|match the expected JSON schema).*$"
)
_LINE = re.compile(r"\s{1,4}Parse error on line (?P<line>\d{1,9}):")
_LOCK = re.compile(
    r"(?P<message>(?:The lock file is not up to date|Required package \".{1,200}\" is not present in the lock file"
    r"|Your lock file does not contain|Your requirements could not be resolved|Could not find package"
    r"|Your Composer dependencies require a PHP).*)$"
)
_LINES = 12


class _Reader:
    """Reads problems with the list of reasons below each."""

    def __init__(self, _paths: Paths) -> None:
        self._first = 0
        self._reasons: list[str] = []
        self._json: tuple[re.Match[str], int] | None = None

    @property
    def busy(self) -> bool:
        return self._first > 0 or self._json is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text[:4000]
        if _PROBLEM.match(text):
            done = self.close()
            self._first = line.number
            return done
        if self._first:
            if (match := _REASON.match(text)) and len(self._reasons) < _LINES:
                self._reasons.append(match["message"])
                return ()
            return self.close()
        if self._json:
            match, at = self._json
            self._json = None
            row = _LINE.match(text)
            return (_finding(f"does not {match['message']}", at, match["file"], int(row["line"]) if row else None),)
        if match := _JSON.match(text):
            self._json = (match, line.number)
        elif (match := _LOCK.match(text)) and not text.startswith("Your requirements"):
            return (_finding(match["message"], line.number, None, None),)
        return ()

    def close(self) -> Iterable[Finding]:
        first, reasons, self._first, self._reasons = self._first, self._reasons, 0, []
        if not first or not reasons:
            return ()
        return (_finding(" ".join(reasons), first, "composer.json", None, last=first + len(reasons)),)


def _finding(message: str, at: int, file: str | None, row: int | None, last: int = 0) -> Finding:
    return Finding(
        tool="composer",
        category=Category.SYNTAX if row else Category.DEPENDENCY,
        message=message,
        file=file,
        line=row,
        log_line=at,
        span=(at, last) if last else None,
        excerpt=message,
    )


_HINTS = (
    "  Problem ",
    'composer.json" does',
    'composer.lock" does',
    "lock file",
    "Could not find package",
    "Composer dep",
)
FORMAT = Format("composer", _HINTS, _Reader, before=0)
