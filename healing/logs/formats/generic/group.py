"""A file's name on a line of its own and rows of `line:column  severity  message  rule` below, as linters print."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.logs.wording import FILE, SOUNDS_WRONG, SOURCES, category, default_score, read_words
from healing.model import Severity

_HEAD = re.compile(
    rf"(?:=+ |-+ |#+ |> |\S{{0,2}} ?File: ?|\* |✖ |× )?{FILE}:?(?: =+| -+|:? ?\(\d{{1,5}} \w{{1,12}}\))?\s{{0,4}}$"
)
_AT = r"(?P<line>\d{1,7})(?:\s{0,3}[:,.]\s{0,3}(?P<column>\d{1,6}))?(?:-\d{1,7}(?::\d{1,6})?)?"
_SIGN = r"(?:[-*•●✖✗✘×❌⚠‼>]️?\s{1,3})"
_LEVEL = r"(?i:error|warning|warn|info|note|suggestion|fatal)"
_ROW = re.compile(
    rf"(?:\s{{1,12}}{_SIGN}?|{_SIGN}|(?=L\d)|(?=\d{{1,7}}:\d{{1,6}}(?:\t| {_LEVEL})))"
    rf"(?:(?P<first>{_LEVEL}):?\s{{1,12}})?"
    rf"(?:\[?(?i:line|l)?\s?{_AT}\]?|\({_AT.replace('<line>', '<row>').replace('<column>', '<col>')}\))"
    r"(?::\s{1,8}|\t|\s{2,12}|(?<=\])\s|\s(?=(?i:error|warning)|[✖✗×⚠]))(?P<message>\S.*)$"
)
_ROW_END = re.compile(
    rf"(?:\s{{1,12}}{_SIGN}?|{_SIGN})(?P<message>[^\s()].{{3,400}}?)\s{{1,8}}[(\[](?:(?i:line|l) ?"
    rf"(?P<row>\d{{1,7}})|(?P<line>\d{{1,7}})"
    r"[:,] ?(?P<column>\d{1,6}))[)\]]\s{0,4}$"
)
_CODED = re.compile(
    r"\s{0,8}(?P<code>[A-Z]{1,5}\d{2,6}):?\s{1,4}(?P<line>\d{1,7}):(?P<column>\d{1,6}):?\s{1,4}(?P<message>\S.*)$"
)
_LETTER = re.compile(r"(?P<severity>[A-Z]):\s{0,6}(?P<line>\d{1,7}):\s{0,6}(?P<column>\d{1,6}): (?P<message>\S.*)$")
# Without a severity: the message sounds like an error, or there is a rule in a column of its own.
_PLAIN = re.compile(
    rf"\s{{0,4}}(?P<line>\d{{1,7}}):(?P<column>\d{{1,6}})\s(?P<message>(?=.{{0,300}}(?i:{SOUNDS_WRONG.pattern})"
    r"|.{3,300}\s{2,}[a-z@][\w@/.-]{2,80}$)[A-Za-z`'\"].{3,400})$"
)
_WORD = re.compile(r"[A-Za-z]{2}")
_COLUMNS = re.compile(r"\s{2,}")
_RULE = re.compile(r"[a-z@][\w@/.-]{2,80}$")
_QUIET = 2  # other lines in a row that may be between two rows: source, carets


class _Reader:
    """Reads rows; busy from a file's name to the end of its rows."""

    def __init__(self, _paths: Paths) -> None:
        self._file: str | None = None
        self._other = 0

    @property
    def busy(self) -> bool:
        return self._file is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if self._file is not None:
            if (
                match := _ROW.match(text)
                or _LETTER.match(text)
                or _ROW_END.match(text)
                or _CODED.match(text)
                or _PLAIN.match(text)
            ):
                self._other = 0
                return self._row(self._file, match, line)
            self._other += 1
            if not text.strip() or self._other > _QUIET:
                self._file = None
        if len(text) < 400 and (match := _HEAD.match(text)):
            self._file, self._other = match["file"], 0
        return ()

    def close(self) -> Iterable[Finding]:
        return ()

    def _row(self, file: str, match: re.Match[str], line: Line) -> Iterable[Finding]:
        groups = match.groupdict()
        message = match["message"]
        if level := groups.get("severity") or groups.get("first"):
            message = f"{level}: {message}"
        words = read_words(message)
        if not _WORD.search(words.message):
            return ()
        text, code = _rule(words.message, groups.get("code") or words.code)
        severity = words.severity or Severity.ERROR
        return (
            Finding(
                tool="generic",
                category=category(words._replace(severity=severity)),
                code=code,
                severity=severity,
                message=text,
                file=file,
                line=number(groups.get("line") or groups.get("row")),
                column=number(groups.get("column") or groups.get("col")),
                log_line=line.number,
                excerpt=line.text,
                score=default_score(severity),
            ),
        )


def _rule(message: str, code: str | None) -> tuple[str, str | None]:
    """(message, code), where the rule's name may be in a column of its own at the end."""
    parts = _COLUMNS.split(message)
    if code is None and len(parts) > 1 and _RULE.match(parts[-1]):
        return "  ".join(parts[:-1]), parts[-1]
    return message, code


# For lines that end with a source file's name: the newline is part of the literal.
FORMAT = Format(
    "generic-group", tuple(f".{ending}{after}\n" for ending in SOURCES for after in ("", ":", " ==")), _Reader, rank=0
)
