"""A headline and, below it, an arrow or a border with the place: errors of compilers that print code frames."""

import re
from collections import deque
from collections.abc import Iterable

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.logs.wording import category, default_score, read_words
from healing.model import Severity

_AT = r"(?P<file>[^\s\[\]()][^\[\]:()]{0,400}):(?P<line>\d{1,7})(?::(?P<column>\d{1,6}))?"
_ARROW = re.compile(
    r"\s{0,12}(?:\d{0,6}\s?[│|]?\s{0,4})(?:-->|==>|→|->|╭─+\[|,-+\[|┌─+|╭▸|at(?= [./~\w-]{1,300}:\d)"
    r"|in(?= [./~\w-]{1,300}:\d)|(?i:location|file|source|where|path): )"
    rf" ?{_AT}:?\s?\]?(?:\s.{{0,200}})?$"
)
_LINE_OF = re.compile(
    r"\s{1,12}(?:(?:at|on) )?line (?P<line>\d{1,7})(?:,? col(?:umn)? (?P<column>\d{1,6}))? (?:of|in) "
    r"(?P<file>[^\s:]{1,400})$"
)
_HEAD = re.compile(
    r"\s{0,4}(?:\[(?P<first>[\w:/.@-]{1,40})\] )?(?:(?P<level>(?:[A-Z]\w{0,40})?"
    r"(?i:error|warning|warn|note|help|info|fatal))\b ?"
    r"(?:\[(?P<code>[\w:/.@-]{1,80})\]|\((?P<rule>[\w:/.@-]{1,80})\))?\s{0,2}:\s{0,4}"
    r"|(?P<sign>[×✖✗⚠☞!])\s{1,4})(?P<message>\S.*)$"
)
_MORE = re.compile(r"\s{1,6}[│|]\s{1,6}(?P<more>\S.*)$")
_SIGNS = {"×": Severity.ERROR, "✖": Severity.ERROR, "✗": Severity.ERROR, "⚠": Severity.WARNING, "!": Severity.WARNING}
_BEFORE = 5


class _Reader:
    """Keeps the lines before an arrow; the headline is the nearest one that looks like one."""

    busy = False

    def __init__(self, _paths: Paths) -> None:
        self._before: deque[Line] = deque(maxlen=_BEFORE)

    def read(self, line: Line) -> Iterable[Finding]:
        findings: tuple[Finding, ...] = ()
        if match := _ARROW.match(line.text) or _LINE_OF.match(line.text):
            findings = self._finding(match, line)
        self._before.append(line)
        return findings

    def close(self) -> Iterable[Finding]:
        return ()

    def _finding(self, arrow: re.Match[str], line: Line) -> tuple[Finding, ...]:
        head, more, at = None, [], line.number
        for before in reversed(self._before):
            if before.number < line.number - _BEFORE or _ARROW.match(before.text):
                break
            if head := _HEAD.match(before.text):
                at = before.number
                break
            if wrapped := _MORE.match(before.text):
                more.append(wrapped["more"])
        severity = _severity(head) if head else Severity.NOTE
        if head is None or severity is Severity.NOTE:  # a note's place belongs to the error above it
            return ()
        message = " ".join([head["message"], *reversed(more)])
        words = read_words(message)
        return (
            Finding(
                tool="generic",
                category=category(words._replace(severity=severity)),
                code=head["code"] or head["rule"] or head["first"] or words.code,
                severity=severity,
                message=words.message,
                file=arrow["file"],
                line=number(arrow["line"]),
                column=number(arrow["column"]),
                log_line=at,
                span=(at, line.number),
                excerpt=f"{head.string}\n{line.text}",
                score=default_score(severity),
            ),
        )


def _severity(head: re.Match[str]) -> Severity:
    if head["sign"]:
        return _SIGNS.get(head["sign"], Severity.NOTE)
    level = head["level"].lower()
    if level.endswith(("error", "fatal")):
        return Severity.ERROR
    return Severity.WARNING if level.endswith(("warn", "warning")) else Severity.NOTE


_SIGNS_OF_PLACES = (
    "--> ", "==> ", "─[", ",-[", "┌─ ", "╭▸ ", "  at /", "  at ./", "  at src", "  at lib", "  at test",
    "  → ", "  -> ",
    "ocation: ", "  in /", "  in ./", "  in src", "  in lib", "  in test", "  on line ", "  at line ",
    "File: ", "Source: ",
)  # fmt: skip
FORMAT = Format("generic-arrow", _SIGNS_OF_PLACES, _Reader, rank=0, before=_BEFORE)
