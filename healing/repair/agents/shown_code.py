"""Leaves out of a traceback the lines of code that the same message shows as code, with their numbers."""

import re
from collections.abc import Iterable, Mapping

from healing.repair.agents.task import Excerpt

# Where a frame is, as pytest's long style writes it below the frame's code.
_PLACE = re.compile(r"(?P<file>\S{1,300}):\d{1,9}: ?(?:in \S.*|[A-Z][\w.]*)?\Z")


def code_lines(parts: Iterable[Excerpt]) -> dict[str, set[str]]:
    """The lines that are shown of each file, without indentation."""
    lines: dict[str, set[str]] = {}
    for part in parts:
        lines.setdefault(part.file, set()).update(line.strip() for line in part.text.split("\n"))
    return lines


def without_shown_code(text: str, shown: Mapping[str, set[str]]) -> str:
    """The text with, of each frame whose code is shown, only the failing line and what follows it. A frame of which any
    line is not shown stays whole."""
    kept: list[str] = []
    frame: list[str] = []  # the lines since the last place
    for line in text.split("\n"):
        place = _PLACE.match(line)
        if place is None:
            frame.append(line)
            continue
        kept += [*_failing(frame, shown.get(place["file"], set())), line]
        frame = []
    return "\n".join([*kept, *frame])


def _failing(frame: list[str], shown: set[str]) -> list[str]:
    """The frame's lines without the code before its failing line, if all of that is shown."""
    at = next((number for number, line in enumerate(frame) if line.startswith(">")), 0)
    begins = at
    while begins and (not frame[begins - 1] or frame[begins - 1].startswith("    ")):
        begins -= 1
    code = {line.strip() for line in frame[begins:at]} - {""}
    return [*frame[:begins], *frame[at:]] if code and code <= shown else frame
