"""What an agent has read of its scratch copy, so that its next error starts with it: each line once, in its current
state.

Lines that the first message shows are not repeated, unless they were changed since.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable
from difflib import SequenceMatcher

from healing.repair.agents.task import Excerpt

ROOM = 6_000  # characters that are shown again for one error
GAP = 3  # lines between two parts that are then shown as one
MAX_LENGTH = 400  # characters of a line; longer ones are minified or generated
MAX_LINES = 20_000  # of a file whose line numbers are tracked through changes


class ReadLog:
    """The log of one agent. Lines are counted from 1, in the current scratch copy."""

    def __init__(self) -> None:
        self._read: dict[str, set[int]] = {}  # the file that was read last is last
        self._shown: dict[str, set[int]] = {}
        self._answered: dict[str, set[int]] = {}  # of the lines read: those in answers that the next opening repeats

    def show(self, excerpts: Iterable[Excerpt]) -> None:
        """Records what the first message shows."""
        for excerpt in excerpts:
            lines = range(excerpt.first_line, excerpt.first_line + excerpt.text.count("\n") + 1)
            self._shown.setdefault(excerpt.file, set()).update(lines)

    def read(self, file: str, first: int, last: int) -> None:
        """Records lines that a tool showed."""
        lines = set(range(first, last + 1))
        self._read[file] = self._read.pop(file, set()) | lines
        self._answered.setdefault(file, set()).update(lines)

    def accepted(self) -> None:
        """Records that a fix was accepted: answers from before it are outdated."""
        self._answered.clear()

    def changed(self, file: str, before: bytes | None, after: bytes | None) -> None:
        """Tracks a change: text that it wrote in place of lines that were seen counts as read, and no longer as
        shown."""
        if before == after or not (self._read.get(file) or self._shown.get(file)):
            return
        then = [lines.pop(file, set()) for lines in (self._read, self._shown, self._answered)]
        if after is None or before is None or max(before.count(b"\n"), after.count(b"\n")) > MAX_LINES:
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
        """What was read, with the contents that `read` returns now, while there is room: files in `first` before
        others, recently read ones before older ones. Files in `without` are left out, and with `answered` also lines
        that repeated answers show. Second, the places without room."""
        files = [file for file in reversed(self._read) if file not in without]
        files.sort(key=lambda file: file not in first)
        room, parts, left = ROOM, list[Excerpt](), list[str]()
        for file in files:
            raw = await read(file)
            seen = self._shown.get(file, set()) | (self._answered.get(file, set()) if answered else set())
            for part in _parts(file, raw, self._read[file] - seen) if raw else ():
                if len(part.text) <= room:
                    room -= len(part.text)
                    parts.append(part)
                else:
                    left.append(f"{file}:{part.first_line}-{part.first_line + part.text.count(chr(10))}")
        return tuple(parts), tuple(left)


def _parts(file: str, raw: bytes, lines: Collection[int]) -> list[Excerpt]:
    """The lines as parts of the file."""
    rows = [row.rstrip("\r")[:MAX_LENGTH] for row in raw.decode("utf-8", "replace").split("\n")]
    spans: list[list[int]] = []
    for line in sorted(line for line in lines if line <= len(rows)):
        if spans and line <= spans[-1][1] + GAP:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    texts = [Excerpt(file=file, first_line=a, text="\n".join(rows[a - 1 : b])) for a, b in spans]
    return [part for part in texts if part.text.strip()]
