"""Normalises messages: removes what changes from run to run and from machine to machine."""

import re

QUOTED = re.compile(r"[\"'`‘]([^\"'`’\n]{1,200})[\"'`’]")
LINE_LIMIT = 400
SHAPE_LIMIT = 200
NORMAL = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?", "‹when›"),
        (r"\b[a-z][a-z+.-]{1,20}://[^\s\"'<>)]{1,300}", "‹url›"),
        (r"(?:[A-Za-z]:)?(?:[\w.@~+-]*[/\\])+[\w.@~+-]+", "‹path›"),
        (r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b", "‹id›"),
        (r"\b0x[0-9a-fA-F]{1,32}\b", "‹hex›"),
        (r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b", "‹hex›"),
        (r"\btmp(?=\w*\d|_)\w{4,12}\b|\btmp(?!fs)[a-z]{6,8}\b", "‹tmp›"),
        (r"\b(?:gw|(?:[A-Za-z]*[Ww]orker|Thread|Process|pid|runner)[-_# ]{0,2})\d+\b", "‹worker›"),
        (r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b|\blocalhost:\d{1,5}\b", "‹host›"),
        (
            r"\b(?:\d+(?:\.\d+)? ?(?:ns|us|µs|ms|sec(?:ond)?s?|s|min(?:ute)?s?|m|hours?|h)\b ?)+",
            "‹time› ",
        ),
        (r"\d+(?:\.\d+)?", "0"),
        (r"\s+", " "),
    )
)
UNSTEADY = re.compile(
    r"tmp\w{4,12}|gw\d+|[\w-]*[Ww]orker[-_]?\d+|Thread-\d+|(?=\w*\d)(?=\w*[a-f])[0-9a-f]{7,64}|0x[0-9a-f]+"
)


def shape_of(message: str) -> str:
    """The first line of a message, with placeholders for quotes, paths, addresses, numbers, times and names of workers
    and temporary files."""
    line = next((line.strip() for line in message.splitlines() if line.strip()), "")[:LINE_LIMIT]
    line = QUOTED.sub("'…'", line)
    for pattern, instead in NORMAL:
        line = pattern.sub(instead, line)
    return line.strip()[:SHAPE_LIMIT]


def is_stable_name(symbol: str) -> bool:
    """Whether a name is likely the same in the next run."""
    return not UNSTEADY.fullmatch(symbol)


def foreign(file: str) -> str:
    """The part of a path outside the repo that is the same on every machine: the path inside its package, otherwise the
    file name."""
    path = file.replace("\\", "/")
    for mark in ("site-packages/", "dist-packages/", "node_modules/", "/pkg/mod/", "/registry/src/"):
        before, separator, inside = path.rpartition(mark)
        if separator and before is not None:
            return mark + inside
    return path.rpartition("/")[2]
