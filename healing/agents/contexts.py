"""The code around errors, gathered before the first model call, so that no call is spent on finding it (AG-1)."""

from collections.abc import Callable, Iterable, Mapping

from healing.agents.task import Excerpt
from healing.model import CIError, Cluster

AROUND = 25  # lines before and after a named one
HEAD = 60  # lines of a file of the zone in which no line is named
MAX_FILES = 12
MAX_LINE = 400  # characters; longer ones are minified or generated


def excerpts(cluster: Cluster, errors: Iterable[CIError], read: Callable[[str], bytes | None]) -> tuple[Excerpt, ...]:
    """Windows of ±25 lines around every line that an error or its stack frames name, and heads of the zone's others."""
    lines: dict[str, set[int]] = {}
    for error in errors:
        for file, line in ((error.file, error.line), *((r.file, r.line) for r in error.related)):
            if file:
                lines.setdefault(file, set()).update({line} if line else ())
    for file in cluster.zone:
        lines.setdefault(file, set())
    return windows(lines, read)


def windows(lines: Mapping[str, set[int]], read: Callable[[str], bytes | None]) -> tuple[Excerpt, ...]:
    """What stands around these lines of files; of a file without any its head."""
    found: list[Excerpt] = []
    for file in list(lines)[:MAX_FILES]:
        raw = read(file)
        if raw is not None and b"\0" not in raw[:8000]:
            found += _windows(file, raw.decode("utf-8", "replace"), lines[file])
    return tuple(found)


def _windows(file: str, text: str, named: set[int]) -> list[Excerpt]:
    rows = [row.rstrip("\r")[:MAX_LINE] for row in text.split("\n")]
    spans: list[tuple[int, int]] = []
    for line in sorted(n for n in named if 1 <= n <= len(rows)):
        first, last = line - AROUND, line + AROUND
        if spans and first <= spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], last)
        else:
            spans.append((max(first, 1), last))
    return [Excerpt(file=file, first_line=a, text="\n".join(rows[a - 1 : b])) for a, b in spans or [(1, HEAD)]]
