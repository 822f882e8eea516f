"""Tools that read: a file's part, files by name, lines by content, a name's definitions. Searches return counts and
lines, not whole files."""

import asyncio
from collections.abc import Iterator
from fnmatch import translate
from itertools import islice
from re import compile as regex

from healing.graph import is_test
from healing.graph.definitions import definitions, has_definitions
from healing.logs.matchers import expression
from healing.repair.agents.fences import numbered, one_line
from healing.repair.agents.scratch import Scratch
from healing.repair.agents.tool_arguments import Definition, Glob, Grep, ReadFile, WrongArguments
from healing.repair.agents.tools.answer import ToolAnswer
from healing.repair.agents.workspace import PathNotAllowed, confined

MAX_FILES = 5_000  # searched by one grep
MAX_BYTES = 1 << 20  # of one file that grep reads
SHOWN = 200  # names of one glob
HITS = 100  # lines of one grep
LINE = 200  # characters of each
CONTEXT = 5  # lines before and after a match
EXPRESSION = 500  # characters of a regular expression
DEFINITIONS = 5  # shown of one name, whole up to so many lines
LONG = 120
NAME = regex(r"[^\W\d]\w{0,99}")


class CopyReader:
    """Reads one scratch copy."""

    def __init__(self, scratch: Scratch) -> None:
        self.scratch = scratch

    async def read_file(self, arguments: ReadFile) -> ToolAnswer:
        """A part of a file with line numbers."""
        raw = await self.scratch.read(arguments.file)
        if raw is None:
            return ToolAnswer("There is no such regular file; find it with glob.", failed=True)
        lines = raw.decode("utf-8", "replace").replace("\r\n", "\n").removesuffix("\n").split("\n")
        first = max(arguments.first_line, 1)
        last = min(arguments.last_line if arguments.last_line > 0 else len(lines), len(lines))
        if first > last:
            return ToolAnswer(f"The file has {len(lines)} lines; ask for a part of them.", failed=True)
        self.scratch.reads.read(arguments.file, first, last)
        return ToolAnswer(
            f"Lines {first} to {last} of {len(lines)}.", numbered("\n".join(lines[first - 1 : last]), first)
        )

    async def glob(self, arguments: Glob) -> ToolAnswer:
        """Files by pattern."""
        paths = await self._matching(arguments.pattern)
        if not paths:
            return ToolAnswer("No file matches; try a shorter pattern, like *name*.")
        more = f" Only the first {SHOWN} of {len(paths)} are shown; narrow the pattern." * (len(paths) > SHOWN)
        return ToolAnswer(f"{len(paths)} files.{more}", "\n".join(one_line(path) for path in paths[:SHOWN]))

    async def grep(self, arguments: Grep) -> ToolAnswer:
        """Files and lines that match a regular expression."""
        if not arguments.expression:
            return ToolAnswer("Name an expression to find.", failed=True)
        try:
            matches = expression(arguments.expression[:EXPRESSION]).search
        except ValueError as error:
            return ToolAnswer("Nothing was searched.", str(error), failed=True)
        paths = await self._matching(arguments.files)
        counts: list[str] = []
        hits: list[str] = []
        for path in paths[:MAX_FILES]:
            raw = await self.scratch.read(path)
            if raw is None or len(raw) > MAX_BYTES:
                continue
            lines = raw.decode("utf-8", "replace").split("\n")
            matching_lines = [number for number, line in enumerate(lines) if matches(line)]
            if matching_lines:
                counts.append(f"{len(matching_lines)}\t{path}")
                more = _with_context(path, lines, matching_lines, min(max(arguments.context, 0), CONTEXT))
                hits += islice(more, max(HITS - len(hits), 0))
        left = f" {len(paths) - MAX_FILES} files were not searched; narrow `files`." * (len(paths) > MAX_FILES)
        if not counts:
            return ToolAnswer(f"Not found in {min(len(paths), MAX_FILES)} files.{left}")
        heading = f"Found in {len(counts)} files; counts, then the first lines.{left}"
        return ToolAnswer(heading, "\n".join([*counts[:100], "", *hits]))

    async def definition(self, arguments: Definition) -> ToolAnswer:
        """Where a name is defined, the product's files first."""
        *_, last = parts = tuple(NAME.findall(arguments.symbol[:200]))[-3:] or ("",)
        if not last:
            raise WrongArguments("name a function, class, type or constant, like total or Shop.total")
        matches: list[tuple[str, str, int]] = []
        for path in sorted(await self._matching("*"), key=is_test)[:MAX_FILES]:
            raw = await self.scratch.read(path) if has_definitions(path) else None
            if raw is None or len(raw) > MAX_BYTES or last.encode() not in raw:
                continue
            lines = raw.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
            places = await asyncio.to_thread(definitions, path, raw, parts)
            matches += [(path, "\n".join(lines[a - 1 : min(b, a + LONG)]), a) for a, b in places]
        if not matches:
            return ToolAnswer("No definition of that name is in the repository; it may come from a library. Try grep.")
        for path, text, first in matches[:DEFINITIONS]:
            self.scratch.reads.read(path, first, first + text.count("\n"))
        shown = [f"{one_line(path)}\n{numbered(text, first)}" for path, text, first in matches[:DEFINITIONS]]
        further = [f"also {one_line(path)}:{first}" for path, _, first in matches[DEFINITIONS:HITS]]
        return ToolAnswer(
            f"Defined in {len(matches)} places." * (len(matches) > 1), "\n\n".join([*shown, "\n".join(further)])
        )

    async def _matching(self, pattern: str) -> list[str]:
        matches = regex(translate(pattern[:200])).match
        return [path for path in await self.scratch.workspace.paths() if matches(path) and _is_readable(path)]


def _with_context(path: str, lines: list[str], found: list[int], context: int) -> Iterator[str]:
    """The matching lines and those around them, in grep's format with indentation, each line cut."""
    matching, last = set(found), -1
    for at in found:
        if context and -1 < last < at - context - 1:
            yield "--"
        for number in range(max(at - context, last + 1), min(at + context + 1, len(lines))):
            mark = ":" if number in matching else "-"
            yield f"{one_line(path)}{mark}{number + 1}{mark}{lines[number].replace(chr(13), '')[:LINE]}"
            last = number


def _is_readable(path: str) -> bool:
    try:
        return bool(confined(path))
    except PathNotAllowed:
        return False
