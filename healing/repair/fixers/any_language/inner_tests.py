"""Tests inside product files: Rust's test modules, and the examples in its documentation."""

import re
from collections.abc import Iterator

OPENS = re.compile(rb"\s*#!?\[cfg\((?:test|all\(test\b)|\s*#\[(?:\w+::)?test\b")
EXAMPLE = re.compile(rb"\s*//[/!]")


def inner_tests(path: str, data: bytes) -> frozenset[int]:
    """The numbers of the lines (from 1) that are tests; empty for other languages. A test module extends to the end of
    the braces that open after its attribute."""
    return frozenset(_lines(data)) if path.endswith(".rs") else frozenset()


def _lines(data: bytes) -> Iterator[int]:
    inside, depth, opened = False, 0, False
    for number, line in enumerate(data.splitlines(), 1):
        if EXAMPLE.match(line):
            yield number
            continue
        if not inside and OPENS.match(line):
            inside, depth, opened = True, 0, False
        if inside:
            yield number
            depth += line.count(b"{") - line.count(b"}")
            opened |= b"{" in line
            inside = not opened or depth > 0
