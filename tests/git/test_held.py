"""Bytes at hand stay within their bound, and what was asked for last stays longest."""

from healing.git.objects import ByteCache


def test_what_was_asked_for_last_stays_longest() -> None:
    held = ByteCache(80)
    for name in "abcdefgh":
        held.put(name, b"x" * 10)
    assert held.get("a") == b"x" * 10
    held.put("i", b"y" * 10)
    assert (held.get("a"), held.get("b"), held.get("i")) == (b"x" * 10, None, b"y" * 10)
    assert held.size == 80


def test_what_is_large_and_what_is_here_already_takes_no_room() -> None:
    held = ByteCache(80)
    held.put("large", b"x" * 11)
    held.put("small", b"x" * 10)
    held.put("small", b"x" * 10)
    assert (held.get("large"), held.size) == (None, 10)
