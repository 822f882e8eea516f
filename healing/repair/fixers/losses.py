"""What a pull request removed from a file: whole lines, or words of a line that is otherwise the same."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile

from healing.repair.fixers.fixer import Repo

MAX_FILES, MAX_LINES, MAX_TOKENS = 100, 5_000, 200  # files of a change; lines of a file; tokens on a line
MAX_PAIRS = 2_000  # of lines, one of each version, that are compared word by word in one place
TOKEN = re.compile(rb"[A-Za-z_$][\w$]*|\S")
CLOSER = re.compile(rb"\s*[\])}]")
AHEAD = re.compile(rb"\s*(?:@|#|//|/?\*)")  # decorators, attributes and comments belong to what follows
BRACKETS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))


@dataclass(frozen=True)
class Loss:
    """`lines` belong at the 0-based row `at` of the file as it is now, in place of `replaced` lines there. `words` are
    what is lost, `head` is the first line of code that lost it or is lost, `opener` the line that it is indented
    under."""

    path: str
    at: int
    replaced: int
    lines: tuple[bytes, ...]
    words: tuple[bytes, ...]
    head: bytes
    opener: bytes


def losses(repo: Repo, paths: tuple[str, ...]) -> Iterator[Loss]:
    """What these changed files lost."""
    for path in paths if repo.before is not None else ():
        assert repo.before is not None
        old, new = ((view.read(path) or b"").splitlines(keepends=True) for view in (repo.before, repo.view))
        for kind, i1, i2, j1, j2 in changes(old, new):
            rewritten = list(_words(path, old, (i1, i2), new, (j1, j2))) if kind == "replace" else []
            left = {line for loss in rewritten for line in loss.lines}
            whole = _lines(path, old, (i1, i2), (j1, j2)) if kind != "insert" else ()
            yield from sorted([*rewritten, *(w for w in whole if left.isdisjoint(w.lines))], key=lambda loss: loss.at)


def changes(old: list[bytes], new: list[bytes]) -> list[tuple[str, int, int, int, int]]:
    """The places where two versions differ; none of very long files."""
    if max(len(old), len(new)) > MAX_LINES:
        return []
    opcodes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [opcode for opcode in opcodes if opcode[0] != "equal"]


def shifts(repo: Repo, name: bytes) -> dict[str, int] | None:
    """How many more or fewer times each file has the word than at the base; None where the change is too large."""
    assert repo.before is not None
    old, new = set(repo.before.paths()), set(repo.view.paths())
    paths = [*repo.changed, *sorted(old ^ new)]
    if len(paths) > MAX_FILES:
        return None
    word = re.compile(rb"(?<![\w$])" + re.escape(name) + rb"(?![\w$])")
    texts = ((path, [v.read(path) or b"" for v in (repo.before, repo.view)]) for path in paths)
    counts = ((path, [0 if b"\0" in text else len(word.findall(text)) for text in both]) for path, both in texts)
    return {path: now - was for path, (was, now) in counts if now != was}


def elements(lines: list[bytes]) -> list[list[bytes]]:
    """Lines by what stands in them at the least indentation: functions, branches, entries, with what is inside them and
    with the comments and decorators above. Empty where brackets don't fit within one."""
    least = min((_indent(line) for line in lines if line.strip()), default=0)
    groups: list[list[bytes]] = []
    joined = True  # whether the next line belongs to the last group: nothing but comments is in it yet
    for line in lines:
        begins = bool(line.strip()) and _indent(line) == least and not CLOSER.match(line)
        if not groups or (begins and not joined):
            groups.append([])
        groups[-1].append(line)
        joined = not line.strip() and len(groups) == 1 and joined if not begins else bool(AHEAD.match(line))
    return groups if all(map(_balanced, groups)) else []


def head_of(lines: list[bytes]) -> bytes:
    """The first line of code."""
    return next((line for line in lines if line.strip() and not AHEAD.match(line)), b"")


def slid(old: list[bytes], first: int, end: int) -> int:
    """By how many lines a removal can be said to be farther down, so that it doesn't begin with what closes another."""
    down = 0
    while end + down < len(old) and old[first + down] == old[end + down]:
        code = next((line for line in old[first + down : end + down] if line.strip()), b"")
        if not CLOSER.match(code):
            break
        down += 1
    return down


def _lines(path: str, old: list[bytes], was: tuple[int, int], now: tuple[int, int]) -> Iterator[Loss]:
    """What was removed, and of lines that others replace the first and the last, whose place is known."""
    down = slid(old, *was) if now[0] == now[1] else 0
    first, end = was[0] + down, was[1] + down
    groups = elements(old[first:end])
    for index, group in enumerate(groups):
        at = now[0] if index == 0 else now[1] if index == len(groups) - 1 else None
        at = now[0] if now[0] == now[1] else at if len(groups) > 1 else None
        if at is not None:
            head = head_of(group)
            words = tuple(word for line in group for word in TOKEN.findall(line))
            yield Loss(path, at + down, 0, tuple(group), words, head, _opener(old, first, head))


def _words(path: str, old: list[bytes], was: tuple[int, int], new: list[bytes], now: tuple[int, int]) -> Iterator[Loss]:
    """Of lines that are in place of others: those that are one of these with fewer words, in one place."""
    for at in range(*now) if (was[1] - was[0]) * (now[1] - now[0]) <= MAX_PAIRS else ():
        found = [(row, lost) for row in range(*was) if (lost := _lost(old[row], new[at]))]
        if len(found) == 1:
            (row, words), *_ = found
            yield Loss(path, at, 1, (old[row],), words, old[row], _opener(old, row, old[row]))


def _lost(left: bytes, right: bytes) -> tuple[bytes, ...]:
    was, now = TOKEN.findall(left)[:MAX_TOKENS], TOKEN.findall(right)[:MAX_TOKENS]
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(was, now, strict=False))))
    rest = len(now) - same
    return tuple(was[same : len(was) - rest]) if now and was[len(was) - rest :] == now[same:] else ()


def _opener(old: list[bytes], row: int, line: bytes) -> bytes:
    outer = (above for above in reversed(old[:row]) if above.strip() and _indent(above) < _indent(line))
    return next(outer, b"")


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _balanced(lines: list[bytes]) -> bool:
    text = b"".join(lines)
    return all(text.count(opening) == text.count(closing) for opening, closing in BRACKETS)
