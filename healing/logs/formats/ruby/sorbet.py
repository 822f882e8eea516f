"""Sorbet: type errors with the code frame, the explanations and the suggestion below each."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related

_HEAD = re.compile(
    r"(?P<file>[^\s:][^:]{0,400}\.(?:rbi?|rake|ru)):(?P<line>\d{1,9}): (?P<message>\S.*?) https?://srb\.help/(?P<code>\d{1,6})$"
)
_PLACE = re.compile(r"\s{4}(?P<file>[^\s:][^:]{0,400}):(?P<line>\d{1,9}):\s{0,2}(?P<message>.*)$")
_HINT = re.compile(r"\s{4}\S.{0,400}: (?P<hint>Replace with|Insert|Delete|Add) ?(?P<what>.*)$")
_LINES = 60


class _Reader:
    """Reads errors; the lines that belong to one are indented."""

    def __init__(self, _paths: Paths) -> None:
        self._head: re.Match[str] | None = None
        self._first = 0
        self._lines: list[str] = []

    @property
    def busy(self) -> bool:
        return self._head is not None

    def read(self, line: Line) -> Iterable[Finding]:
        if self._head and line.text.startswith(" ") and len(self._lines) < _LINES:
            self._lines.append(line.text)
            return ()
        done = self.close()
        if match := _HEAD.match(line.text):
            self._head, self._first, self._lines = match, line.number, [line.text]
        return done

    def close(self) -> Iterable[Finding]:
        head, self._head = self._head, None
        if head is None:
            return ()
        hint = next((m for text in self._lines if (m := _HINT.match(text))), None)
        places = [m for text in self._lines[1:] if (m := _PLACE.match(text)) and not _HINT.match(text)]
        return (
            Finding(
                tool="sorbet",
                code=head["code"],
                category=Category.SYNTAX if head["code"].startswith("2") else Category.TYPE,
                message=head["message"],
                file=head["file"],
                line=int(head["line"]),
                log_line=self._first,
                span=(self._first, self._first + len(self._lines) - 1),
                related=tuple(Related(file=m["file"], line=int(m["line"]), message=m["message"]) for m in places[:20]),
                suggestion=f"{hint['hint']} {hint['what']}".strip() if hint else None,
                excerpt="\n".join(self._lines),
            ),
        )


FORMAT = Format("sorbet", ("https://srb.help/",), _Reader, before=0)
