"""PHP's reports in tables: phpstan and larastan (Line, file; rows; tips), phpcs (FILE:, rows with bars)."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Severity

_RULE = re.compile(r"\s{0,3}-{2,10} -{4,400}\s*$")
_STAN_HEAD = re.compile(r"\s{0,3}Line\s{1,8}(?P<file>\S.{0,400}?)(?: \(in context of .{1,400}\))?\s*$")
_STAN_ROW = re.compile(r"\s{0,3}(?P<line>:?\d{1,9})\s{1,8}(?P<message>\S.*?)\s*$")
_STAN_MORE = re.compile(r"\s{6,14}(?P<message>\S.*?)\s*$")
_ASIDE = re.compile(
    r"(?:🪪|🔖)?\s{0,4}(?P<code>[a-z][A-Za-z]{1,60}(?:\.[A-Za-z]{1,60}){1,4})$|(?P<tip>💡|✏️|at (?=/)"
    r"|\xb7)"
)
_CS_HEAD = re.compile(r"FILE: (?P<file>\S.{0,400}?)\s*$")
_CS_ROW = re.compile(
    r"\s{0,8}(?P<line>\d{1,9})\s\|\s(?P<level>ERROR|WARNING)\s{1,3}\|\s(?:\[(?P<fix>[ x])\]\s)?(?P<message>\S.*?)\s*$"
)
_CS_MORE = re.compile(r"\s{0,16}\|\s{3,9}\|\s{1,8}(?P<message>\S.*?)\s*$")
_CS_CODE = re.compile(r"(?:^| )\((?P<code>\w{1,60}(?:\.\w{1,80}){1,4})\)$")
_MORE = 20


class _Reader:
    """Reads a file, then its rows; a row continues below with an empty line column."""

    def __init__(self, _paths: Paths) -> None:
        self._tool = ""
        self._file = ""
        self._open: Finding | None = None
        self._quiet = 0

    @property
    def busy(self) -> bool:
        return self._tool != ""

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if len(text) > 4000:
            return ()
        for tool, pattern in (("phpstan", _STAN_HEAD), ("phpcs", _CS_HEAD)):
            if match := pattern.match(text):
                done = self.close()
                self._tool, self._file, self._quiet = tool, match["file"], 0
                return done
        if not self._tool:
            return ()
        return self._row(text, line)

    def close(self) -> Iterable[Finding]:
        self._tool = ""
        return self._finish()

    def _finish(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        if done is None or (done.tool == "phpcs" and (code := _CS_CODE.search(done.message)) is None):
            return (done,) if done else ()
        if done.tool == "phpcs" and code:
            done = replace(done, code=code["code"], message=done.message[: code.start()].strip())
        return (done,)

    def _row(self, text: str, line: Line) -> Iterable[Finding]:
        row, more = (_STAN_ROW, _STAN_MORE) if self._tool == "phpstan" else (_CS_ROW, _CS_MORE)
        if match := row.match(text):
            done = self._finish()
            self._open, self._quiet = self._finding(match, line), 0
            return done
        if self._open and (match := more.match(text)) and self._open.excerpt.count("\n") < _MORE:
            self._open = _joined(self._open, match["message"], line)
            return ()
        self._quiet += 1
        done = self._finish() if self._open else ()
        if self._quiet > 4:
            self._tool = ""
        return done

    def _finding(self, match: re.Match[str], line: Line) -> Finding:
        groups = match.groupdict()
        warning = groups.get("level") == "WARNING"
        return Finding(
            tool=self._tool,
            category=Category.TYPE if self._tool == "phpstan" else Category.LINT,
            severity=Severity.WARNING if warning else Severity.ERROR,
            message=groups["message"],
            file=self._file,
            line=int(groups["line"].lstrip(":")) or None,
            log_line=line.number,
            span=(line.number, line.number),
            excerpt=line.text,
            suggestion="phpcbf can fix this." if groups.get("fix") == "x" else None,
        )


def _joined(error: Finding, words: str, line: Line) -> Finding:
    error = replace(error, span=(error.log_line, line.number), excerpt=f"{error.excerpt}\n{line.text}")
    aside = _ASIDE.match(words) if error.tool == "phpstan" else None
    if aside and aside["code"]:
        return replace(error, code=aside["code"])
    if aside or (error.suggestion and error.tool == "phpstan"):
        tip = words.lstrip("💡 ")
        return replace(error, suggestion=f"{error.suggestion} {tip}" if error.suggestion else tip)
    return replace(error, message=f"{error.message} {words}")


FORMAT = Format("phpstan", ("  Line  ", "FILE: "), _Reader, before=0)
