"""Tests with other values in JavaScript, and code as it was before a change."""

from contextlib import suppress

import pytest

from healing.verify.variants.changing import variants
from healing.verify.variants.earlier import earlier
from healing.verify.variants.literals import as_one_file, number_of, script_variants

SCRIPT = b"""import test from "node:test";
import { camel } from "./lib.js";
const LONG = 12;
test("camel", () => {
  assert.equal(camel("foo-bar", 3), `fooBar`, LONG);
});
test.each([[1, "a"]])("each %s", (n, text) => { camel(text, n); });
"""


def scripts() -> dict[str, str]:
    return {one.words: one.source.decode() for one in script_variants("a.test.js", SCRIPT, frozenset({"camel"}))}


# JD-5
def test_values_change_in_what_a_script_asks_and_expects_and_modules_and_titles_stay() -> None:
    text = scripts()["with other letters"]
    assert 'camel("gpp-cbs", 3), `gppCbs`' in text
    assert 'from "node:test"' in text
    assert 'from "./lib.js"' in text
    assert 'test("camel variant 1"' in text
    assert '[1, "b"]' in text


# JD-5
def test_numbers_of_a_script_change_as_numbers_of_the_whole_file() -> None:
    text = scripts()["with doubled numbers"]
    assert "LONG = 24" in text
    assert 'camel("foo-bar", 6)' in text


# JD-5
def test_all_variants_of_a_script_are_one_file_with_its_imports_once() -> None:
    made = list(script_variants("a.test.js", SCRIPT, frozenset({"camel"})))
    text = as_one_file("a.test.js", made).decode()
    assert text.count('import { camel } from "./lib.js"') == 1
    assert text.count("test.each(") == len(made)
    assert number_of("camel variant 3") == (3, "camel")
    assert number_of("camel") == (-1, "camel")


BROKEN = [b"func (", b"\x00", b"{" * 5_000, b"\xff\xfe", b"x" * 50_000, b"test(" * 3_000]


@pytest.mark.parametrize("source", BROKEN, ids=["cut", "a zero byte", "deep", "bytes", "long", "calls"])
def test_what_does_not_parse_ends_in_an_error_that_is_expected_or_in_nothing(source: bytes) -> None:
    with suppress(ValueError, RecursionError):
        assert len(list(script_variants("a.test.ts", source, frozenset()))) >= 1


# JD-5
def test_code_as_it_was_has_what_only_came_since_so_that_new_tests_can_import_it() -> None:
    before = (
        b'"""Days."""\nimport os\n\ndef due(day):\n    return day + 1\n\nclass Plan:\n    def one(self):\n'
        b"        return 1\n"
    )
    now = (
        b'"""Days."""\nimport os\nimport re\nLATE = 3\n\ndef due(day):\n    return day\n\ndef late(day):\n'
        b"    return LATE\n\n"
        b"class Plan:\n    def one(self):\n        return 2\n    def two(self):\n        return 2\n"
    )
    found = earlier("days.py", before, now).decode()
    assert "return day + 1" in found
    assert "import re" in found
    assert "def late(day)" in found
    assert "LATE = 3" in found
    assert "return 1" in found
    assert "def two(self)" in found
    assert earlier("days.js", before, now) == before
    assert earlier("days.py", b"def (", now) == b"def ("


# JD-5
def test_fixtures_of_the_conftest_and_set_up_change_with_the_tests() -> None:
    source = b"from depot import merge\n\ndef test_merge(shifts):\n    assert merge(shifts) == [(1, 5)]\n"
    support = (
        b"import pytest\n\ndef pytest_configure():\n    pass\n\n@pytest.fixture\ndef shifts():\n"
        b"    return [(1, 3), (3, 5)]\n"
    )
    made = variants(source, frozenset({"test_merge"}), frozenset(), support, compared=True)
    (text,) = [one.source.decode() for one in made if one.words == "with doubled numbers"]
    assert "return [(2, 6), (6, 10)]" in text
    assert "== [(2, 10)]" in text
    assert "pytest_configure" not in text
