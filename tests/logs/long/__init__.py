"""Long logs of tools without a format of their own, kept as templates: what ends the job, and what a log is full of.

A list is a text file of blocks. `%%% name @ wrapper` begins one; each of its lines begins with a mark:
`^` printed once at the head, `~` noise that is drawn again and again, `?` printed once somewhere in the noise (lines
in a row stay together), `!` a line of the end that a person would point at, `|` any other line of the end, `+ N` more
noise. Both lists were written from how the tools print, and measured once before any rule had seen them: list 1
(2026-11-24, commit b53bfa23) 62 of 67 red jobs hit and 9 of 41 green ones alarmed; list 2 (2026-11-24, after the rules
that list 1 led to) 34 of 41 hit and 0 of 20 alarmed. List 3 was recorded by really running 130 tools that no format
knew (2026-11-25): 63 of its red jobs were used to improve the rules, the other 67 and 25 green ones judged once after
that (59 hit, 8 alarmed), and all of them used since. Green jobs whose script ignored a program that failed are left
out of it.
"""

import random
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.logs.long.wrappers import ENDINGS, wrapped

HERE = Path(__file__).parent
NOISE = 1_500
_SAID = 40  # letters of a message that have to stand in the line
_TOO_SHORT = 12
_WORDS = (
    *("till", "coin", "drawer", "price", "ledger", "receipt", "basket"),
    *("voucher", "customer", "shelf", "error_page", "retry", "failover"),
)


@dataclass(frozen=True)
class LongLog:
    """A job's log, and the lines (from 1) one of which a person would point at: none for a job that went well."""

    name: str
    text: str
    pointed: tuple[int, ...]


def listed(name: str) -> Iterator[LongLog]:
    """The logs of a list: `failing_1`, `clean_1` and so on."""
    for block in ("\n" + (HERE / f"{name}.txt").read_text()).split("\n%%% ")[1:]:
        head, _, body = block.partition("\n")
        title, _, wrapper = head.partition(" @ ")
        yield _log(title, wrapper, body.rstrip("\n").split("\n"), green=name.startswith("clean"))


def is_among_the_best(log: LongLog, found: list[tuple[int | None, str]]) -> bool:
    """Whether one of the ten best records (their line and message, the best first) is, or says, a line pointed at."""
    lines = {line for line, _ in found[:10] if line}
    if any(abs(line - pointed) <= 3 for line in lines for pointed in log.pointed):
        return True
    output = [_letters(log.text.split("\n")[pointed - 1]) for pointed in log.pointed]
    messages = [_letters(message)[:_SAID] for _, message in found[:10]]
    return any(len(message) > _TOO_SHORT and message in text for message in messages for text in output)


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text).lower()


def _log(title: str, wrapper: str, body: list[str], *, green: bool) -> LongLog:
    rng = random.Random(zlib.crc32(title.encode()))
    marked = [(line[:1], line[2:]) for line in body]
    shapes = [text for mark, text in marked if mark == "~"]
    lines = [(False, _filled(text, rng)) for mark, text in marked if mark == "^"]
    noise = [[(False, line)] for line in _noise(shapes, rng, NOISE)]
    for together in _decoys(marked):
        noise.insert(rng.randrange(len(noise)), [(False, _filled(text, rng)) for text in together])
    lines += [line for group in noise for line in group]
    for mark, text in marked:
        if mark in "!|":
            lines.append((mark == "!", text))
        elif mark == "+":
            lines += [(False, line) for line in _noise(shapes, rng, int(text))]
    lines += [(False, line) for line in ENDINGS[wrapper][green]]
    printed = wrapped([line for _, line in lines], wrapper)
    return LongLog(title, "\n".join(printed) + "\n", tuple(at for at, (mine, _) in enumerate(lines, 1) if mine))


def _decoys(marked: list[tuple[str, str]]) -> Iterator[list[str]]:
    group: list[str] = []
    for mark, text in [*marked, ("", "")]:
        if mark == "?":
            group.append(text)
        elif group:
            yield group
            group = []


def _noise(shapes: list[str], rng: random.Random, count: int) -> list[str]:
    return [_filled(rng.choice(shapes), rng) for _ in range(count)] if shapes else []


def _filled(text: str, rng: random.Random) -> str:
    """`<n>` a number, `<m>` a smaller one, `<w>` a word, `<h>` a hash, `<t>` seconds."""
    values = {"n": rng.randrange(1, 9999), "m": rng.randrange(99), "w": rng.choice(_WORDS), "v": rng.choice(_WORDS)}
    values |= {"h": f"{rng.randrange(16**12):012x}", "t": f"{rng.randrange(99)}.{rng.randrange(999):03d}"}
    for key, value in values.items():
        text = text.replace(f"<{key}>", str(value))
    return text
