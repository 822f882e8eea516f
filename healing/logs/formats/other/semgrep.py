"""semgrep: a file, below it each rule that matched with its message, and the lines of each match."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding
from healing.logs.lines import Line
from healing.logs.row_blocks import RowBlock, block_format
from healing.model import Category, Severity

_HEAD = re.compile(r"│ \d{1,7} (?:\w{1,20} ){0,3}Code Findings? │")
_FILE = re.compile(r"\s{2,4}(?P<file>[^\s❯❱┆][^❯❱┆]{0,400}?)\s{0,9}$")
_RULE = re.compile(r"\s{2,7}(?:(?P<level>❯{0,2}❱) )?(?P<rule>[\w-][\w.-]{2,300})\s{0,9}$")
_WORDS = re.compile(r"\s{9,11}(?P<words>[^\s❰⋮▶].{0,2000}?)\s{0,200}$")
_CODE = re.compile(r"\s{5,13}(?P<line>\d{1,7})┆ ?(?P<code>.{0,2000})$")
_FIX = re.compile(r"\s{5,13}▶▶┆ Autofix ▶ (?P<fix>.{1,2000})$")
_LEVELS = {"❯❯❱": Severity.ERROR, "❯❱": Severity.WARNING, "❱": Severity.NOTE}


class _Matches:
    """Reads a report, and keeps the file, rule and message of the lines above."""

    def __init__(self) -> None:
        self.file = self.rule = self.level = self.fix = ""
        self.words: list[str] = []
        self.shown: list[Line] = []  # the lines of the match

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if _CODE.match(text):
            self.shown.append(line)
            return
        yield from self.end()
        if match := _FIX.match(text):
            self.fix = match["fix"]
        elif match := _RULE.match(text):
            if match["level"] or ("." in match["rule"] and text.startswith("      ")):
                self.rule, self.level, self.words, self.fix = match["rule"], match["level"] or "", [], ""
            elif not text.startswith("      "):
                self.file = match["rule"]
        elif match := _FILE.match(text):
            self.file = match["file"]
        elif (match := _WORDS.match(text)) and len(self.words) < 12:
            self.words.append(match["words"])

    def end(self) -> Iterable[Finding]:
        shown, self.shown = self.shown, []
        if not shown or not self.rule:
            return
        lines = [match for line in shown if (match := _CODE.match(line.text))]
        yield Finding(
            tool="semgrep",
            code=self.rule,
            category=Category.SECURITY if "security" in self.rule else Category.LINT,
            severity=_LEVELS.get(self.level, Severity.ERROR),
            message=" ".join(self.words) or self.rule,
            file=self.file or None,
            line=int(lines[0]["line"]),
            end_line=int(lines[-1]["line"]) if len(lines) > 1 else None,
            suggestion=self.fix or None,
            log_line=shown[0].number,
            span=(shown[0].number, shown[-1].number),
            excerpt="\n".join(line.text for line in shown[:20]),
        )


def _findings(lines: list[Line]) -> Iterable[Finding]:
    matches = _Matches()
    for line in lines[1:]:
        yield from matches.read(line)
    yield from matches.end()


FORMAT = block_format(
    "semgrep",
    ("Code Finding",),
    RowBlock(begins=_HEAD, ends=re.compile(r"│ |##\["), build=_findings, most=20_000),
)
