"""Fits parts of files into the available room: lines named by errors first; what is left out is named by its lines."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from healing.model import CIError
from healing.repair.agents.fences import fenced, fenced_within, one_line, shown
from healing.repair.agents.room import fit_line, request_bytes
from healing.repair.agents.task import Excerpt

LINE = 400  # bytes of a line; longer ones are minified or generated
SMALLEST = 300  # bytes; a smaller part is useless
FENCE = 130  # bytes of the fence around a file's parts, with the numbers in its first line
GAP = 60  # bytes of the line that marks what is left out before a part
LEFT_OUT = 1_000  # bytes of the text that names the parts without room
MAX_NAMED = 12  # files whose parts are named there
Named = Mapping[str, Sequence[int]]  # file → lines that errors and their frames name


def named_lines(errors: Iterable[CIError]) -> dict[str, list[int]]:
    """The lines that errors and their frames name, by file."""
    by_file: dict[str, list[int]] = {}
    for error in errors:
        for file, line in ((error.file, error.line), *((r.file, r.line) for r in error.related)):
            if file:
                by_file.setdefault(file, []).extend([line] if line else [])
    return by_file


def fitting(parts: Iterable[Excerpt], named: Named, room: int) -> tuple[Excerpt, ...]:
    """The parts that there is room for, in their order; parts with a named line get room first. A part that doesn't fit
    is shortened or loses its text, so that the message can still say what is missing."""
    parts = tuple(parts)
    if needed(parts) <= room:
        return parts
    room -= LEFT_OUT
    taken: dict[int, tuple[Excerpt, ...]] = {}
    headed: set[str] = set()
    for number in sorted(range(len(parts)), key=lambda at: not _lines_of(parts[at], named)):
        part = parts[number]
        left = room - (0 if part.file in headed else _heading(part.file))
        taken[number] = _shortened(part, _lines_of(part, named), left)
        if any(excerpt.text for excerpt in taken[number]):
            room = left - sum(map(_size, taken[number]))
            headed.add(part.file)
    return tuple(excerpt for number in sorted(taken) for excerpt in taken[number])


def needed(parts: Sequence[Excerpt]) -> int:
    """The bytes of all parts as `shown_files` shows them."""
    heads = sum(_heading(file) for file, _ in groupby(part.file for part in parts if part.text))
    return heads + sum(map(_size, parts)) + (LEFT_OUT if any(not part.text for part in parts) else 0)


def _heading(file: str) -> int:
    """The bytes of a fence around a file's parts, and of its first line."""
    return request_bytes(shown(one_line(file))) + FENCE


def _lines_of(part: Excerpt, named: Named) -> list[int]:
    return [line for line in named.get(part.file, ()) if part.first_line <= line <= part.last_line]


def _size(part: Excerpt) -> int:
    return GAP + sum(_sizes(part)) if part.text else 0


def _sizes(part: Excerpt) -> list[int]:
    return [
        request_bytes(shown(f"{number}\t{row}")) + 2
        for number, row in enumerate(part.text.split("\n"), part.first_line)
    ]


def _shortened(part: Excerpt, named: list[int], room: int) -> tuple[Excerpt, ...]:
    """The part cut to the room: lines around the named ones, or from its start; without text where that would be too
    little."""
    sizes = _sizes(part)
    if not part.text or GAP + sum(sizes) <= room:
        return (part,)
    centres = named or [part.first_line]
    lines = range(part.first_line, part.first_line + len(sizes))
    kept: set[int] = set()
    room -= 2 * GAP  # also covers a part with a gap in it
    for line in sorted(lines, key=lambda one: (min(abs(one - centre) for centre in centres), one)):
        size = sizes[line - part.first_line]
        if size > room:
            break
        room -= size
        kept.add(line)
    if sum(sizes[line - part.first_line] for line in kept) < min(SMALLEST, sum(sizes) // 2):
        return (part.model_copy(update={"text": "", "rest": part.last_line - part.first_line}),)
    return tuple(part_of(part, run) for run in runs(sorted(kept)))


def runs(lines: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Consecutive numbers, as (first, last)."""
    for _, group in groupby(enumerate(lines), key=lambda one: one[1] - one[0]):
        numbers = [number for _, number in group]
        yield numbers[0], numbers[-1]


def part_of(part: Excerpt, lines: tuple[int, int]) -> Excerpt:
    """The part with only these lines."""
    first, last = lines
    rows = part.text.split("\n")[first - part.first_line : last - part.first_line + 1]
    return part.model_copy(update={"first_line": first, "text": "\n".join(rows)})


def shown_rows(rows: Iterable[str]) -> str:
    """A file's lines as they are shown: very long lines are cut, so that none crowds out the others."""
    return "\n".join(fit_line(row.rstrip("\r"), LINE) for row in rows)


def shown_files(parts: Iterable[Excerpt], nonce: str) -> Iterator[str]:
    """Yields each file's parts in a fence and, last, one line with what there was no room for."""
    parts = tuple(parts)
    for _, group in groupby((part for part in parts if part.text), key=lambda part: part.file):
        text = file_text(tuple(group))
        yield fenced(text, nonce, len(text))
    missing = {
        file: [_span(part) for part in group]
        for file, group in groupby((part for part in parts if not part.text), key=lambda part: part.file)
    }
    if missing:
        places = [f"{one_line(file, 120)} ({', '.join(spans[:4])})" for file, spans in missing.items()]
        more = f" and parts of {len(places) - MAX_NAMED} more files" if len(places) > MAX_NAMED else ""
        named = f"No room was left for {', '.join(places[:MAX_NAMED])}{more}; `read_file` shows them."
        yield fenced_within(named, nonce, LEFT_OUT)


def _span(part: Excerpt) -> str:
    return f"lines {part.first_line} to {part.last_line}" if part.rest else "its head"


def file_text(parts: Sequence[Excerpt]) -> str:
    """Parts of one file with line numbers, and one line for each gap between them."""
    first, last = parts[0], parts[-1]
    whole = first.first_line == 1 and last.last_line >= last.lines
    rows = [f"file: {one_line(first.file)}" + ("" if whole or not last.lines else f", {last.lines} lines")]
    end = first.first_line - 1
    for part in parts:
        if part.first_line > end + 1:
            rows.append(f"(… lines {end + 1} to {part.first_line - 1} are not shown)")
        rows += [f"{number}\t{row}" for number, row in enumerate(part.text.split("\n"), part.first_line)]
        end = part.last_line
    return "\n".join(rows)
