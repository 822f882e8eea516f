"""The code around errors, gathered before the first model call, so that no call is spent on finding it."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from healing.graph import is_test
from healing.model import Category, CIError, Cluster
from healing.repair.agents.alike import alike
from healing.repair.agents.subjects import Spans, subjects
from healing.repair.agents.task import Excerpt

AROUND = 25  # lines before and after a named one
HEAD = 60  # lines of a file of the zone in which no line is named; a file of no more is shown whole
MAX_FILES = 12
MOST_TESTS = 10  # whose subjects are looked up
ROOM = 11_000  # characters of all code that is shown for one cause
ROOM_OF_A_CAUSE = 4_000  # and for each further one
MAX_LINE = 400  # characters; longer ones are minified or generated


def excerpts(
    cluster: Cluster,
    errors: Iterable[CIError],
    read: Callable[[str], bytes | None],
    paths: Iterable[str] = (),
) -> tuple[Excerpt, ...]:
    """Windows of ±25 lines around every line that an error or its stack frames name, the functions that failing tests
    are about (`paths` are all files of the tree), and heads of the zone's other files, as far as there is room. Of
    errors that say the same at the same place it is those of the first."""
    firsts = [first for first, *_ in alike(errors)]
    spans: Spans = {}
    for error in firsts:
        for file, line in ((error.file, error.line), *((r.file, r.line) for r in error.related)):
            if file:
                spans.setdefault(file, []).extend([around(line)] if line else [])
    tests = [error for error in firsts if error.test or error.category in (Category.TEST, Category.RUNTIME)]
    for file, found in subjects(tests[:MOST_TESTS], read, paths).items():
        spans.setdefault(file, []).extend(found)
    for file in sorted(cluster.zone, key=is_test):
        spans.setdefault(file, [])
    return tuple(_fitting(_shown(spans, read), ROOM + ROOM_OF_A_CAUSE * max(len(cluster.causes) - 1, 0)))


def windows(lines: Mapping[str, set[int]], read: Callable[[str], bytes | None]) -> tuple[Excerpt, ...]:
    """What stands around these lines of files; of a file without any its head."""
    return tuple(_shown({file: list(map(around, sorted(named))) for file, named in lines.items()}, read))


def around(line: int) -> tuple[int, int]:
    """The first and the last line of what is shown of a named one."""
    return max(line - AROUND, 1), line + AROUND


def _shown(spans: Spans, read: Callable[[str], bytes | None]) -> Iterator[Excerpt]:
    for file in list(spans)[:MAX_FILES]:
        raw = read(file)
        if raw is not None and b"\0" not in raw[:8000]:
            yield from _windows(file, raw.decode("utf-8", "replace"), spans[file])


def _fitting(found: Iterable[Excerpt], room: int) -> Iterator[Excerpt]:
    """Those that there is room for; always the first."""
    for number, excerpt in enumerate(found):
        if not number or len(excerpt.text) <= room:
            room -= len(excerpt.text)
            yield excerpt


def _windows(file: str, text: str, wanted: Iterable[tuple[int, int]]) -> list[Excerpt]:
    """The wanted lines, joined where they meet; a short file whole."""
    rows = [row.rstrip("\r")[:MAX_LINE] for row in text.split("\n")]
    if len(rows) <= HEAD:
        return [Excerpt(file=file, first_line=1, text="\n".join(rows))]
    spans: list[tuple[int, int]] = []
    for first, last in sorted(span for span in wanted if span[0] <= len(rows)):
        if spans and first <= spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], max(last, spans[-1][1]))
        else:
            spans.append((first, last))
    return [Excerpt(file=file, first_line=a, text="\n".join(rows[a - 1 : b])) for a, b in spans or [(1, HEAD)]]
