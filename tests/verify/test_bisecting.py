"""What is kept is sound, nothing is left out without need, and few looks are taken."""

import asyncio
import math
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from healing.verify.protection import keep_sound

# A set of items breaks where it holds one that breaks alone, or both of a pair.
ALONE = st.sets(st.integers(0, 39), max_size=6)
PAIRS = st.sets(st.tuples(st.integers(0, 39), st.integers(0, 39)), max_size=5)


def looked(count: int, alone: set[int], pairs: set[tuple[int, int]]) -> tuple[list[int], list[tuple[int, ...]]]:
    looks: list[tuple[int, ...]] = []

    async def sound(items: Sequence[int]) -> bool:
        looks.append(tuple(items))
        return not alone & set(items) and not any({a, b} <= set(items) for a, b in pairs)

    return asyncio.run(keep_sound(range(count), sound)), looks


# CK-3
@given(st.integers(0, 40), ALONE, PAIRS)
def test_what_is_kept_is_sound_and_what_is_left_out_breaks_it(
    count: int, alone: set[int], pairs: set[tuple[int, int]]
) -> None:
    kept, looks = looked(count, alone, pairs)
    assert kept == sorted(kept)
    assert not kept or tuple(kept) in looks
    for item in set(range(count)) - set(kept):
        before = [one for one in kept if one < item]
        assert item in alone or any(item in pair and set(pair) <= {*before, item} for pair in pairs)


# CK-3
@given(st.integers(1, 40), ALONE, PAIRS)
def test_it_takes_few_looks(count: int, alone: set[int], pairs: set[tuple[int, int]]) -> None:
    kept, looks = looked(count, alone, pairs)
    assert len(looks) <= 1 + (count - len(kept)) * (2 + math.log2(count))


def test_where_all_is_sound_one_look_is_enough() -> None:
    assert looked(100, set(), set()) == (list(range(100)), [tuple(range(100))])
