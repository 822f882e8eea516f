"""Finds the place of a failed test in the text of its stack trace, in any language."""

import re
from collections.abc import Iterator

from healing.logs.documents.node import number
from healing.logs.documents.places import Place
from healing.logs.paths import Paths

MAX_LINES = 400

_LINE = r":(?P<line>\d{1,7})"
_COLUMN = r":(?P<column>\d{1,6})"
_SCRIPT = r"\.(?:rb|exs?|php|phpt|feature|lua|pl|t)"
_SOURCE = r"\.(?:go|rs|c|cc|cpp|cxx|h|hpp|m|mm|swift|dart|zig|nim|d)"
_OTHERS = (  # frames of the runners themselves
    r"(?:org\.(?:junit|opentest4j|testng|hamcrest|assertj|mockito|gradle|apache\.maven|springframework)|javax?|jdk|sun"
    r"|kotlin|scala|com\.sun)\."
)
_JVM = rf"(?!{_OTHERS})(?:[\w.]{{1,60}}/)?(?P<owner>[\w.$]{{1,300}})\.[^.()\n]{{1,200}}"
_ANY = r"(?:file://)?(?P<file>[^()\n: ]{0,2}[^()\n:]{1,400})"

# (pattern, whether the last matching line is the place, else the first). For one line at a time; repeats are bounded.
_ROWS = tuple(
    (re.compile(pattern), last)
    for pattern, last in (
        (r'\s{0,40}File "(?P<file>[^"\n]{1,400})", line (?P<line>\d{1,7})', True),
        (rf"(?P<file>[^\s:()'\"]{{1,400}}\.pyx?){_LINE}: ", True),
        (rf"\s{{0,40}}at {_JVM}\((?P<file>[^()\s:/]{{1,200}}\.(?:java|kt|scala|groovy|clj)){_LINE}\)", False),
        (r"\s{0,40}at [^\n]{0,400} in (?P<file>[^\n]{1,400}):line (?P<line>\d{1,7})", False),
        (rf"\s{{0,40}}at [^()\n]{{0,300}}\({_ANY}{_LINE}{_COLUMN}\)", False),
        (rf"\s{{0,40}}at {_ANY}{_LINE}{_COLUMN}$", False),
        (rf"\s{{0,40}}(?:# ?)?(?P<file>[^\s:#()]{{1,400}}{_SCRIPT}){_LINE}(?::in |:|\)|$|\s)", False),
        (rf"\s{{0,40}}(?P<file>[^\s:()]{{1,400}}{_SOURCE}){_LINE}(?:{_COLUMN})?(?::|\s|$|,)", False),
        (rf"\s{{0,40}}Location:? {{1,9}}(?P<file>[^\s:]{{1,400}}){_LINE}", False),
        (rf"[^\n]{{0,200}}?panicked at (?:'[^'\n]{{0,300}}', )?(?P<file>[^\s:]{{1,400}}\.rs){_LINE}{_COLUMN}", False),
    )
)


def spot_in(trace: str, paths: Paths, wanted: str | None) -> Place | None:
    """The frame in `wanted`, the test's own file, else the innermost one inside the repository; None if there is
    none."""
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
        if not match:
            continue
        file = _packaged(match["owner"], match["file"]) if "owner" in pattern.groupindex else match["file"]
        column = number(match["column"]) if "column" in pattern.groupindex else None
        if paths.inside(file) and not file.startswith(("node:", "internal/", "<")):
            yield Place(file, number(match["line"]), column)


def _packaged(owner: str, name: str) -> str:
    """The path of a JVM frame's file, which is printed without a folder, below the folders of its package."""
    package = owner.split("$", maxsplit=1)[0].rpartition(".")[0]
    return f"{package.replace('.', '/')}/{name}" if package else name


def _same(one: str, other: str) -> bool:
    """Whether both name the same file; `other` may be the dotted name of a class."""
    one, other = one.replace("\\", "/"), other.replace("\\", "/")
    if "/" not in other and one.rpartition(".")[0].replace("/", ".") == other.split("$")[0]:
        return True
    return one.endswith("/" + other) or other.endswith("/" + one) or one == other
