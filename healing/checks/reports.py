"""Report files that a check's command names: what the tool wrote there and did not print."""

import posixpath
import re
import shlex
from collections.abc import Callable
from itertools import pairwise

from healing.checks.check import WORKSPACE, Script

OPTIONS = (
    *("--junitxml", "--junit-xml", "--output-file", "--outputFile", "--json-report-file", "--junit-output", "--xunit"),
    *("--out", "--output", "--report-file", "--sarif-file", "--log-junit", "--junitfile", "--jsonfile", "-o"),
)
REPORT = re.compile(r"[\w./+-]{1,300}\.(?:xml|json|jsonl|sarif)\Z")
REDIRECT = re.compile(r"(?<![\d&>])1?>{1,2}[ \t]{0,4}([\w./+-]{1,300})")
MOST_FILES = 5
MOST_BYTES = 16 << 20
MOST_CHARACTERS = 20_000  # of a command that are looked at

Read = Callable[[str], bytes | None]


def report_paths(step: Script) -> tuple[str, ...]:
    """The repo-relative paths of the report files that a step's command names."""
    text = step.run.replace("\\\n", " ")[:MOST_CHARACTERS]
    named = [path for line in text.splitlines() for path in _options(line)]
    found = (_inside(step.cwd, path) for path in (*named, *REDIRECT.findall(text)) if REPORT.match(path))
    return tuple(dict.fromkeys(path for path in found if path))[:MOST_FILES]


def _options(line: str) -> list[str]:
    try:
        words = shlex.split(line)
    except ValueError:
        return []
    pairs = (word.partition("=") for word in words)
    spelled = [value for name, equals, value in pairs if equals and name in OPTIONS]
    return spelled + [after for word, after in pairwise(words) if word in OPTIONS]


def _inside(cwd: str, path: str) -> str:
    folder = cwd.removeprefix(WORKSPACE).lstrip("/")
    joined = posixpath.normpath(posixpath.join(folder, path))
    return "" if joined.startswith(("/", "..")) else joined


def written(step: Script, now: Read, before: Read) -> tuple[tuple[str, bytes], ...]:
    """(path, bytes) of the reports that a step wrote, as `now` reads them; what stood there `before` is none."""
    found = ((path, now(path)) for path in report_paths(step))
    return tuple((path, data) for path, data in found if data and len(data) <= MOST_BYTES and data != before(path))
