"""The values of a failing test are changed only where tests that pass show that they may be."""

import ast

import pytest

from healing.verify.variants.alike import similar_tests
from healing.verify.variants.changing import variants

TESTS = b'''
import json
from shop.days import due
from shop import total

def test_due():
    """A week has seven days: a docstring is no value."""
    assert due("ann", 3) == {"who": "ann", "days": 4}

def test_late():
    assert due("bo", 4) == {"who": "bo", "days": 5}

def test_total():
    assert total([1, 2]) == 3
'''


def texts(source: bytes, failing: str, passing: str) -> dict[str, str]:
    made = variants(source, frozenset({failing}), frozenset({passing}))
    return {one.words: one.source.decode() for one in made}


# JD-5
def test_a_test_is_like_another_where_it_uses_the_same_of_the_product() -> None:
    assert similar_tests(TESTS, frozenset({"test_late"})) == {"test_due"}
    assert similar_tests(TESTS, frozenset({"test_total"})) == frozenset()


# JD-5
def test_a_test_of_another_method_of_the_same_class_is_not_like_it() -> None:
    source = b"""
from bank import Account
def test_interest():
    assert Account("bob", 700).interest(6) == 168
def test_withdraw():
    assert Account("ann", 50).withdraw(50) == 0
def test_no_interest():
    assert Account("bob", 700).interest(0) == 0
"""
    assert similar_tests(source, frozenset({"test_interest"})) == {"test_no_interest"}


# JD-5
def test_a_test_that_only_has_to_raise_says_nothing_of_results() -> None:
    source = b"""
from bank import withdraw
def test_all():
    assert withdraw(50, 50) == 0
def test_too_much():
    with pytest.raises(ValueError):
        withdraw(50, 51)
"""
    assert similar_tests(source, frozenset({"test_all"})) == frozenset()
    assert similar_tests(source, frozenset({"test_too_much"})) == {"test_all"}


# JD-5
def test_what_is_asked_and_what_is_expected_change_alike() -> None:
    found = texts(TESTS, "test_late", "test_due")
    assert "due('cp', 4) == {'xip': 'cp', 'ebzt': 5}" in found["with other letters"]
    assert "due('bo', 8) == {'who': 'bo', 'days': 10}" in found["with doubled numbers"]
    assert "total([1, 2]) == 3" in found["with doubled numbers"], "other tests stay as they are"
    assert "A week has seven days: a docstring is no value." in found["with other letters"]
    assert "with halved numbers" not in found, "half of five is no whole number"


# JD-5
def test_dates_move_as_dates_and_lists_are_turned_among_arguments_alone() -> None:
    source = b"""
from shop import due, first
def test_one():
    assert due(date(2026, 2, 27), [1, 2]) == [date(2026, 3, 2), 8]
def test_two():
    assert due(date(2026, 3, 2), [3, 4]) == [date(2026, 3, 3), 9]
"""
    found = texts(source, "test_one", "test_two")
    assert "due(date(2026, 3, 6), [1, 2]) == [date(2026, 3, 9), 8]" in found["a week later"]
    turned = found["with its lists turned around"]
    assert "due(date(2026, 2, 27), [2, 1]) == [date(2026, 3, 2), 8]" in turned


# JD-5
def test_names_formats_and_messages_of_the_runner_are_no_values() -> None:
    source = b"""
import pytest
from shop import due
@pytest.mark.parametrize("name", ["ann"])
def test_one(name, monkeypatch):
    monkeypatch.setenv("HOME", "x")
    with pytest.raises(ValueError, match="ann"):
        due(name)["key"]
def test_two():
    assert due("b") == "b"
"""
    (text,) = [text for words, text in texts(source, "test_one", "test_two").items() if words == "with other letters"]
    assert "parametrize('name', ['ann'])" in text or "parametrize('name', ['boo'])" in text
    assert "setenv('HOME', 'x')" in text
    assert "match='ann'" in text
    assert "['key']" in text


HOSTILE = [b"def test(:", b"\x00", b"(" * 5_000, b"x = " + b"-" * 50_000 + b"1", b"\xff\xfe", b""]


@pytest.mark.parametrize("source", HOSTILE, ids=["not Python", "a zero byte", "deep", "deeper", "bytes", "empty"])
def test_what_cannot_be_read_ends_in_an_error_that_is_expected_or_in_nothing(source: bytes) -> None:
    try:
        assert similar_tests(source, frozenset({"test_one"})) == frozenset()
        assert len(list(variants(source, frozenset({"test_one"}), frozenset()))) == 1
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass


def test_every_variant_can_be_parsed_and_changes_both() -> None:
    for one in list(variants(TESTS, frozenset({"test_late"}), frozenset({"test_due"})))[1:]:
        ast.parse(one.source)
        assert one.changed == {"test_late", "test_due"}, one.words
