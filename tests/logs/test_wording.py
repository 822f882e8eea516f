"""Messages that are too long for their place."""

import pytest

from healing.logs.wording import shortened


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("two words", 9, "two words"),
        ("the till is closed, for today", 22, "the till is closed …"),
        ("sha256:0123456789abcdef", 12, "sha256:0123…"),  # without spaces there is no better place
        ("a sha256:0123456789abcdef", 12, "a sha256:01…"),
    ],
)
def test_a_long_message_ends_with_a_whole_word_where_it_can(text: str, most: int, shown: str) -> None:
    assert shortened(text, most) == shown
    assert len(shortened(text, most)) <= most
