"""LaTeX: `! Undefined control sequence.` with `l.12 …` below, or `./x.tex:12: …`; ChkTeX."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.logs.shapes import Row, shaped
from healing.model import Category

_START = re.compile(
    r"This is \S{0,4}(?:pdf|Xe|Lua|e-)?(?:La)?TeX|LaTeX2e <|\(\./[^\s()]{1,200}\.(?:tex|ltx|dtx|sty|cls)\b"
)
_OVER = re.compile(r"Transcript written on |(?: ==> |!  ==> )Fatal error occurred")
_FILES = re.compile(r"\((?P<open>(?:\./|/|\w)[^\s()]{0,200}\.\w{1,8})|(?P<plain>\()|(?P<close>\))")
_SAYS = re.compile(r"! (?P<message>\S.{0,600})$")
_PLACED = re.compile(r"(?P<file>[^\s:]{1,300}\.\w{1,6}):(?P<line>\d{1,7}): (?P<message>\S.{0,600})$")
_LINE = re.compile(r"l\.(?P<line>\d{1,7}) ")
_FOLLOWS = ("Emergency stop", " ==> Fatal error", "==> Fatal error")
_MAX_OPEN = 400
_WAIT = 14


class _Reader:
    """Reads TeX's output; busy from its banner to its last line, since parentheses show which file is being read."""

    def __init__(self, _paths: Paths) -> None:
        self._files: list[str] = []
        self._reading = False
        self._open: tuple[Line, str] | None = None

    @property
    def busy(self) -> bool:
        return self._reading or self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if _START.match(text):
            self._reading = True
        if self._open is not None:
            if match := _LINE.match(text):
                return self._finish(match["line"])
            if line.number - self._open[0].number < _WAIT:
                return ()
        done = self.close()
        if match := _SAYS.match(text):
            if not match["message"].startswith(_FOLLOWS):
                self._open = (line, match["message"])
        elif self._reading and (match := _PLACED.match(text)):
            done = [*done, _finding(line, match["message"], match["file"], match["line"])]
        elif self._reading:
            self._track(text)
            self._reading = not _OVER.match(text)
        return done

    def close(self) -> Iterable[Finding]:
        if self._open is None:
            return ()
        return self._finish(None)

    def _finish(self, row: str | None) -> tuple[Finding, ...]:
        assert self._open is not None
        (line, message), self._open = self._open, None
        file = next((name for name in reversed(self._files) if name), None)
        return (_finding(line, message, file, row),)

    def _track(self, text: str) -> None:
        for match in _FILES.finditer(text[:2_000]):
            if match["close"]:
                del self._files[-1:]
            elif len(self._files) < _MAX_OPEN:
                self._files.append(match["open"] or "")


def _finding(line: Line, message: str, file: str | None, row: str | None) -> Finding:
    return Finding(
        tool="latex",
        category=Category.COMPILE,
        message=message.rstrip(),
        file=file,
        line=number(row),
        log_line=line.number,
        excerpt=line.text,
    )


FORMATS = (
    Format("latex", ("This is pdfTeX", "This is XeTeX", "This is Lua", "LaTeX2e <", "(./"), _Reader, before=0),
    shaped(
        "chktex",
        (".tex line ", '.tex" line '),
        Row(
            tool="chktex",
            line=re.compile(
                r"(?P<level>Warning|Error) (?P<code>\d{1,3}) in (?P<file>\S{1,300}\.\w{1,8}) line "
                r"(?P<line>\d{1,7}): (?P<message>\S.{0,400})$"
            ),
        ),
    ),
)
