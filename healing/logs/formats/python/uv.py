"""uv, and poetry's resolver: lock files, sets of versions, builds and downloads that fail, over several lines."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_HEAD = re.compile(
    r"\s{0,4}(?:error: |[×x] )(?P<message>(?:No solution found|Failed to (?:resolve|build(?! installable)|download"
    r"|fetch: |parse: |prepare)|The lockfile at `|Unable to find lockfile at `|Couldn't parse requirement in `"
    r"|In `--require-hashes` mode|No interpreter found for Python|Hash mismatch for|Distribution not found at"
    r"|The requested interpreter resolved to Python).*)$"
)
_BECAUSE = re.compile(r"\s{0,8}(?:cause: |╰─▶ |├─▶ )?(?P<words>(?:And because|Because|So, because) .*)$")
_END = re.compile(r"version solving failed\.$")
_HINT = re.compile(r"\s{0,4}(?:╰─▶ )?hint: (?P<words>\S.*)$")
_SIGNS = re.compile(r"^\s*(?:error: |cause: |Caused by: |[×x] |[╰├]─▶ |│ )?")
_TOML = re.compile(r"TOML parse error at line (?P<line>\d{1,9}), column (?P<column>\d{1,9})")
_GUTTER = re.compile(r"\s{0,20}(?:(?:\d{1,9} )?\||\^{1,200}$)")
_FILE = re.compile(
    r"(?:lockfile at|requirement in|Failed to parse:|lock file) `?(?P<file>[\w./\\@+-]{1,300}\.\w{2,8})`?"
)
_OUTPUT = re.compile(r"\s{2,12}(?:│ )?\[(?:stdout|stderr)\]$")
_NOT_REACHED = re.compile(r"Failed to fetch: |dns error|network was disabled|Network connectivity is disabled")
_LINES = 40
_MOST_OUTPUT = 400


class _Reader:
    """Reads explanations: uv's from the head to the first line that begins again, poetry's from its "Because" to its
    "version solving failed"."""

    def __init__(self, _paths: Paths) -> None:
        self._tool = ""
        self._lines: list[Line] = []
        self._output: list[str] = []
        self._in_output = False

    @property
    def busy(self) -> bool:
        return bool(self._lines)

    def read(self, line: Line) -> Iterable[Finding]:
        if not self._lines:
            self._start(line)
            return self.close() if self._ended(line) else ()
        if self._tool == "uv":
            return self._read_uv(line)
        self._lines.append(line)
        return self.close() if self._ended(line) or len(self._lines) > _LINES else ()

    def _start(self, line: Line) -> None:
        self._output, self._in_output = [], False
        if _HEAD.match(line.text):
            self._tool, self._lines = "uv", [line]
        elif (because := _BECAUSE.match(line.text)) and because["words"].startswith("Because "):
            self._tool, self._lines = "poetry", [line]

    def _read_uv(self, line: Line) -> Iterable[Finding]:
        """What is indented belongs to the error, and so do hints; a build's output is kept apart for its last words."""
        if _OUTPUT.match(line.text):
            self._in_output = True
        elif self._in_output and (line.text.startswith("   ") or not line.text):
            if len(self._output) < _MOST_OUTPUT:
                self._output.append(line.text)
        elif (line.text and not line.text.startswith((" ", "hint: "))) or len(self._lines) > _LINES:
            done = self.close()
            self._start(line)
            return done
        else:
            self._lines.append(line)
        return ()

    def close(self) -> Iterable[Finding]:
        lines, self._lines = self._lines, []
        if not lines or (self._tool == "poetry" and not _END.search(lines[-1].text)):
            return ()
        while not lines[-1].text.strip():
            lines.pop()
        texts = [line.text for line in lines]
        hint = next((match["words"] for text in texts if (match := _HINT.match(text))), None)
        sentences = [_SIGNS.sub("", text) for text in texts if not _HINT.match(text) and not _GUTTER.match(text)]
        message = " ".join(" ".join(sentences).split())
        reason = next((text.strip() for text in reversed(self._output) if text.strip()), "")
        file = _FILE.search(message)
        spot = _TOML.search(message)
        return (
            Finding(
                tool=self._tool,
                category=_category(message, hint or ""),
                message=f"{message}: {reason}" if reason else message,
                file=file["file"] if file else None,
                line=number(spot["line"]) if spot and file else None,
                column=number(spot["column"]) if spot and file else None,
                log_line=lines[0].number,
                # A build's output is not covered: a traceback in it is an error of its own.
                span=(lines[0].number, lines[0].number if self._output else lines[-1].number),
                suggestion=hint,
                excerpt="\n".join(texts),
            ),
        )

    def _ended(self, line: Line) -> bool:
        return self._tool == "poetry" and bool(self._lines) and bool(_END.search(line.text))


def _category(message: str, hint: str) -> Category:
    if _NOT_REACHED.search(message) or _NOT_REACHED.search(hint):
        return Category.INFRASTRUCTURE
    if message.startswith("Failed to parse: "):
        return Category.SYNTAX
    return Category.CONFIG if message.startswith("No interpreter found") else Category.DEPENDENCY


FORMAT = Format(
    "uv",
    (
        *("No solution found", "Failed to ", "Because ", "error: The lockfile", "error: Unable to find lockfile"),
        *("error: Couldn't parse", "`--require-hashes` mode", "No interpreter found", "error: Distribution not"),
        *("error: The requested", "Hash mismatch for"),
    ),
    _Reader,
    before=0,
)
