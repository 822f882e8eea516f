"""Whether one word is another, misspelt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.spelling import FAR, distance, is_slip

WORDS = st.text("abcd", max_size=8)


@pytest.mark.parametrize(
    ("wrong", "right", "slip"),
    [
        ("atuo", "auto", True),
        ("Strict", "strict", True),
        ("cat", "cart", True),
        ("cat", "carts", False),
        ("timeuot", "timeouts", True),
        ("array_item_at", "get_array_item", False),
    ],
)
def test_a_slip_of_the_pen_is_a_letter_or_two(wrong: str, right: str, slip: bool) -> None:
    assert is_slip(wrong, right) is slip


@given(WORDS, WORDS)
def test_a_distance_is_the_same_both_ways_and_none_only_from_itself(word: str, other: str) -> None:
    assert distance(word, other) == distance(other, word)
    assert (distance(word, other) == 0) is (word == other)
    assert distance(word, other) <= max(len(word), len(other), FAR)
