"""Catch2 and doctest: one error for each failed assertion, named after its test case and sections."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_RULE = re.compile(r"(?:\d{1,6}: )?(?:-{40,}|={40,}|~{40,}|\.{40,})$")
_FAILED = re.compile(
    r"(?:\d{1,6}: )?(?P<file>(?:[A-Za-z]:)?[^\s:()][^:()]{0,400}?)(?::(?P<line>\d{1,9})"
    r"|\((?P<row>\d{1,9})\)): (?:FAILED:|(?:FATAL )?ERROR: (?P<words>(?:[A-Z_]{2,40}\(|test case |subcase ).*))$"
)
_CASE = re.compile(r"(?:\d{1,6}: )?TEST (?:CASE|SUITE):\s{1,4}(?P<name>\S.{0,300})$")
_HEADING = re.compile(r"(?:\d{1,6}: )?(?P<name>\S.{0,300})$")
_PLACE = re.compile(r"(?:\d{1,6}: )?\S.{0,400}?[:(]\d{1,9}\)?:?$")
_COMPARED = re.compile(
    r"(?:values: \w{1,40}\( )?(?P<actual>.{1,300}?) (?:==|!=|<=|>=|<|>) (?P<expected>.{1,300}?)(?: \))?$"
)
_LINES = 30


class _Reader:
    """Reads the test case's name in the heading between two rules, then assertions, each up to the next rule or
    assertion."""

    def __init__(self, _paths: Paths) -> None:
        self._case: list[str] = []
        self._heading = False
        self._open: Finding | None = None
        self._words: list[str] = []

    @property
    def busy(self) -> bool:
        return self._open is not None or self._heading

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if _RULE.match(text):
            done = self.close()
            self._heading = not self._heading and text.lstrip("0123456789: ").startswith("-")
            self._case = [] if self._heading else self._case
            return done
        if match := _FAILED.match(text):
            done = self.close()
            self._start(match, line)
            return done
        if match := _CASE.match(text):
            self._case = [match["name"]]
        elif self._heading and not _PLACE.match(text) and (match := _HEADING.match(text.strip())):
            self._case.append(match["name"])
            self._heading = len(self._case) < 8
        elif self._open is not None:
            self._inside(self._open, line)
        return ()

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        if done is None:
            return ()
        words = [w for w in self._words if w]
        values = words[words.index("with expansion:") + 1 :] if "with expansion:" in words else words[1:]
        compared = next((m for w in values if (m := _COMPARED.match(w))), None)
        return (
            replace(
                done,
                message="\n".join(words) or "failed",
                actual=compared["actual"] if compared else None,
                expected=compared["expected"] if compared else None,
                excerpt="\n".join([done.excerpt, *words]),
            ),
        )

    def _start(self, match: re.Match[str], line: Line) -> None:
        self._words = [match["words"]] if match["words"] else []
        self._heading = False
        self._open = Finding(
            tool="catch",
            category=Category.TEST,
            message="",
            file=match["file"],
            line=number(match["line"] or match["row"]),
            test="/".join(self._case) or None,
            log_line=line.number,
            span=(line.number, line.number),
            excerpt=line.text,
        )

    def _inside(self, error: Finding, line: Line) -> None:
        if len(self._words) < _LINES:
            self._words.append(line.text.strip())
            self._open = replace(error, span=(error.log_line, line.number))


FORMAT = Format(
    "catch", (": FAILED:", ": ERROR: ", "FATAL ERROR: ", "TEST CASE:", "-" * 60, "=" * 60), _Reader, before=12
)
