"""pip: requirements that can't be met, and builds that fail."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from healing.logs.format import Finding, Format
from healing.logs.formats.python._pip_details import (
    AskedPlaces,
    Complaint,
    failed_build,
    findings_of,
    of_one_line,
    with_versions,
)
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_ERROR = re.compile(r"\s{0,8}ERROR: (?P<message>\S.*)$")
_REQUIREMENT = re.compile(
    r"(?:Could not find a version that satisfies the requirement|No matching distribution found for) (?P<name>\S+)"
)
_OURS = re.compile(
    r"Could not find a version|No matching distribution|Cannot install |Invalid requirement|Failed building wheel"
    r"|Could not open requirements file|Failed to build |Package '[^']{1,200}' requires a different Python"
    r"|THESE PACKAGES DO NOT MATCH|ResolutionImpossible|Could not install packages|.{1,80} has requirement "
    r"|.{1,200} is not a (?:valid|supported) (?:wheel|editable)|In --require-hashes mode|Hashes are required"
    r"|Could not build wheels|Double requirement given|.{1,300} does not appear to be a Python project"
)
_AGAIN = re.compile(r"Failed building wheel|Failed to build |Could not build wheels")
_LONGER = re.compile(r"Cannot install |THESE PACKAGES|Hashes are required|In --require-hashes mode|Invalid requirement")
_FAILED = re.compile(r"(?P<indent>\s{0,8})[×x] (?P<message>.{1,200} did not run successfully)\.?$")
_IGNORED = re.compile(
    r"\s{0,8}ERROR: Ignored the following versions that require a different python version: (?P<all>.*)$"
)
_BROKEN = re.compile(r"\s{0,8}WARNING: Retrying \(.{1,200} after connection broken by ")
_NO_OUTPUT = re.compile(r"╰─> (?!\[\d)")
_MOST_LINES = 400  # of a build's output, whose last one says why it failed


@dataclass
class _Block:
    """An error whose details are in the lines below it."""

    line: Line
    message: str
    build: str | None = None  # how far a failed build's own heading is indented
    lines: list[Line] = field(default_factory=list)

    def ends_at(self, line: Line) -> bool:
        """Whether this line is no longer of the block."""
        if self.build is not None:
            return "[end of output]" in line.text or bool(_NO_OUTPUT.search(line.text))
        if self.message.startswith("Cannot install "):
            return line.text.startswith("To fix this you could try")
        if self.message.startswith("Invalid requirement"):
            return not line.text.startswith(("    ", "Hint: "))
        return bool(line.text) and not line.text.startswith("    ")


class _Reader:
    """Reads errors with their details; two lines about the same requirement are one error."""

    def __init__(self, _paths: Paths) -> None:
        self._last = ""
        self._block: _Block | None = None
        self._places = AskedPlaces()
        self._reported: set[str] = set()
        self._ignored = ""
        self._offline = False

    @property
    def busy(self) -> bool:
        return self._block is not None

    def read(self, line: Line) -> Iterable[Finding]:
        done: Iterable[Finding] = ()
        if self._block is not None:
            if not self._block.ends_at(line) and len(self._block.lines) < _MOST_LINES:
                self._block.lines.append(line)
                return self._inside_build(line) if self._block.build is not None else ()
            done = self.close()
        return (*done, *self._idle(line))

    def close(self) -> Iterable[Finding]:
        block, self._block = self._block, None
        if block is None:
            return ()
        if block.build is not None:
            return (failed_build(block.line, block.message, block.lines),)
        return findings_of(Complaint(block.line, block.message, tuple(block.lines)), self._places)

    def _inside_build(self, line: Line) -> Iterable[Finding]:
        """pip runs itself to fetch what a build needs: its errors are the reason, in the middle of that output."""
        self._offline = self._offline or bool(_BROKEN.match(line.text))
        return self._error(line) if "ERROR: Could not" in line.text or "ERROR: No match" in line.text else ()

    def _idle(self, line: Line) -> Iterable[Finding]:
        self._places.note(line.text)
        self._offline = self._offline or bool(_BROKEN.match(line.text))
        if match := _FAILED.match(line.text):
            if match["message"] not in self._reported:  # pip repeats it at the end, less indented
                self._reported.update((match["message"], "built"))
                self._block = _Block(line, match["message"], match["indent"])
            return ()
        if match := _IGNORED.match(line.text):
            self._ignored = match["all"]
            return ()
        return self._error(line)

    def _error(self, line: Line) -> Iterable[Finding]:
        match = _ERROR.match(line.text)
        if match is None or not _OURS.match(match["message"]):
            return ()
        message = match["message"]
        if (_AGAIN.match(message) and "built" in self._reported) or (
            message.startswith("ResolutionImpossible") and "conflict" in self._reported
        ):
            return ()
        if (name := _REQUIREMENT.match(message)) and name["name"] == self._last:
            return ()
        self._last = name["name"] if name else ""
        if _LONGER.match(message) and self._block is None:
            if message.startswith("Cannot install"):
                self._reported.add("conflict")
            self._block = _Block(line, message)
            return ()
        nowhere = self._offline and "(from versions: none)" in message
        category = Category.INFRASTRUCTURE if nowhere else Category.DEPENDENCY
        return (of_one_line(line, with_versions(message, self._ignored), self._places.of(self._last), category),)


FORMAT = Format(
    "pip",
    ("ERROR: ", "did not run successfully", " (from -r ", " (from -c ", "connection broken by "),
    _Reader,
    before=0,
)
