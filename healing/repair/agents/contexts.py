"""Gathers the code around errors before the first model call, so that no call is spent on finding it."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from healing.graph import is_test
from healing.model import Category, CIError, Cluster
from healing.repair.agents.alike import group_alike
from healing.repair.agents.assignments import assignment_spans
from healing.repair.agents.code_parts import fitting, named_lines, shown_rows
from healing.repair.agents.subjects import Spans, subjects
from healing.repair.agents.task import Excerpt

AROUND = 25  # lines before and after a named one
HEAD = 60  # lines of a zone's file without a named line; a file of no more is shown whole
MAX_FILES = 12
MAX_LEFT = 40  # further files that are still named
MAX_TESTS = 10  # whose subjects are looked up
ROOM = 13_000  # bytes of all code that is shown for one cause, as they are sent
ROOM_OF_A_CAUSE = 4_700  # and for each further one


def excerpts(
    cluster: Cluster,
    errors: Iterable[CIError],
    read: Callable[[str], bytes | None],
    paths: Iterable[str] = (),
) -> tuple[Excerpt, ...]:
    """Excerpts for the errors: windows of ±25 lines around every line that an error or its stack frames name, the
    functions that failing tests are about (`paths` are all files of the tree), the assignments of attributes that they
    name, and the heads of the zone's other files. Excerpts without room are returned without text. Of errors with the
    same message and place only the first one counts."""
    paths = tuple(paths)
    groups = group_alike(errors)
    firsts = [first for first, *_ in groups]
    named = named_lines(firsts)
    spans: Spans = {file: list(map(around, lines)) for file, lines in named.items()}
    tests = [error for error in firsts if error.test or error.category in (Category.TEST, Category.RUNTIME)]
    for file, found in subjects(tests[:MAX_TESTS], read, paths).items():
        spans.setdefault(file, []).extend(found)
    for file, lines in list(assignment_spans(tests[:MAX_TESTS], tuple(spans), read, paths)):
        spans.setdefault(file, []).append(lines)
    test_files = {file for _, *others in groups for file in named_lines(others) if is_test(file)}
    for file in sorted(cluster.zone, key=is_test):
        if file not in test_files:  # one of several tests that fail at the same place is enough
            spans.setdefault(file, [])
    ids = {error.id for error in firsts}
    causes = sum(any(i in ids for i in cause.error_ids) for cause in cluster.causes)
    return fitting(_shown(spans, read), named, ROOM + ROOM_OF_A_CAUSE * max(causes - 1, 0))


def windows(lines: Mapping[str, set[int]], read: Callable[[str], bytes | None]) -> tuple[Excerpt, ...]:
    """The code around these lines of files; the head of a file without any."""
    spans = {file: list(map(around, sorted(named))) for file, named in lines.items()}
    return tuple(excerpt for excerpt in _shown(spans, read) if excerpt.text)


def around(line: int) -> tuple[int, int]:
    """The first and the last line of the window around a line."""
    return max(line - AROUND, 1), line + AROUND


def _shown(spans: Spans, read: Callable[[str], bytes | None]) -> Iterator[Excerpt]:
    """Yields the first files' lines; of the others only the names."""
    for file in list(spans)[:MAX_FILES]:
        raw = read(file)
        if raw is not None and b"\0" not in raw[:8000]:
            yield from _windows(file, raw.decode("utf-8", "replace"), spans[file])
    for file in list(spans)[MAX_FILES : MAX_FILES + MAX_LEFT]:
        for first, last in _joined(spans[file], last=1 << 30) or [(1, 1)]:
            yield Excerpt(file=file, first_line=first, text="", rest=last - first)


def _windows(file: str, text: str, wanted: Iterable[tuple[int, int]]) -> list[Excerpt]:
    """The wanted lines, merged where they touch; a short file whole."""
    rows = text.removesuffix("\n").split("\n")
    count = len(rows)
    if count <= HEAD:
        return [Excerpt(file=file, first_line=1, text=shown_rows(rows), lines=count)]
    spans = _joined(wanted, last=count) or [(1, HEAD)]
    return [Excerpt(file=file, first_line=a, text=shown_rows(rows[a - 1 : b]), lines=count) for a, b in spans]


def _joined(wanted: Iterable[tuple[int, int]], last: int) -> list[tuple[int, int]]:
    """The ranges that begin by the last line, merged where they touch."""
    spans: list[tuple[int, int]] = []
    for a, b in sorted(span for span in wanted if span[0] <= last):
        if spans and a <= spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], max(b, spans[-1][1]))
        else:
            spans.append((a, b))
    return spans
