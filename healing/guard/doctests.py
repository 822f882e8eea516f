"""Rule: the examples in docs that a run executes (doctests) are tests, and stay as they are."""

import doctest
import re
from collections import Counter
from collections.abc import Iterator

from healing.guard.patch import Finding, Patch
from healing.guard.reading.text import language_of, plain

RULE = "doctests"
MARKED = re.compile(r"^[ \t]*(?:///|//!)[ \t]?(.*)$", re.M)
FENCE = re.compile(r"^```", re.M)
GONE = re.compile(r"is not defined|has no attribute|cannot find|unresolved|NameError|AttributeError|ImportError")


def findings(patch: Patch) -> Iterator[Finding]:
    """One finding for each file that loses or changes an example: where one of it failed it is refused, unless what
    failed is a name that is gone."""
    for file in patch.files:
        gone = _examples(file.path, file.old) - _examples(file.path, file.new)
        if file.old is None or file.new is None or not gone or file.path in patch.named:
            continue
        mine = [e for e in patch.errors if e.file == file.path or file.path in (e.test or "")]
        renamed = all(GONE.search(f"{e.message}\n{e.excerpt}") for e in mine)
        first = next(iter(gone))[0].strip()[:60]
        yield Finding(RULE, file.path, f"changes an example that is run as a test ({first})", renamed)


def _examples(path: str, data: bytes | None) -> Counter[tuple[str, str]]:
    text = plain(data or b"")
    if language_of(path) == "rust":
        return Counter(_rust(text))
    if ">>> " not in text:
        return Counter()
    parser = doctest.DocTestParser()
    try:
        return Counter((example.source, example.want) for example in parser.get_examples(text))
    except ValueError:
        lines = [line.strip() for line in text.split("\n")]
        return Counter((line, after) for line, after in zip(lines, [*lines[1:], ""], strict=True) if line[:4] == ">>> ")


def _rust(text: str) -> Iterator[tuple[str, str]]:
    """The lines of code between the fences of doc comments."""
    inside = False
    for line in MARKED.findall(text):
        if FENCE.match(line):
            inside = not inside
            if inside and line.strip() != "```":
                yield line.strip(), ""
        elif inside and line.strip():
            yield line.strip(), ""
