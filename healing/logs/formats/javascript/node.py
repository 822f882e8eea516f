"""Node's errors: uncaught ones, with a head and a caret before the message; and stacks that a program only printed."""

import re
from collections import deque
from collections.abc import Iterable

from healing.logs.format import Finding, Format, Reader
from healing.logs.formats.javascript._stacks import JavascriptFrame, blame, category, frame
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_HEAD = re.compile(  # Heal's own checks print paths without their root
    r"(?P<file>(?:file:///?|[A-Za-z]:[\\/]|/|\.)[^\s:][^:]{0,400}|node:[\w/]{1,100}|[\w@][^\s:]{0,400}\.[cm]?[jt]sx?)"
    r":(?P<line>\d{1,9})$"
)
_ERROR = re.compile(
    r"(?P<uncaught>\s?Exception during run: |Uncaught |\[?Unhandled"
    r"(?:Promise)?Rejection\w{0,10}: |\(node:\d{1,9}\) "
    r"(?:UnhandledPromiseRejectionWarning: )?)?"
    r"(?P<name>(?:[A-Z][\w$]{0,60}(?:Error|Exception)|Error))(?: \[(?P<code>\w{2,60})\])?(?:: (?P<message>.*))?$"
)
_STACK = re.compile(
    r"\s{2,8}at \S.{0,600}(?::\d{1,9}:\d{1,9}\)?|\(<anonymous>\)|\(native\)|\(index \d{1,4}\))(?: \{)?$"
)
_FIELD = re.compile(r"\s{2,4}(?P<key>code|file|url): '(?P<value>[^']{1,400})',?$")
_IMPORTED = re.compile(  # a path from the root, or one that Heal's own run has made relative
    r".{0,900} imported from (?:file://)?'?"
    r"(?P<file>/[^\s']{1,400}|[A-Za-z]:[^\s']{1,400}|[\w.@][^\s']{0,400}\.[cm]?[jt]sx?(?=$|[\s']))'?"
)
_SPOT = re.compile(
    r"(?P<file>(?:file://)?(?:/|[A-Za-z]:[\\/])[^:]{1,400}): (?P<words>.*) \((?P<line>\d{1,9}):(?P<column>\d{1,9})\)$"
)
# Messages that only summarize errors that a compiler has reported itself.
_TOTAL = re.compile(r"TSError: |Error: Failed to compile \d{1,6} files? with swc")
_WORDS, _FRAMES = 15, 60


class _Reader:
    """Holds an error's message until its stack; without one it isn't an error."""

    def __init__(self, paths: Paths, *, printed: bool) -> None:
        self._paths, self._printed = paths, printed
        self._head: deque[Line] = deque(maxlen=8)
        self._error: re.Match[str] | None = None
        self._at = 0
        self._lines: list[Line] = []
        self._stacked = False

    @property
    def busy(self) -> bool:
        return self._error is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if self._error is not None:
            if self._continues(text):
                self._lines.append(line)
                return ()
            done = self.close()
            self._begin(line)
            return done
        self._begin(line)
        return ()

    def close(self) -> Iterable[Finding]:
        error, self._error = self._error, None
        if error is None or not self._stacked or _TOTAL.match(error.string):
            return ()
        head = next((m for line in reversed(self._head) if self._near(line) and (m := _HEAD.match(line.text))), None)
        uncaught = bool(head or error["uncaught"] or _SPOT.match(error["message"] or ""))
        return (self._finding(error, head),) if uncaught is not self._printed else ()

    def _begin(self, line: Line) -> None:
        self._error = _ERROR.match(line.text[:3000])
        if self._error is None:
            self._head.append(line)
        else:
            self._at, self._lines, self._stacked = line.number, [], False

    def _continues(self, text: str) -> bool:
        if _STACK.match(text):
            self._stacked = True
            return len(self._lines) < _FRAMES
        if self._stacked:
            return text.startswith("  ") and len(self._lines) < _FRAMES
        return len(self._lines) < _WORDS and not _ERROR.match(text)

    def _near(self, line: Line) -> bool:
        return line.number >= self._at - 9

    def _finding(self, error: re.Match[str], head: re.Match[str] | None) -> Finding:
        frames = [place for line in self._lines if (place := frame(line.text))]
        fields = {m["key"]: m["value"] for line in self._lines if (m := _FIELD.match(line.text))}
        message = f"{error['name']}: {error['message']}" if error["message"] else error["name"]
        place = self._place(error, message, frames, head)
        by_name = category(error["name"], error["message"] or "", Category.RUNTIME)
        return Finding(
            tool="node",
            code=error["code"] or fields.get("code"),
            category=Category.IMPORT if "MODULE_NOT_FOUND" in (error["code"] or fields.get("code") or "") else by_name,
            message=message,
            file=place.file if place else None,
            line=(place.line or None) if place else None,
            column=place.column if place else None,
            log_line=self._at,
            span=(self._at, self._lines[-1].number if self._lines else self._at),
            related=tuple(place.related() for place in reversed(frames[:40])),
            excerpt="\n".join([error.string, *(line.text for line in self._lines)]),
            score=0.5 if self._printed else 0.9,
        )

    def _place(
        self, error: re.Match[str], message: str, frames: list[JavascriptFrame], head: re.Match[str] | None
    ) -> JavascriptFrame | None:
        if spot := _SPOT.match(error["message"] or ""):  # Babel's columns are 0-based
            return JavascriptFrame(spot["file"], int(spot["line"]), int(spot["column"]) + 1)
        here = (
            JavascriptFrame(head["file"], int(head["line"])) if head and not head["file"].startswith("node:") else None
        )
        if here and error["name"] == "SyntaxError" and self._paths.inside(here.file):
            return here
        if place := blame(frames, self._paths):
            return place
        if here and self._paths.inside(here.file):
            return here
        imported = _IMPORTED.match(message)
        return JavascriptFrame(imported["file"], 0) if imported else None


def uncaught(paths: Paths) -> Reader:
    """A reader of uncaught errors only, for formats in whose output Node's own is embedded."""
    return _Reader(paths, printed=False)


_HINTS = ("Error: ", "Error [", "Exception: ")
FORMATS = (
    # Rank 1: inside a failed test, or a crash that a tool has reported itself, the stack belongs to that.
    Format("node", _HINTS, lambda paths: _Reader(paths, printed=False), rank=1, before=7),
    # Rank -1: tests print stacks of errors that they provoke, so these are reported only if there is nothing else.
    Format("node-printed", _HINTS, lambda paths: _Reader(paths, printed=True), rank=-1, before=7),
)
