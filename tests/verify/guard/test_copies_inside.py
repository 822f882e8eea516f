"""Tests of Go and Rust get copies with other values inside their own files."""

import contextlib

import pytest

from healing.verify.variants.go import go_copies, go_place
from healing.verify.variants.rust import rust_copies, rust_place, rust_reported, with_copies

GO = b"""package a

import "testing"

func TestSum(t *testing.T) {
	t.Run("small", func(t *testing.T) {
		if got := Sum([]int{4, 9}, "ab"); got[0] != 13 {
			t.Fatalf("got %v for 3", got)
		}
	})
}

func TestOther(t *testing.T) { t.Log(Sum(nil, "")) }
"""
RUST = b"""pub fn newer(a: &str) -> bool { a > "b" }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tens() {
        assert!(newer("1.10"), "not {}", 5);
    }

    #[test]
    #[should_panic]
    fn broken() { newer("5"); }
}
"""


# JD-6
def test_copies_of_a_go_test_differ_in_values_alone_and_go_on_after_a_failure() -> None:
    source, made = go_copies(GO, frozenset({"TestSum"}))
    text = source.decode()
    assert text.startswith(GO.decode()), "the file as it stands comes first"
    number = next(n for n, one in enumerate(made) if one.words == "with each number one higher")
    copy = text.partition(f"func TestSum_varied_{number}(")[2].partition("func Test")[0]
    assert 'Sum([]int{5, 10}, "ab"); got[0] != 14' in copy
    assert 't.Errorf("got %v for 3", got)' in copy
    assert 't.Run("small"' in copy
    assert copy.count("recover()") == 2
    assert "TestOther_varied" not in text
    assert go_place(f"TestSum_varied_{number}/small") == (number, "TestSum")
    assert go_place("TestSum/small") == (0, "TestSum")


# JD-6
def test_copies_of_a_rust_test_stand_in_its_module_and_tell_what_they_compare() -> None:
    copies, made = rust_copies(RUST, frozenset({"tests::tens", "tests::broken"}))
    assert made[0].changed == {"tests::tens"}, "a test that has to panic tells no results"
    source = (with_copies(RUST, copies) or b"").decode()
    number = next(n for n, one in enumerate(made) if one.words == "with longer numbers in its texts")
    assert f"fn tens_varied_{number}()" in source
    assert 'newer("11.110")' in source
    assert source.rstrip().endswith("}")
    assert rust_place(f"tests::tens_varied_{number}") == (number, "tests::tens")
    assert rust_reported("gives false\nthread panicked at 'varied to its end'") == "gives false"
    assert rust_reported("thread panicked at 'index out of bounds'").startswith("panic:")


def test_where_the_module_is_not_there_no_file_is_made() -> None:
    copies, _ = rust_copies(RUST, frozenset({"tests::tens"}))
    assert with_copies(b"pub fn newer() {}\n", copies) is None


@pytest.mark.parametrize("source", [b"", b"func TestSum(", b"\0\xff", b"{" * 50_000, b"mod tests {" * 500])
def test_what_cannot_be_read_ends_in_an_error_that_is_expected_or_in_nothing(source: bytes) -> None:
    with contextlib.suppress(ValueError, RecursionError):
        assert len(go_copies(source, frozenset({"TestSum"}))[1]) == 1
    with contextlib.suppress(ValueError, RecursionError):
        assert rust_copies(source, frozenset({"tests::tens"}))[0] == {}
