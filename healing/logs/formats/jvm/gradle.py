"""Gradle: what went wrong, its causes and its place in a build script; weak where a task's tool told all."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_WRONG = "* What went wrong:"
_WHERE = re.compile(
    r"(?:Build file|Settings file|Script|Initialization script"
    r"|Precompiled script plugin) '(?P<file>[^']{1,500})'(?: line: (?P<line>\d{1,9}))?$"
)
_END = re.compile(r"\* (?:Try|Exception is|Get more help)|={5,}|-{20,}|BUILD FAILED|Deprecated Gradle")
_ECHO = re.compile(
    r"\s{0,8}>? ?(?:Compilation (?:error|failed)|There were failing tests|.{0,200}[Cc]ompilation (?:error|failed)"
    r"|Lint found (?:errors|fatal)"
    r"|.{0,120}violations? w(?:ere|as) found|(?:Kt)?[Ll]int found|.{0,80}finished with non-zero exit value"
    r"|Analysis failed with|There were test failures"
    r"|Failed with exit code|Process '(?:command|Gradle Test).{0,200}|A failure occurred while executing"
    r"|Multiple task action failures|Execution failed for task)"
)
_DEPENDENCY = re.compile(r".{0,40}Could not (?:resolve|find|download|GET|get resource)|.{0,80}Plugin \[id: ")
_LINES = 40


class _Reader:
    """From `What went wrong` to `Try`; `Where` stands before it."""

    def __init__(self, _paths: Paths) -> None:
        self._where: re.Match[str] | None = None
        self._first = 0
        self._lines: list[str] = []

    @property
    def busy(self) -> bool:
        return bool(self._lines)

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if text == _WRONG:
            done = self.close()
            self._first, self._lines = line.number, [text]
            return done
        if match := _WHERE.match(text):
            self._where = match
            return ()
        if not self._lines:
            return ()
        if _END.match(text) or len(self._lines) >= _LINES or text.startswith("* "):
            return self.close()
        self._lines.append(text)
        return ()

    def close(self) -> Iterable[Finding]:
        lines, self._lines, where = self._lines, [], self._where
        said = [text for text in lines[1:] if text.strip()]
        if not said:
            return ()
        self._where = None
        echo = len(said) > 1 and all(_ECHO.match(text) for text in said)
        message = " ".join(text.strip() for text in said[:6])
        return (
            Finding(
                tool="gradle",
                category=_category(message, said),
                message=message,
                file=where["file"] if where else None,
                line=int(where["line"]) if where and where["line"] else None,
                log_line=self._first + 1,
                span=(self._first, self._first + len(lines) - 1),
                excerpt="\n".join(lines),
                score=0.1 if echo else 0.8,
            ),
        )


def _category(message: str, said: list[str]) -> Category:
    if any(_DEPENDENCY.match(text) for text in said):
        return Category.DEPENDENCY
    if re.search(r"script compilation error|Could not compile (?:build|settings) file", message):
        return Category.SYNTAX
    return Category.CONFIG if "Execution failed for task" not in message else Category.RUNTIME


class _Echoes:
    """Told only if nothing else was."""

    def __init__(self, paths: Paths) -> None:
        self._reader = _Reader(paths)

    @property
    def busy(self) -> bool:
        return self._reader.busy

    def read(self, line: Line) -> Iterable[Finding]:
        return [f for f in self._reader.read(line) if f.score < 0.4]

    def close(self) -> Iterable[Finding]:
        return [f for f in self._reader.close() if f.score < 0.4]


class _Told(_Echoes):
    """What says more than that a task failed."""

    def read(self, line: Line) -> Iterable[Finding]:
        return [f for f in self._reader.read(line) if f.score >= 0.4]

    def close(self) -> Iterable[Finding]:
        return [f for f in self._reader.close() if f.score >= 0.4]


_HINTS = (_WRONG, "* Where:", "Build file '", "Settings file '", "Script '", "nitialization script '")
FORMATS = (Format("gradle", _HINTS, _Told, before=0), Format("gradle-echo", _HINTS, _Echoes, rank=-1, before=0))
