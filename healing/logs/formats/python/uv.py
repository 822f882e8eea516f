"""uv and poetry: why no set of versions can be resolved, over several lines."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_HEAD = re.compile(
    r"\s{0,4}(?:error: |[×x] )(?P<message>(?:No solution found|Failed to (?:resolve|build|download)).*)$"
)
_BECAUSE = re.compile(r"\s{0,8}(?:cause: |╰─▶ |├─▶ )?(?P<words>(?:And because|Because|So, because) .*)$")
_END = re.compile(r"version solving failed\.$")
_LINES = 40


class _Reader:
    """Reads explanations; busy from the head to the first empty line, or from poetry's "Because" to its "version
    solving failed"."""

    def __init__(self, _paths: Paths) -> None:
        self._tool = ""
        self._lines: list[Line] = []

    @property
    def busy(self) -> bool:
        return bool(self._lines)

    def read(self, line: Line) -> Iterable[Finding]:
        if not self._lines:
            if _HEAD.match(line.text):
                self._tool, self._lines = "uv", [line]
            elif (because := _BECAUSE.match(line.text)) and because["words"].startswith("Because "):
                self._tool, self._lines = "poetry", [line]
            return self.close() if self._ended(line) else ()
        if not line.text.strip() and (self._tool == "uv" or len(self._lines) > _LINES):
            return self.close()
        self._lines.append(line)
        return self.close() if self._ended(line) or len(self._lines) > _LINES else ()

    def close(self) -> Iterable[Finding]:
        lines, self._lines = self._lines, []
        if not lines or (self._tool == "poetry" and not _END.search(lines[-1].text)):
            return ()
        words = " ".join(re.sub(r"^\s*(?:error: |cause: |[×x] |[╰├]─▶ )?", "", line.text) for line in lines)
        return (
            Finding(
                tool=self._tool,
                category=Category.DEPENDENCY,
                message=" ".join(words.split()),
                log_line=lines[0].number,
                span=(lines[0].number, lines[-1].number),
                excerpt="\n".join(line.text for line in lines),
            ),
        )

    def _ended(self, line: Line) -> bool:
        return self._tool == "poetry" and bool(self._lines) and bool(_END.search(line.text))


FORMAT = Format("uv", ("No solution found", "Failed to ", "Because "), _Reader, before=0)
