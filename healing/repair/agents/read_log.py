"""What an agent has read of its scratch copy, so that its next error begins with it: each line once, as it is by then.

What the first message shows still stands there and is not repeated, unless it was changed since.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable
from difflib import SequenceMatcher

from healing.repair.agents.task import Excerpt

ROOM = 6_000  # characters that are shown again for one error
GAP = 3  # lines between two parts that are then shown as one
LONGEST = 400  # characters of a line; longer ones are minified or generated
MOST_LINES = 20_000  # of a file that is followed through its changes


class ReadLog:
    """Of one agent. Lines are counted from 1, in the scratch copy as it is now."""

    def __init__(self) -> None:
        self._read: dict[str, set[int]] = {}  # the file that was read last comes last
        self._shown: dict[str, set[int]] = {}
        self._answered: dict[str, set[int]] = {}  # of what was read: shown as answers beside, this once

    def show(self, excerpts: Iterable[Excerpt]) -> None:
        """Notes what the first message shows."""
        for one in excerpts:
            lines = range(one.first_line, one.first_line + one.text.count("\n") + 1)
            self._shown.setdefault(one.file, set()).update(lines)

    def read(self, file: str, first: int, last: int) -> None:
        """Notes lines that a tool showed."""
        lines = set(range(first, last + 1))
        self._read[file] = self._read.pop(file, set()) | lines
        self._answered.setdefault(file, set()).update(lines)

    def accepted(self) -> None:
        """Notes that what was read until now was read before a fix was accepted: its answers are old."""
        self._answered.clear()

    def changed(self, file: str, before: bytes | None, after: bytes | None) -> None:
        """Follows a change: what it wrote in place of lines that were seen counts as read, and no longer as shown."""
        if before == after or not (self._read.get(file) or self._shown.get(file)):
            return
        then = [lines.pop(file, set()) for lines in (self._read, self._shown, self._answered)]
        if after is None or before is None or max(before.count(b"\n"), after.count(b"\n")) > MOST_LINES:
            return
        old, new = before.splitlines(), after.splitlines()
        now: tuple[set[int], set[int], set[int]] = set(), set(), set()
        for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if kind == "equal":
                for of_now, of_then in zip(now, then, strict=True):
                    of_now |= {line - a + c for line in of_then if a < line <= b}
            elif (then[0] | then[1]) & set(range(a, b + 2)):
                now[0].update(range(c + 1, d + 1))
        self._read[file], self._shown[file], self._answered[file] = now

    async def kept(
        self,
        read: Callable[[str], Awaitable[bytes | None]],
        first: Collection[str],
        without: Collection[str],
        answered: bool,
    ) -> tuple[tuple[Excerpt, ...], tuple[str, ...]]:
        """What was read, as `read` gives it now, while there is room: of files in `first` before others, what was read
        last before what was read earlier; nothing of files in `without`, nor what `answered` says that answers show.
        Then the places for which no room is left."""
        files = [file for file in reversed(self._read) if file not in without]
        files.sort(key=lambda file: file not in first)
        room, found, left = ROOM, list[Excerpt](), list[str]()
        for file in files:
            raw = await read(file)
            seen = self._shown.get(file, set()) | (self._answered.get(file, set()) if answered else set())
            for one in _parts(file, raw, self._read[file] - seen) if raw else ():
                if len(one.text) <= room:
                    room -= len(one.text)
                    found.append(one)
                else:
                    left.append(f"{file}:{one.first_line}-{one.first_line + one.text.count(chr(10))}")
        return tuple(found), tuple(left)


def _parts(file: str, raw: bytes, lines: Collection[int]) -> list[Excerpt]:
    """The lines as parts of the file."""
    rows = [row.rstrip("\r")[:LONGEST] for row in raw.decode("utf-8", "replace").split("\n")]
    spans: list[list[int]] = []
    for line in sorted(line for line in lines if line <= len(rows)):
        if spans and line <= spans[-1][1] + GAP:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    texts = [Excerpt(file=file, first_line=a, text="\n".join(rows[a - 1 : b])) for a, b in spans]
    return [one for one in texts if one.text.strip()]
