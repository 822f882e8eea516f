"""A matrix is spread out, and its jobs are named, as GitHub does."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.checks.expressions import Partial, Value
from healing.checks.matrix import Cell, MatrixError, cells, job_name

FRUIT: Value = {
    "fruit": ["apple", "pear"],
    "animal": ["cat", "dog"],
    "include": [
        {"color": "green"},
        {"color": "pink", "animal": "cat"},
        {"fruit": "apple", "shape": "circle"},
        {"fruit": "banana"},
        {"fruit": "banana", "animal": "cat"},
    ],
}


# CK-1
def test_includes_extend_what_they_do_not_change_and_else_stand_alone() -> None:
    assert [cell.values for cell in cells(FRUIT, {})] == [
        {"fruit": "apple", "animal": "cat", "color": "pink", "shape": "circle"},
        {"fruit": "apple", "animal": "dog", "color": "green", "shape": "circle"},
        {"fruit": "pear", "animal": "cat", "color": "pink"},
        {"fruit": "pear", "animal": "dog", "color": "green"},
        {"fruit": "banana"},
        {"fruit": "banana", "animal": "cat"},
    ]


# CK-1
def test_a_name_shows_the_axes_but_not_what_an_include_added() -> None:
    named = [job_name("job", cell) for cell in cells(FRUIT, {})]
    assert named[0] == "job (apple, cat)"
    assert named[-2:] == ["job (banana)", "job (banana, cat)"]


@pytest.mark.parametrize(
    ("matrix", "found"),
    [
        (None, [{}]),
        ({"a": [1.0, 2.0], "exclude": [{"a": 2.0}]}, [{"a": 1.0}]),
        ({"a": [{"v": 1.0, "w": 2.0}, {"v": 3.0}], "exclude": [{"a": {"v": 1.0}}]}, [{"a": {"v": 3.0}}]),
        ({"include": [{"a": 1.0}, {"a": 2.0, "b": True}]}, [{"a": 1.0}, {"a": 2.0, "b": True}]),
        ("${{ fromJSON('{\"a\": [1]}') }}", [{"a": 1.0}]),
        ({"a": "${{ fromJSON('[\"x\"]') }}"}, [{"a": "x"}]),
    ],
)
def test_combinations(matrix: Value, found: list[Value]) -> None:
    assert [cell.values for cell in cells(matrix, {})] == found


@pytest.mark.parametrize(
    ("matrix", "why"),
    [
        ("${{ fromJSON(needs.a.outputs.b) }}", "its matrix comes from ${{ needs.a.outputs.b }}"),
        ({"a": ["${{ needs.x }}"]}, "its matrix comes from ${{ needs.x }}"),
        ({"a": "x"}, "`a` of its matrix is no list"),
        ("text", "its matrix is no mapping"),
        ({"a": [1.0], "include": {"b": 1.0}}, "`include` of its matrix is no list of mappings"),
        ({"a": [1.0], "exclude": [{"a": 1.0}]}, "its matrix has no combination"),
        ({"a": [1.0] * 17, "b": [1.0] * 17}, "more than 256 combinations"),
        ({name: [1.0] * 9 for name in "abcdefghij"}, "more than 256 combinations"),
    ],
)
def test_a_matrix_that_can_not_be_spread_out_says_why(matrix: Value, why: str) -> None:
    with pytest.raises(MatrixError) as refused:
        cells(matrix, {"needs": Partial("needs")})
    assert why in str(refused.value)


def test_a_long_name_is_cut_to_a_hundred_characters() -> None:
    name = job_name("x" * 90, Cell({}, ("yyyyyyyyyyyyyy",)))
    assert len(name) == 100
    assert name.endswith("yyyy...")


SCALARS = st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=3)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "include", "exclude"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(VALUES)
def test_any_value_is_a_matrix_or_a_matrix_error(raw: Value) -> None:
    with contextlib.suppress(MatrixError):
        for cell in cells(raw, {}):
            assert len(job_name("job", cell)) <= 100
