"""Blocks, the prefilter and the scan: lines, numbers and hits are those that a plain look at every line would give."""

import functools

from hypothesis import given, settings
from hypothesis import strategies as st

from healing.logs.lines import BLOCK_BYTES, LINE_CHARS, MAX_LENGTH, blocks, clean
from healing.logs.prefilter import Prefilter
from healing.logs.reading import read_log

LINES = st.lists(st.sampled_from(["", "ab", "abc", "xab", "bc\tab", "é ab", "c", "  abc"]), max_size=12)
HINTS = {"plain": ("ab",), "start": ("\nab",), "end": ("c\n",), "both": ("\nc\n", "bc"), "letter": ("é",)}


# EX-5
@settings(deadline=None)
@given(LINES)
def test_hits_are_the_lines_that_hold_an_owners_literals(lines: list[str]) -> None:
    content = "\n".join(["", *lines, ""]).encode()
    expected = {
        owner: [at for at, line in enumerate(lines) if any(hint in f"\n{line}\n" for hint in hints)]
        for owner, hints in HINTS.items()
    }
    assert Prefilter(HINTS).hits(content) == {owner: mine for owner, mine in expected.items() if mine}


def test_what_only_sleepers_ask_for_is_not_told() -> None:
    filter_ = Prefilter({"awake": ("a",), "asleep": ("b",)})
    assert filter_.hits(b"\nb\nb\n", {"asleep"}) == {}
    assert filter_.hits(b"\nb\na\n", {"asleep"}) == {"asleep": [0], "awake": [1]}


# EX-5
@settings(deadline=None)
@given(st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"")), max_size=20), st.integers(1, 50))
def test_blocks_hold_every_line_once_and_number_it(lines: list[bytes], size: int) -> None:
    raw = b"\n".join(lines)
    pieces = [raw[start : start + size] for start in range(0, len(raw), size)]
    filler = b"noise\n" * (BLOCK_BYTES // 6)
    reported = [(block.first + at, line) for block in blocks([filler, *pieces]) for at, line in enumerate(block.lines)]
    whole = (filler + raw).removesuffix(b"\n").split(b"\n")
    cleaned = functools.cache(clean)  # nearly all lines are the filler's
    assert reported == [(number, cleaned(line)) for number, line in enumerate(whole, 1)]


# EX-5
def test_of_a_giant_line_the_head_is_kept_and_readers_are_shown_less() -> None:
    short, giant = [
        (block.first, block.count, len(block.content), len(block.heads))
        for block in blocks([b"a\n" * (BLOCK_BYTES // 2), b"b" * (2 * MAX_LENGTH), b"\nc\n"])
    ]
    assert short == (1, BLOCK_BYTES // 2, BLOCK_BYTES + 1, BLOCK_BYTES + 1)
    assert giant[:2] == (BLOCK_BYTES // 2 + 1, 2)
    assert MAX_LENGTH <= giant[2] <= MAX_LENGTH + 2 * BLOCK_BYTES
    assert giant[3] < 5 * LINE_CHARS


# EX-3
def test_a_suite_that_passed_ends_the_one_that_failed_however_far_away_it_is() -> None:
    bullet = "  ● till › counts\n\n    expect(received).toBe(expected)\n\n    Expected: 1\n    Received: 2\n\n"
    noise = "all is well so far\n" * (2 * BLOCK_BYTES // 19)
    other = bullet.replace("counts", "adds")
    log = f"PASS src/zero.test.ts\nFAIL src/one.test.ts\n{bullet}{noise}PASS src/two.test.ts\n{other}"
    assert [error.file for error in read_log(log.encode()).errors if error.tool == "jest"] == ["src/one.test.ts"]
