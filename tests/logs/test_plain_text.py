"""Secrets are found in a text as a person reads it: colours and escaped signs hide none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.logs.redaction import MASK, redact
from healing.logs.secrets.plain_text import plain_text, with_masked_lines

KEY = "AKIA" + "Q7ZMP2XK4TRB5WNV"
COLOURS = (
    "\x1b[31m",
    "\x1b[38;5;196m",
    "\x1b[0;1m",
    "\x1b]8;;https://ci.example/1\x07",
    "\\u001b[33m",
    "^[[33m",
    "\\x1b[1m",
)


# EX-13
@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize(
    "line", ["id {}" + KEY, "DB_PASSWORD={}hT7-qLw2!xV9", "Authorization: {}Bearer k3J9dmQ0aLw7Zx2P"]
)
def test_a_secret_in_colour_is_masked_and_other_lines_keep_theirs(line: str, colour: str) -> None:
    text = f"\x1b[32mok\x1b[0m before\n{line.format(colour)}\x1b[0m\nafter \x1b[32mok\x1b[0m\n"
    masked = redact(text)
    assert MASK in masked
    assert not any(part in masked for part in (KEY, "hT7-qLw2", "k3J9dmQ0"))
    assert masked.startswith("\x1b[32mok\x1b[0m before\n")
    assert masked.endswith("\nafter \x1b[32mok\x1b[0m\n")


# EX-13
@pytest.mark.parametrize("sign", ["\\u003d", "%3D", "\\u0026token=", "%22"])
def test_a_token_after_an_escaped_sign_is_masked(sign: str) -> None:
    assert KEY not in redact(f"GET /cb?id{sign}{KEY} 200\n")


# EX-13
def test_what_a_colour_tells_of_a_word_without_a_secret_stays() -> None:
    text = "\x1b[33mwarning\x1b[0m: token expired after \x1b[1m3600\x1b[0m s, see %3D\n"
    assert redact(text) == text


@given(st.text(alphabet=st.sampled_from("ab\n\x1b[31m%3D\\u0041^ ]"), max_size=200))
def test_what_is_read_has_as_many_lines_and_reads_the_same_once_more_without_escapes(text: str) -> None:
    read = plain_text(text)
    assert read.count("\n") == text.count("\n")
    assert with_masked_lines(text, read, read) == text
