"""gofmt, gofumpt and goimports: the files of -l if the log has the command, and the diffs of -d."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_DIFF = re.compile(r"diff (?:-u )?(?P<file>\S.{0,400}?)(?:\.orig \S.{0,400}| gofmt/\S.{0,400})$")
_HUNK = re.compile(r"@@ -(?P<line>\d{1,9})(?:,\d{1,9})? \+\d{1,9}(?:,\d{1,9})? @@")
_COMMAND = re.compile(r".{0,200}\b(?P<tool>gofmt|gofumpt|goimports|gci|golines)\b(?!-)", re.DOTALL)
_FILE = re.compile(r"\s{0,8}(?P<file>[\w.@+~/\\-]{1,300}\.go)$")
_NOT_YET = re.compile(
    r"\s*$|.{0,60}(?:not (?:properly )?formatted|not gofmt|needs? (?:to be )?(?:gofmt|format)|following files)", re.I
)
_LINES = 80


class _Reader:
    """Reads diffs; and, after a line with the command, the lines that are just a path."""

    def __init__(self, _paths: Paths) -> None:
        self._open: Finding | None = None
        self._tool = ""

    @property
    def busy(self) -> bool:
        return self._open is not None or bool(self._tool)

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if self._open is not None and text[:1] in ("+", "-", " ", "@", ""):
            self._joins(self._open, line)
            return ()
        done = self.close()
        if text.startswith("diff ") and (match := _DIFF.match(text)):
            self._open = _finding("gofmt", match["file"], line)
        elif match := _COMMAND.match(text):
            self._tool = match["tool"]
        elif self._tool and (match := _FILE.match(text)):
            return (*done, _finding(self._tool, match["file"], line))
        elif not _NOT_YET.match(text):
            self._tool = ""
        return done

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        return (done,) if done and done.suggestion else ()

    def _joins(self, error: Finding, line: Line) -> None:
        hunk = _HUNK.match(line.text)
        if hunk and error.line is None:
            error = replace(error, line=int(hunk["line"]) or 1)
        if (error.suggestion or "").count("\n") < _LINES:
            text = f"{error.suggestion or ''}{line.text}\n"
            error = replace(error, suggestion=text, excerpt=text, span=(error.log_line, line.number))
        self._open = error


def _finding(tool: str, file: str, line: Line) -> Finding:
    return Finding(
        tool=tool,
        category=Category.FORMAT,
        message=f"not formatted as {tool} does",
        file=file,
        log_line=line.number,
        excerpt=line.text,
    )


FORMAT = Format("gofmt", ("gofmt", "gofumpt", "goimports", ".go.orig"), _Reader)
