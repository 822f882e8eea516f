"""pnpm's newer form of an error: its code on one line, the message after an arrow below."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_CODE = re.compile(r"(?:Error: )?(?P<code>ERR_PNPM_\w{1,60})$")
_ARROW = re.compile(r"\s{1,6}╰─▶ (?P<words>\S.*)$")
_SIGN = re.compile(r"\s{1,4}[×x] (?P<words>\S.*)$")
_HELP = re.compile(r"\s{1,6}help: (?P<words>\S.*)$")
_KEPT = 30


class _Reader:
    """Reads errors; each lasts from the code to the blank line after its message."""

    def __init__(self, _paths: Paths) -> None:
        self._code = ""
        self._lines: list[Line] = []

    @property
    def busy(self) -> bool:
        return bool(self._lines)

    def read(self, line: Line) -> Iterable[Finding]:
        if not self._lines:
            if code := _CODE.match(line.text):
                self._code, self._lines = code["code"], [line]
            return ()
        if len(self._lines) < _KEPT and (line.text.startswith("  ") or len(self._lines) == 1):
            self._lines.append(line)
            return ()
        return self.close()

    def close(self) -> Iterable[Finding]:
        lines, self._lines = self._lines, []
        if not lines:
            return ()
        return (
            Finding(
                tool="pnpm",
                code=self._code,
                category=Category.DEPENDENCY,
                message=_words(lines, _ARROW) or _words(lines, _SIGN) or self._code,
                log_line=lines[0].number,
                span=(lines[0].number, lines[-1].number),
                suggestion=_words(lines, _HELP) or None,
                excerpt="\n".join(line.text for line in lines).rstrip(),
            ),
        )


def _words(lines: list[Line], start: re.Pattern[str]) -> str:
    """The message after the sign, with its wrapped lines."""
    words: list[str] = []
    for line in lines:
        text = line.text.strip()
        if match := start.match(line.text):
            words = [match["words"]]
        elif words and (not text or text.startswith(("×", "╰", "help:"))):
            break
        elif words:
            words.append(text)
    return " ".join(words)


FORMAT = Format("pnpm", ("ERR_PNPM_",), _Reader, before=0)
