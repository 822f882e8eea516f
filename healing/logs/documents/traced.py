"""Where a failed test points to: the place in the text of its trace, whatever language wrote it."""

import re
from collections.abc import Iterator

from healing.logs.documents.node import number
from healing.logs.documents.places import Place
from healing.logs.paths import Paths

MAX_LINES = 400

_AT = r"\s{0,40}at [^()\n]{0,300}"
_LINE = r":(\d{1,7})"
_SCRIPT = r"\.(?:rb|exs?|php|phpt|feature|lua|pl|t)"
_SOURCE = r"\.(?:go|rs|c|cc|cpp|cxx|h|hpp|m|mm|swift|dart|zig|nim|d)"

# (pattern, whether the last such line is the place: else the first). One line at a time, bounded throughout.
_ROWS = tuple(
    (re.compile(pattern), last)
    for pattern, last in (
        (r'\s{0,40}File "([^"\n]{1,400})", line (\d{1,7})', True),
        (rf"([^\s:()'\"]{{1,400}}\.pyx?){_LINE}: ", True),
        (rf"{_AT}\(([^()\s:]{{1,200}}\.(?:java|kt|scala|groovy|clj)){_LINE}\)", False),
        (r"\s{0,40}at [^\n]{0,400} in ([^\n]{1,400}):line (\d{1,7})", False),
        (rf"{_AT}\((?:file://)?([^()\n:]{{0,2}}[^()\n:]{{1,400}}){_LINE}:(\d{{1,6}})\)", False),
        (rf"\s{{0,40}}at (?:file://)?([^()\n: ]{{0,2}}[^()\n: ]{{1,400}}){_LINE}:(\d{{1,6}})$", False),
        (rf"\s{{0,40}}(?:# ?)?([^\s:#()]{{1,400}}{_SCRIPT}){_LINE}(?::in |:|\)|$|\s)", False),
        (rf"\s{{0,40}}([^\s:()]{{1,400}}{_SOURCE}){_LINE}(?::(\d{{1,6}}))?(?::|\s|$|,)", False),
        (rf"[^\n]{{0,200}}?panicked at (?:'[^'\n]{{0,300}}', )?([^\s:]{{1,400}}\.rs){_LINE}:(\d{{1,6}})", False),
    )
)


def spot_in(trace: str, paths: Paths, wanted: str | None) -> Place | None:
    """The frame in `wanted`, the test's own file, else the innermost one inside the repository; None for none."""
    lines = trace.split("\n")[:MAX_LINES]
    for pattern, last in _ROWS:
        spots = list(_spots(pattern, lines, paths))
        own = [spot for spot in spots if wanted and _same(spot.file or "", wanted)]
        if chosen := own or spots:
            return chosen[-1 if last else 0]
    return None


def _spots(pattern: re.Pattern[str], lines: list[str], paths: Paths) -> Iterator[Place]:
    for line in lines:
        match = pattern.match(line[:1_000])
        if match and paths.inside(match[1]) and not match[1].startswith(("node:", "internal/", "<")):
            yield Place(
                match[1], number(match[2]), number(match[3]) if match.lastindex and match.lastindex > 2 else None
            )


def _same(one: str, other: str) -> bool:
    one, other = one.replace("\\", "/"), other.replace("\\", "/")
    return one.endswith("/" + other) or other.endswith("/" + one) or one == other
