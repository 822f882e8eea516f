"""Rollup and Vite: `[!] message` and `error during build:`, with the place in the message or below."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.formats.javascript._stacks import JavascriptFrame, blame, frame
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

# CocoaPods and fastlane begin their messages with the same sign.
_BANG = re.compile(r"\[!\] (?P<message>(?:\(plugin |\w{0,30}Error: |Could not |Cannot |Unexpected ).*)$")
_VITE = re.compile(r"(?:error during build:|\[vite\] (?:Internal server error|Pre-transform error):)\s{0,9}$")
# Rolldown, from Vite 8 on: a count, then each error with its code.
_COUNT = re.compile(r"Build failed with \d{1,6} errors?:$")
_CODED = re.compile(r"\[[A-Z][A-Z_]{2,60}\] \S")
_PREFIX = re.compile(
    r"(?:\[[\w:@/ -]{1,80}\]:? |\(plugin [\w:@/ -]{1,80}\) |(?:\w{1,30}Error|Error"
    r"|RollupError): |\[plugin [^\]]{1,80}\] ){1,6}"
)
_FRAME = re.compile(r"\W{0,8}╭─\[ (?P<file>[^\]]{1,400}):(?P<line>\d{1,9}):(?P<column>\d{1,9}) \]$")  # columns from 1
_PLACES = (
    _FRAME,
    re.compile(r"(?P<file>\S.{0,300}?) \((?P<line>\d{1,9}):(?P<column>\d{1,9})\)(?:: (?P<words>.*))?$"),
    re.compile(r"(?:file: |File: )?(?P<file>\S[^:]{0,300}):(?P<line>\d{1,9}):(?P<column>\d{1,9})(?:[: ].*)?$"),
    re.compile(r".* from \"(?P<file>[^\"]{1,400})\"\.?$"),
    re.compile(r"(?P<file>[\w@./\\-]{1,400}\.\w{1,8})$"),
)
_KEPT = 60


class _Reader:
    """Reads blocks; each lasts to the end of the stack, or two blank lines."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._lines: list[Line] = []

    @property
    def busy(self) -> bool:
        return bool(self._lines)

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if _BANG.match(text) or _VITE.match(text) or (self._lines and _CODED.match(text)):
            done = self.close()
            self._lines = [line]
            return done
        if not self._lines:
            return ()
        stacked = any(item.text.lstrip().startswith("at ") for item in self._lines[-2:])
        if (stacked and not text.startswith(" ")) or len(self._lines) >= _KEPT:
            return self.close()
        self._lines.append(line)
        return ()

    def close(self) -> Iterable[Finding]:
        lines, self._lines = self._lines, []
        if not lines:
            return ()
        messages = [(_BANG.match(line.text) or [line.text, line.text])[1].strip() for line in lines]
        messages = [text for text in messages if text and not _VITE.match(text) and not _COUNT.match(text)]
        if not messages:
            return ()
        place, words = self._place(messages)
        message = _PREFIX.sub("", words or messages[0], count=1)
        last = max(line.number for line in lines if line.text.strip())
        return (
            Finding(
                tool="rollup",
                category=_category(message),
                message=message,
                file=place.file if place else None,
                line=(place.line or None) if place else None,
                column=place.column if place else None,
                log_line=lines[0].number,
                span=(lines[0].number, last),
                excerpt="\n".join(line.text for line in lines).rstrip(),
            ),
        )

    def _place(self, messages: list[str]) -> tuple[JavascriptFrame | None, str | None]:
        """The first place in the lines, and the message after it, if any."""
        for text in messages[:12]:
            for pattern in _PLACES:
                match = pattern.match(_PREFIX.sub("", text, count=1))
                if match and not text.startswith("at ") and self._paths.inside(match["file"]):
                    groups = match.groupdict()
                    first = 0 if pattern is _FRAME else 1  # the other columns begin with 0
                    column = int(groups["column"]) + first if groups.get("column") else None
                    return JavascriptFrame(match["file"], int(groups.get("line") or 0), column), groups.get("words")
        return blame(filter(None, map(frame, messages)), self._paths), None


def _category(message: str) -> Category:
    if (
        message.startswith(("Could not resolve", "Rollup failed to resolve", "Failed to resolve", "Could not load"))
        or "is not exported by" in message
    ):
        return Category.IMPORT
    syntax = message.startswith(("Unexpected", "Expected", "Parse error")) or "invalid JS syntax" in message
    return Category.SYNTAX if syntax else Category.COMPILE


FORMAT = Format("rollup", ("[!] ", "error during build", "[vite] "), _Reader, before=0)
