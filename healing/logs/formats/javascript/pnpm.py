"""pnpm's newer form of an error: its code on one line, the message after an arrow below.

And in both forms what of a lock file doesn't fit package.json, which pnpm says some lines below."""

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
_OLD = re.compile(r"\s{0,2}\[?(?P<code>ERR_PNPM_OUTDATED_LOCKFILE)\]?\s{1,3}(?P<words>\S.*)$")
_REASON = re.compile(
    r"\s{0,8}(?:\* (?P<item>\d{1,6} dependenc(?:y|ies) .{1,400}|.{1,200} is not the same .{0,200})"
    r"|(?P<words>specifiers in the lockfile .{0,1000}don't match spec.{1,1000}(?<!:)))$"
)
_NETWORK = re.compile(r"ERR_PNPM_(?:NO_OFFLINE_|META_FETCH_FAIL|\w{0,60}NETWORK_ERROR)")
_LOCKED = "ERR_PNPM_OUTDATED_LOCKFILE"
_OLD_LINES = 8
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
            if (code := _CODE.match(line.text)) or (code := _OLD.match(line.text)):
                self._code, self._lines = code["code"], [line]
            return ()
        if _OLD.match(self._lines[0].text):
            return self._read_old(line)
        if len(self._lines) < _KEPT and (line.text.startswith("  ") or len(self._lines) == 1):
            self._lines.append(line)
            return ()
        return self.close()

    def _read_old(self, line: Line) -> Iterable[Finding]:
        """The older form has no indent: it lasts to the reason, or as long as a reason takes."""
        if len(self._lines) > _OLD_LINES:
            return self.close()
        self._lines.append(line)
        return self.close() if (reason := _REASON.match(line.text)) and reason["words"] else ()

    def close(self) -> Iterable[Finding]:
        lines, self._lines = self._lines, []
        if not lines:
            return ()
        return (
            Finding(
                tool="pnpm",
                code=self._code,
                category=Category.INFRASTRUCTURE if _NETWORK.match(self._code) else Category.DEPENDENCY,
                message=_message(lines) or self._code,
                file="pnpm-lock.yaml" if self._code == _LOCKED else None,
                log_line=lines[0].number,
                span=(lines[0].number, lines[-1].number),
                suggestion=_words(lines, _HELP) or None,
                excerpt="\n".join(line.text for line in lines).rstrip(),
            ),
        )


def _message(lines: list[Line]) -> str:
    """The sentence, and of a lock file that doesn't fit what differs."""
    old = _OLD.match(lines[0].text)
    sentence = old["words"] if old else _words(lines, _ARROW) or _words(lines, _SIGN)
    reasons = [match["item"] or match["words"] for line in lines if (match := _REASON.match(line.text))]
    return f"{sentence.rstrip('.')}: {'; '.join(reasons)}" if reasons else sentence


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
