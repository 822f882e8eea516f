"""doctest run by itself: the place of an example, its source, the expected and the actual output. Under pytest, its
format reads them."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_WHERE = re.compile(r'File "(?P<file>[^"]{1,500})", line (?P<line>\d{1,9}), in (?P<test>\S.{0,300})$')
_HEADS = {"Failed example:": "example", "Expected:": "expected", "Got:": "got", "Exception raised:": "got"}
_EMPTY = {"Expected nothing": "expected", "Got nothing": "got"}
_LINES = 60


class _Reader:
    """Reads failed examples; busy from one to the line of stars after it."""

    def __init__(self, _paths: Paths) -> None:
        self._where: re.Match[str] | None = None
        self._first = 0
        self._last = 0
        self._part = ""
        self._parts: dict[str, list[str]] = {}

    @property
    def busy(self) -> bool:
        return bool(self._part)

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if not self._part:
            if text == "Failed example:" and self._where is not None and line.number == self._first + 1:
                self._part, self._parts = "example", {"example": []}
            elif where := _WHERE.match(text):
                self._where, self._first = where, line.number
            return ()
        if text.startswith("*****") or line.number - self._first > _LINES:
            return self.close()
        self._last = line.number
        if text in _HEADS or text in _EMPTY:
            self._part = _HEADS.get(text) or _EMPTY[text]
            self._parts.setdefault(self._part, [])
        else:
            self._parts[self._part].append(text.removeprefix("    "))
        return ()

    def close(self) -> Iterable[Finding]:
        where, parts, self._part = self._where, self._parts, ""
        if where is None or not parts:
            return ()
        self._where, self._parts = None, {}
        example, expected, got = ("\n".join(parts.get(name, ())) for name in ("example", "expected", "got"))
        raised = got.startswith("Traceback ")
        return (
            Finding(
                tool="doctest",
                category=Category.TEST,
                message=f"{example}: {got.splitlines()[-1]}"
                if raised
                else f"{example}: expected {expected or 'nothing'}, got {got or 'nothing'}",
                file=where["file"],
                line=number(where["line"]),
                test=where["test"],
                expected=expected or None,
                actual=None if raised else got,
                log_line=self._first,
                span=(self._first, self._last),
                excerpt="\n".join([where.string, example, expected, got]),
            ),
        )


FORMAT = Format("doctest", ("Failed example:",), _Reader)
