"""Texts that a pull request worded otherwise in the product: what tests expect of them may follow."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from healing.graph import is_test
from healing.view import TreeView

STRING = re.compile(r"(?P<quote>[\"'`])(?P<text>(?:[^\"'`\\\n]|\\.|(?!(?P=quote))[\"'`]){0,400})(?P=quote)")
# Parts of a text that hold a value: `{name}`, `${name}`, `%s`, an escaped character.
VALUE = re.compile(r"\$?\{[^{}\n]{0,100}\}|%[-+ #0]{0,3}\d{0,3}(?:\.\d{1,2})?[sdifrxgec]|\\.")
PHRASE = 3  # words that say a text without those around them
LAST, FIRST = re.compile(r"\w+\W{0,3}\Z"), re.compile(r"\W{0,3}\w+")  # words beside what differs
PROSE = (".md", ".rst", ".txt", ".adoc")
MAX_FILES, MAX_LINES, LEAST = 100, 5_000, 4  # changed files; lines of one; letters of a text that is found again


def retellings(base: TreeView, head: TreeView) -> tuple[tuple[str, str], ...]:
    """(old, new) of each text that the change worded otherwise on a line that is otherwise the same, with what stands
    around the new words between the values in it, with the next words alone, and a phrase by itself: a test may have
    the rest escaped, or leave it out."""
    paths = [p for p in base.paths() if not is_test(p) and not p.endswith(PROSE)]
    changed = [p for p in paths if head.blob(p) not in (None, base.blob(p))][:MAX_FILES]
    found = (pair for path in changed for was, now in _rewritten(base, head, path) for pair in _retold(was, now))
    return tuple(dict.fromkeys(found))


def _rewritten(base: TreeView, head: TreeView, path: str) -> Iterator[tuple[str, str]]:
    """The lines of a file that stand in place of others, with these."""
    old, new = ((view.read(path) or b"").decode("utf-8", "replace").splitlines() for view in (base, head))
    if max(len(old), len(new)) > MAX_LINES:
        return
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "replace" and i2 - i1 == j2 - j1:
            yield from zip(old[i1:i2], new[j1:j2], strict=True)


def _retold(was: str, now: str) -> Iterator[tuple[str, str]]:
    """The one text of a line that is another now, and nothing else on it is."""
    old, new = ([match["text"] for match in STRING.finditer(line)] for line in (was, now))
    pairs = [(a, b) for a, b in zip(old, new, strict=False) if a != b]
    if len(old) != len(new) or len(pairs) != 1 or STRING.sub("", was) != STRING.sub("", now):
        return
    yield from _between_values(*pairs[0])


def _between_values(old: str, new: str) -> Iterator[tuple[str, str]]:
    """The parts of two texts that differ, in whole words, with what stands around them up to the next value, with the
    next word on both sides, and by themselves where they are phrases."""
    words, others = (re.findall(rf"{VALUE.pattern}|\w+|[^\w]", text) for text in (old, new))
    same = 0
    while same < min(len(words), len(others)) and words[same] == others[same]:
        same += 1
    rest = 0
    while rest < min(len(words), len(others)) - same and words[-1 - rest] == others[-1 - rest]:
        rest += 1
    parts = ["".join(text[same : len(text) - rest]) for text in (words, others)]
    left = VALUE.split("".join(words[:same]))[-1]
    right = VALUE.split("".join(words[len(words) - rest :]))[0]
    near = (LAST.search(left), FIRST.match(right))
    around = [(left, right)] + ([(near[0][0], near[1][0])] if near[0] and near[1] else [])
    around += [("", "")] * (len(re.findall(r"\w+", parts[0])) >= PHRASE)  # which stands for nothing else
    for before, behind in around if not any(VALUE.search(part) for part in parts) else ():
        was, now = (before + part + behind for part in parts)
        if min(_letters(was), _letters(now)) >= LEAST:
            yield was, now


def _letters(text: str) -> int:
    return sum(char.isalpha() for char in text)


def retold(old: bytes, new: bytes, base: TreeView, head: TreeView) -> tuple[str, str] | None:
    """The text that a change to a file replaces, on each line that it changes, as the product did between two trees;
    None where it does more."""
    before, after = (side.decode("utf-8", "replace").splitlines() for side in (old, new))
    lines = [(was, now) for was, now in zip(before, after, strict=False) if was != now]
    if len(before) != len(after) or not lines:
        return None
    return next((pair for pair in retellings(base, head) if all(was.replace(*pair) == now for was, now in lines)), None)
