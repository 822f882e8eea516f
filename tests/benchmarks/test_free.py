"""What is broken for the benchmark of free repairs is broken by one small change, and by the same one every time."""

from random import Random

import pytest

from benchmarks.free.breaking import OWN, breakages, indented, misspelt, without_import
from benchmarks.free.sources import Source

GO = """\
package a

import (
\t"errors"
)

func total(count int) (int, error) {
\tresult := count + count
\tprintln(count)
\treturn result, nil
}
"""
SOURCE = Source("Go", "shop", {"a.go": GO, "b.go": GO}, ("go vet ./...",), "gofmt -w .")


# AF-5
def test_each_kind_breaks_one_file_once_and_chance_is_the_seeds() -> None:
    broken = list(breakages(SOURCE, 1))
    assert {b.category for b in broken} >= {
        "misspelt name",
        "format",
        "unused import",
        "unused variable",
        "short result",
    }
    for one in broken:
        assert [path for path in SOURCE.files if SOURCE.files[path] != one.files[path]] == [one.file]
    assert broken == list(breakages(SOURCE, 1))


def test_a_misspelt_name_has_the_same_letters_and_a_lost_import_is_one_line() -> None:
    wrong = misspelt(GO, Random(1)) or ""
    assert wrong != GO
    assert sorted(wrong) == sorted(GO)
    assert without_import(GO, Random(1)) == GO.replace('\t"errors"\n', "")
    assert (indented(GO, Random(1)) or "").replace(" ", "") == GO.replace(" ", "")


@pytest.mark.parametrize("text", ["", "\n", "x"])
def test_a_file_without_an_occasion_is_left_as_it_is(text: str) -> None:
    changes = [misspelt, indented, without_import, *(c for kinds in OWN.values() for c in kinds.values())]
    assert [change(text, Random(1)) for change in changes] == [None] * len(changes)
