"""What GitHub takes as annotations of a check run, and what it refuses."""

from typing import Any

import pytest

from lab.localhub.annotations import refuse_annotations
from lab.localhub.state import Refused

GOOD: dict[str, Any] = {
    "path": "src/code.py",
    "start_line": 2,
    "end_line": 3,
    "annotation_level": "warning",
    "message": "hm",
    "title": "T",
    "raw_details": "raw",
}


def test_fifty_whole_ones_are_taken() -> None:
    one_line = GOOD | {"end_line": 2, "start_column": 1, "end_column": 1}
    refuse_annotations([GOOD] * 49 + [one_line])


def test_the_fifty_first_is_too_many() -> None:
    with pytest.raises(Refused, match="No more than 50 items are allowed; 51 were supplied"):
        refuse_annotations([GOOD] * 51)


def test_what_is_missing_is_named() -> None:
    with pytest.raises(Refused) as refused:
        refuse_annotations([GOOD, {"start_line": 1, "end_line": 1, "message": "x"}])
    assert refused.value.message == 'Invalid request.\n\n"annotation_level", "path" weren\'t supplied.'


@pytest.mark.parametrize(
    "wrong",
    [
        {"path": ""},
        {"path": None},
        {"path": "/etc/passwd"},
        {"start_line": 0},
        {"start_line": 4},
        {"end_line": "3"},
        {"start_line": True},
        {"start_column": 1},  # over two lines
        {"end_line": 2, "start_column": 5, "end_column": 4},
        {"annotation_level": "error"},
        {"message": ""},
        {"message": "x" * ((64 << 10) + 1)},
        {"raw_details": "ü" * (33 << 10)},
        {"title": "x" * 256},
    ],
)
def test_one_bad_annotation_refuses_all(wrong: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        refuse_annotations([GOOD, GOOD | wrong])
    assert refused.value.status == 422
    assert refused.value.errors == [{"resource": "CheckRun", "code": "invalid", "field": "annotations"}]
