"""oxlint, SWC, Rolldown and others with miette's code frames: a sign, a message, and `╭─[file:line:column]` below."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Severity

_HEAD = re.compile(
    r"(?:Error: )?\s{0,6}(?P<sign>[×x✖⚠!☞])\s{1,3}(?:(?P<code>[\w-]{2,40}\([\w@/-]{2,80}\)): )?(?P<message>\S.*)$"
)
_PLACE = re.compile(
    r"\s{1,12}(?:╭─+|,-+)\[(?P<file>(?:[A-Za-z]:[\\/])?[^\]:]{1,400}\.(?:[cm]?[jt]sx?|vue|svelte|astro|css|json)):"
    r"(?P<line>\d{1,9}):(?P<column>\d{1,9})\]"
)
_HELP = re.compile(r"\s{1,6}help: (?P<help>\S.*)$")
_WRAPPED = re.compile(r"\s{1,6}[│|] (?P<more>\S.*)$")
_CODE = re.compile(r"\s{0,8}(?P<line>\d{1,9}) [│|] ")
_MARK = re.compile(r"\s{0,10}[·:] (?P<before>\s{0,400})[─┬^]")
_KEPT = 40


class _Reader:
    """Holds a sign's line until the place below it, and that until the help below the code frame."""

    def __init__(self, _paths: Paths) -> None:
        self._head: re.Match[str] | None = None
        self._place: re.Match[str] | None = None
        self._words: list[str] = []
        self._lines: list[str] = []
        self._at = self._last = 0

    @property
    def busy(self) -> bool:
        return self._head is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if self._head is None or (self._place and (not text.strip() or _HEAD.match(text))):
            done = self.close() if self._place else ()
            self._begin(line)
            return done
        if (help_ := _HELP.match(text)) and self._place:
            return self._finish(help_["help"], line)
        if self._place is None and (place := _PLACE.match(text)):
            self._place = place
        elif self._place is None and (more := _WRAPPED.match(text)):
            self._words.append(more["more"])
        elif self._place is None or len(self._lines) > _KEPT or not text.startswith((" ", "╰")):
            done = self.close()
            self._begin(line)
            return done
        self._lines.append(text)
        self._last = line.number
        return ()

    def close(self) -> Iterable[Finding]:
        return self._finish(None, None)

    def _begin(self, line: Line) -> None:
        self._head, self._place = _HEAD.match(line.text), None
        self._words, self._lines, self._at, self._last = [], [line.text], line.number, line.number

    def _finish(self, suggestion: str | None, line: Line | None) -> Iterable[Finding]:
        head, place, self._head, self._place = self._head, self._place, None, None
        if head is None or place is None:
            return ()
        error = head["sign"] in "×x✖"
        line_, column = _marked(self._lines) or (number(place["line"]), number(place["column"]))
        if line:
            self._lines.append(line.text)
        return (
            Finding(
                tool="oxlint" if head["code"] else "swc",
                code=head["code"],
                category=Category.LINT if head["code"] else Category.SYNTAX,
                severity=Severity.ERROR if error else Severity.WARNING,
                message=" ".join([head["message"], *self._words]),
                file=place["file"],
                line=line_,
                column=column,
                log_line=self._at,
                span=(self._at, line.number if line else self._last),
                suggestion=suggestion,
                excerpt="\n".join(self._lines),
                score=1.0 if error else 0.2,
            ),
        )


def _marked(lines: list[str]) -> tuple[int | None, int | None] | None:
    """The place of the first mark in the code frame; in the bracket, SWC prints the frame's first line instead."""
    shown = None
    for text in lines:
        if code := _CODE.match(text):
            shown = number(code["line"])
        elif shown and (mark := _MARK.match(text)):
            return shown, len(mark["before"]) + 1
    return None


FORMAT = Format("oxlint", ("  × ", "  ⚠ ", "  x ", "  ! ", "  ✖ "), _Reader)
