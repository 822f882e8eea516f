"""Prettier --check and --list-different: unformatted files, and files that could not be parsed."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_WARN = re.compile(r"\[warn\] (?P<file>(?:[A-Za-z]:[\\/])?[^\s:\"'`(][^:\"'`(]{0,400})$")
_FAILED = re.compile(
    r"\[error\] (?P<file>\S[^:]{0,400}): (?P<code>\w{3,40}Error): (?P<message>.*?)(?: \("
    r"(?P<line>\d{1,9}):(?P<column>\d{1,9})\))?$"
)
_OTHER = re.compile(
    r"\[error\] (?P<message>(?:No parser could be inferred|No files matching|Invalid configuration|Cannot find).*)$"
)
_NAMED = re.compile(r"(?:.{0,400}[\\/])?(?:[^\\/]{0,200}\.\w{1,15}|[\w.-]{1,100}(?<!\.))$")
_BARE = re.compile(r"(?P<file>[^\s:\"'`(>\[][^:\"'`(]{0,400})$")
_LISTING = re.compile(r"\s{0,3}(?:>|\$) (?:.{0,200} )?prettier (?:.{0,200} )?(?:-l|--list-different)\b")
_END = ("Code style issues", "All matched files", "Error occurred when checking", "npm ", "error Command failed")
_KEPT = 2000


class _Reader:
    """Reads file names, but only after Prettier's first line or before its last: other tools print such lines too."""

    def __init__(self, _paths: Paths) -> None:
        self._state = ""  # "", checking, listing
        self._waiting: list[Finding] = []

    @property
    def busy(self) -> bool:
        return self._state != ""

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if failed := _FAILED.match(text):
            return (_unparsed(failed, line),)
        if other := _OTHER.match(text):
            return (_config(other, line),)
        if text.startswith("Checking formatting") or _LISTING.match(text):
            self._state, self._waiting = ("checking" if text.startswith("Checking") else "listing"), []
            return ()
        if text.removeprefix("[warn] ").startswith(_END):
            findings = () if "All matched" in text else tuple(self._waiting)
            self._state, self._waiting = "", []
            return findings
        return self._named(line)

    def close(self) -> Iterable[Finding]:
        return ()

    def _named(self, line: Line) -> Iterable[Finding]:
        """The finding for a file on a line of its own; one without `[warn]` counts only in Prettier's output."""
        marked = _WARN.match(line.text)
        match = marked or (_BARE.match(line.text) if self._state else None)
        if match is None or not _NAMED.match(match["file"]):
            return ()
        finding = _unformatted(match["file"], line)
        if self._state == "listing" or (marked and self._state):
            return (finding,)
        if len(self._waiting) < _KEPT:
            self._waiting.append(finding)
        return ()


def _unformatted(file: str, line: Line) -> Finding:
    return Finding(
        tool="prettier",
        code="unformatted",
        category=Category.FORMAT,
        message=f"{file} is not formatted as Prettier would",
        file=file,
        log_line=line.number,
        excerpt=line.text,
        suggestion="Run prettier --write on this file.",
    )


def _unparsed(match: re.Match[str], line: Line) -> Finding:
    return Finding(
        tool="prettier",
        code=match["code"],
        category=Category.SYNTAX if "Syntax" in match["code"] else Category.CONFIG,
        message=match["message"].removeprefix("CssSyntaxError: "),
        file=match["file"],
        line=number(match["line"]),
        column=number(match["column"]),
        log_line=line.number,
        excerpt=line.text,
    )


def _config(match: re.Match[str], line: Line) -> Finding:
    return Finding(
        tool="prettier", category=Category.CONFIG, message=match["message"], log_line=line.number, excerpt=line.text
    )


FORMAT = Format(
    "prettier",
    ("Checking formatting", "[warn] ", "[error] ", "Code style issues", "prettier -l", "--list-different"),
    _Reader,
)
