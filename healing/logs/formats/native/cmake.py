"""CMake: errors and warnings of the configure step, with the lines of their message and call stack."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related, Severity

_HEAD = re.compile(
    r"(?P<prefix>\[[^\]]{1,40}\] {1,2}|-- )?CMake (?P<level>Error|(?:Deprecation )?Warning)(?: \((?P<dev>dev"
    r"|deprecated)\))?"
    r"(?:(?: at (?P<file>[^:]{1,400}):(?P<line>\d{1,9})| in (?P<whole>[^:]{1,400}))(?: \((?P<command>[\w:]{1,80})\)"
    r"| \w{1,60})?)?:"
    r"(?:\s{1,3}(?P<message>\S.*))?$"
)
_FRAME = re.compile(r"\s{2}(?P<file>[^:]{1,400}):(?P<line>\d{1,9})(?: \((?P<command>[\w:]{1,80})\))?$")
_LINES, _NOTES = 30, 20


class _Reader:
    """Reads errors; each lasts from the headline to the first line that is neither indented nor blank."""

    def __init__(self, _paths: Paths) -> None:
        self._open: Finding | None = None
        self._prefix = ""
        self._words: list[str] = []
        self._stack = False
        self._blank = 0

    @property
    def busy(self) -> bool:
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        head = _HEAD.match(text) if "CMake " in text else None
        if head is None and self._open is not None and self._joins(self._open, line):
            return ()
        done = self.close()
        if head:
            self._start(head, line)
        return done

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        if done is None:
            return ()
        paragraphs = "\n".join(self._words).strip("\n").split("\n\n")
        message = "\n".join(" ".join(words.split("\n")) for words in paragraphs)
        return (replace(done, message=message or f"CMake {done.severity.value}"),)

    def _start(self, head: re.Match[str], line: Line) -> None:
        self._prefix = head["prefix"] if (head["prefix"] or "").startswith("[") else ""
        self._words, self._stack, self._blank = [head["message"]] if head["message"] else [], False, 0
        severity = Severity.ERROR if head["level"] == "Error" else Severity.WARNING
        self._open = Finding(
            tool="cmake",
            code=head["dev"] or ("deprecation" if head["level"].startswith("Dep") else None),
            category=Category.CONFIG,
            severity=severity,
            message="",
            file=head["file"] or head["whole"],
            line=number(head["line"]),
            log_line=line.number,
            excerpt=line.text,
            score=1.0 if severity is Severity.ERROR else 0.2,
        )

    def _joins(self, error: Finding, line: Line) -> bool:
        text = line.text.removeprefix(self._prefix or "")
        if text.startswith("Call Stack (most recent call first):"):
            self._stack = True
        elif not text.strip():
            self._blank += 1
            if self._blank > 1 or self._stack or (not self._words and self._prefix):
                return self._blank < 3 and not self._words
            self._words.append("")
            return True
        elif not text.startswith("  ") or len(self._words) > _LINES:
            return False
        elif self._stack and (frame := _FRAME.match(text)) and len(error.related) < _NOTES:
            note = Related(file=frame["file"], line=number(frame["line"]), message=f"called by {frame['command']}")
            error = replace(error, related=(note, *error.related))
        else:
            self._words.append(text.strip())
            self._blank = 0
        self._open = replace(error, excerpt=f"{error.excerpt}\n{line.text}", span=(error.log_line, line.number))
        return True


FORMAT = Format("cmake", ("CMake Error", "CMake Warning", "CMake Deprecation"), _Reader)
