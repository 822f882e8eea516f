"""Tools that look: a file's part, files by name, lines by text. Searches give counts and lines, not dumps."""

from fnmatch import translate
from re import compile as regex

from healing.agents.fences import numbered, one_line
from healing.agents.scratch import Scratch
from healing.agents.tools.answer import Seen
from healing.agents.tools.arguments import Glob, Grep, ReadFile
from healing.agents.workspace import Outside, confined

MAX_FILES = 5_000  # searched by one grep
MAX_BYTES = 1 << 20  # of one file that grep reads
SHOWN = 200  # names of one glob
HITS = 100  # lines of one grep


class Looking:
    """Looks at one scratch copy."""

    def __init__(self, scratch: Scratch) -> None:
        self.scratch = scratch

    async def read_file(self, asked: ReadFile) -> Seen:
        """A part of a file with line numbers."""
        raw = await self.scratch.read(asked.file)
        if raw is None:
            return Seen("There is no such regular file; use glob to find it.", failed=True)
        lines = raw.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
        first = max(asked.first_line, 1)
        last = min(asked.last_line if asked.last_line > 0 else len(lines), len(lines))
        if first > last:
            return Seen(f"The file has {len(lines)} lines; ask for a part of them.", failed=True)
        return Seen(f"Lines {first} to {last} of {len(lines)}.", numbered("\n".join(lines[first - 1 : last]), first))

    async def glob(self, asked: Glob) -> Seen:
        """Files by pattern."""
        found = await self._matching(asked.pattern)
        if not found:
            return Seen("No file matches; try a shorter pattern, like *name*.")
        more = f" Only the first {SHOWN} of {len(found)} are shown; narrow the pattern." * (len(found) > SHOWN)
        return Seen(f"{len(found)} files.{more}", "\n".join(one_line(path) for path in found[:SHOWN]))

    async def grep(self, asked: Grep) -> Seen:
        """Files and lines that hold a text."""
        if not asked.text or "\n" in asked.text:
            return Seen("Name a text of one line to find.", failed=True)
        paths = await self._matching(asked.pattern)
        counts: list[str] = []
        hits: list[str] = []
        for path in paths[:MAX_FILES]:
            raw = await self.scratch.read(path)
            if raw is None or len(raw) > MAX_BYTES or asked.text.encode("utf-8", "replace") not in raw:
                continue
            lines = [(n, t) for n, t in enumerate(raw.decode("utf-8", "replace").split("\n"), 1) if asked.text in t]
            counts.append(f"{len(lines)}\t{path}")
            hits += [f"{path}:{n}:{one_line(t, 200)}" for n, t in lines[: max(HITS - len(hits), 0)]]
        left = f" {len(paths) - MAX_FILES} files were not searched; narrow the pattern." * (len(paths) > MAX_FILES)
        if not counts:
            return Seen(f"Not found in {min(len(paths), MAX_FILES)} files.{left}")
        heading = f"Found in {len(counts)} files; counts, then the first lines.{left}"
        return Seen(heading, "\n".join([*counts[:100], "", *hits]))

    async def _matching(self, pattern: str) -> list[str]:
        matches = regex(translate(pattern[:200])).match
        return [path for path in await self.scratch.workspace.paths() if matches(path) and _open(path)]


def _open(path: str) -> bool:
    try:
        return bool(confined(path))
    except Outside:
        return False
