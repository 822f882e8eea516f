"""Scala: sbt, scalac 2 and 3, scalastyle, scalafmt, scalafix."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related, Severity

_SBT = r"\[(?P<level>error|warn)\] "
_FILE = r"(?P<file>(?:[A-Za-z]:[\\/]|/)?[^\s:()=][^:()=]{0,400}?\.(?:scala|sbt|sc|java|conf|kt))"
_ROW = re.compile(
    rf"{_SBT}(?:-- )?{_FILE}:(?:(?P<line>\d{{1,9}}):(?:(?P<column>\d{{1,9}}):)?)? (?:(?:error"
    rf"|warning): )?(?P<message>\S.*)$"
)
_DOTTY = re.compile(
    r"(?:\[(?P<level>error|warn)\] )?-- (?:\[(?P<code>E\d{1,5})\] )?(?P<kind>[\w ]{0,40}?(?P<said>Error|Warning)): "
    rf"{_FILE}:(?P<line>\d{{1,9}}):(?P<column>\d{{1,9}})(?: -{{1,200}})?\s{{0,4}}$"
)
_STYLE = re.compile(
    r"(?P<level>error"
    r"|warning) file="
    r"(?P<file>\S.{0,400}?) message=(?P<message>.*?)(?: line=(?P<line>\d{1,9}))?(?: column=(?P<column>\d{1,9}))?$"
)
_FORMATTED = re.compile(
    r"(?:\[(?P<level>error|warn)\] )?(?:--- )?(?P<file>\S{1,400}\.(?:scala|sbt|sc)) (?:isn't formatted properly!"
    r"|was not formatted)"
)
_BODY = re.compile(r"(?:\[(?:error|warn)\]\s?)?\s{0,4}(?:\d{0,7}\s{0,6}\|)(?P<text>.*)$")
_CARET = re.compile(r"[\s|]{0,400}\^[\^~-]{0,400}\s*$")
_NO_SOURCE = re.compile(r"\(|Total time|Failed tests|Error during tests|Passed tests|\t|stack trace is")
_LINES = 40


class _Reader:
    """Reads sbt's rows; message and code frame follow with the same mark, in Scala 3 beside a bar."""

    def __init__(self, _paths: Paths) -> None:
        self._open: Finding | None = None
        self._mark = ""
        self._words: list[str] = []

    @property
    def busy(self) -> bool:
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        finding = _match(text, line) if len(text) < 8000 else None
        if finding is None:
            return () if self._open and self._joins(text, line) else self.close()
        done = self.close()
        self._open, self._words = finding, []
        self._mark = text[: text.find("]") + 1] if text.startswith("[") else ""
        return done

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        if done is None:
            return ()
        return (replace(done, message=_message(self._words) or done.message, category=_category(done)),)

    def _joins(self, text: str, line: Line) -> bool:
        error = self._open
        if error is None or error.excerpt.count("\n") >= _LINES or error.tool in ("scalastyle", "scalafmt"):
            return False
        if self._mark and not text.startswith(self._mark):
            return False
        rest = text[len(self._mark) :]
        if not rest.strip() or rest.startswith((" (", " Total ", " Failed")):
            return False
        body = _BODY.match(text)
        if self._dotty and not body:
            return False
        if body and (words := body["text"].strip()) and not words.startswith(("^", "longer explanation")):
            self._words.append(body["text"])
        column = len(rest.rstrip()) - 1 if _CARET.match(rest) and not self._dotty else None
        note = () if column or rest.startswith("    ") or self._dotty else (Related(message=rest.strip()),)
        self._open = replace(
            error,
            column=error.column or column,
            related=(*error.related, *note)[:10],
            span=(error.log_line, line.number),
            excerpt=f"{error.excerpt}\n{text}",
        )
        return not column

    @property
    def _dotty(self) -> bool:
        return self._open is not None and self._open.message.startswith("-- ")


def _match(text: str, line: Line) -> Finding | None:
    if match := _DOTTY.match(text):
        severity = Severity.ERROR if match["said"] == "Error" else Severity.WARNING
        return _finding("scalac", match.groupdict() | {"message": f"-- {match['kind']}"}, line, severity)
    if match := _STYLE.match(text):
        severity = Severity.ERROR if match["level"] == "error" else Severity.WARNING
        return _finding("scalastyle", match.groupdict(), line, severity)
    if match := _FORMATTED.match(text):
        groups = match.groupdict() | {"message": "is not formatted", "code": "unformatted"}
        return _finding("scalafmt", groups, line, Severity.ERROR)
    if (match := _ROW.match(text)) and not _NO_SOURCE.match(match["message"]):
        severity = Severity.ERROR if match["level"] == "error" else Severity.WARNING
        return _finding("scalac", match.groupdict(), line, severity)
    return None


def _finding(tool: str, groups: dict[str, str | None], line: Line, severity: Severity) -> Finding:
    return Finding(
        tool=tool,
        code=groups.get("code"),
        category=Category.FORMAT if tool == "scalafmt" else Category.LINT if tool == "scalastyle" else Category.COMPILE,
        severity=severity,
        message=groups["message"] or "",
        file=groups["file"],
        line=number(groups.get("line")),
        column=number(groups.get("column")),
        log_line=line.number,
        excerpt=line.text,
        score=1.0 if severity is Severity.ERROR else 0.2,
    )


def _message(words: list[str]) -> str:
    """Scala 3's message; the first line beside the bar is the source, the message is below the carets."""
    return " ".join(text.strip() for text in words[1:6])


def _category(error: Finding) -> Category:
    if error.category is not Category.COMPILE:
        return error.category
    if error.severity is not Severity.ERROR:
        return Category.LINT
    if re.search(r"Syntax Error| expected but |illegal start|unclosed ", error.message):
        return Category.SYNTAX
    if re.search(r"not found: |is not a member of package|Not Found Error", error.message):
        return Category.IMPORT
    return Category.TYPE if re.search(r"type mismatch|Type Mismatch", error.message) else Category.COMPILE


FORMAT = Format(
    "scalac", ("[error] ", "[warn] ", "-- [E", "-- Error: ", "-- Warning: ", " file=", "formatted"), _Reader, before=0
)
