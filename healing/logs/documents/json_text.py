"""Parses JSON text to nodes with line numbers; of a truncated text everything that was complete."""

import json
import re
from collections.abc import Iterator

from healing.logs.documents.node import MAX_DEPTH, Node, Value

# All possessive and anchored, so their time is linear for any text.
_QUOTED = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_NEXT_BRACKET = re.compile(rf'[^"{{}}\[\]]*+(?:{_QUOTED}[^"{{}}\[\]]*+)*+([{{}}\[\]])', re.DOTALL)
_WHOLE_STRINGS = re.compile(rf'[^"]*+(?:{_QUOTED}[^"]*+)*+')
_STRING = re.compile(_QUOTED)
_OUTSIDE_STRINGS = re.compile(r"[\s\d,:{}\[\].eE+\-truefalsnINiy]*+")
_BRACKETS = re.compile(r"[{}\[\]]")


class TooDeepError(ValueError):
    """The JSON is nested more deeply than any report."""


class JsonLines:
    """Tracks JSON line by line: detects its end, and lines that aren't JSON."""

    def __init__(self) -> None:
        self._open = 0

    def take(self, line: str) -> bool | None:
        """Whether the document ends in this line; None if the line isn't JSON. Raises TooDeepError."""
        if not _WHOLE_STRINGS.fullmatch(line):
            return None
        bare = _STRING.sub("", line)
        if not _OUTSIDE_STRINGS.fullmatch(bare):
            return None
        for bracket in _BRACKETS.findall(bare):
            self._open += 1 if bracket in "{[" else -1
            if self._open > MAX_DEPTH:
                raise TooDeepError
            if self._open == 0:
                return True
        return False


def parse(source: str, first: int) -> tuple[Value, bool]:
    """The document at the start of `source`, whose first line has the number `first`, and whether it was complete.

    Raises ValueError if nothing was complete, TooDeepError (a ValueError too) if it is nested too deeply.
    """
    lines, cut, closing = _scan(source, first)
    decoder = json.JSONDecoder(object_pairs_hook=_Hook(iter(lines)), strict=False)
    try:
        return decoder.raw_decode(source.lstrip(" \t\r\n\ufeff"))[0], True
    except ValueError:
        if not cut:
            raise
    decoder = json.JSONDecoder(object_pairs_hook=_Hook(iter(lines)), strict=False)
    return decoder.raw_decode(source[:cut].lstrip(" \t\r\n\ufeff") + closing)[0], False


class _Hook:
    """Makes a node of each object. The decoder calls it in the order in which objects end, the order of `lines`.

    The line of a truncated object is negative.
    """

    def __init__(self, lines: Iterator[int]) -> None:
        self._lines = lines

    def __call__(self, pairs: list[tuple[str, Value]]) -> Node:
        line = next(self._lines, 0)
        node = Node(abs(line))
        node.whole = line >= 0
        node.update(pairs)
        return node


def _scan(source: str, first: int) -> tuple[list[int], int, str]:
    """The first lines of all objects in the order of their ends; the index after the last complete object or list; the
    brackets that close the text there."""
    lines: list[int] = []
    stack: list[tuple[str, int]] = []
    cut = depth = at = 0
    line = first
    while match := _NEXT_BRACKET.match(source, at):
        line += source.count("\n", at, match.end())
        at = match.end()
        if (bracket := match[1]) in "{[":
            stack.append((bracket, line))
            if len(stack) > MAX_DEPTH:
                raise TooDeepError
            continue
        if not stack:
            break
        opened, begun = stack.pop()
        if opened == "{":
            lines.append(begun)
        cut, depth = at, len(stack)
        if not stack:
            break
    rest = stack[:depth] if cut else []
    lines += [-begun for bracket, begun in reversed(rest) if bracket == "{"]
    return lines, cut, "".join("}" if bracket == "{" else "]" for bracket, _ in reversed(rest))
