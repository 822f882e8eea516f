"""Errors become root causes: what one edit would cure is one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.causes import find_causes, read_message, shape_of
from healing.graph.python.syntax import Outline
from healing.model import Category, CIError, Related
from healing.view import DictView

CODE = b"import os\n\n\nclass A:\n    def f(self):\n        return 1 / 0\n\n    def g(self):\n        return []['x']\n"


def error(number: int, message: str, category: Category = Category.LINT, **more: object) -> CIError:
    fields: dict[str, object] = {"tool": "ruff", "file": "a.py", "line": number, **more}
    return CIError.model_validate({"id": f"E{number}", "message": message, "category": category, **fields})


# CL-1
def test_fifty_undefined_names_in_fifty_files_told_by_four_tools_are_one() -> None:
    messages = (
        "Undefined name `Config`",
        "NameError: name 'Config' is not defined",
        'Name "Config" is not defined',
        '"Config" is not defined',
        "undefined name 'Config'",
        "Undefined variable 'Config'",
        "undefined: Config",
        "Cannot find name 'Config'.",
    )
    errors = [error(n, messages[n % len(messages)], file=f"m{n}.py") for n in range(50)]
    (cause,) = find_causes(errors)
    assert cause.symbols == ("Config",)
    assert len(cause.error_ids) == len(cause.files) == 50


# CL-1
@pytest.mark.parametrize(
    ("message", "family", "symbols"),
    [
        ("ImportError: cannot import name 'Use' from 'schema' (/r/schema.py)", "missing-member", ("Use", "schema")),
        ('Module "a.b" has no attribute "x"  [attr-defined]', "missing-member", ("x", "a.b")),
        ("AttributeError: module 'm' has no attribute 'f'", "missing-member", ("f", "m")),
        ("AttributeError: 'T' object has no attribute 'x'", "missing-attribute", ("x", "T")),
        ('"T" has no attribute "x"; maybe "y"?', "missing-attribute", ("x", "T")),
        ("ModuleNotFoundError: No module named 'a.b'", "no-module", ("a.b",)),
        ("TypeError: f() got an unexpected keyword argument 'k'", "keyword", ("k", "f")),
        ('Unexpected keyword argument "k" for "f"', "keyword", ("k", "f")),
        ("assert 1 == 2", "", ()),
    ],
)
def test_messages_of_known_families_tell_what_they_name(message: str, family: str, symbols: tuple[str, ...]) -> None:
    reading = read_message(error(1, message))
    assert (reading.family, reading.symbols) == (family, symbols)


# CL-1
def test_a_shape_forgets_paths_numbers_quotes_and_addresses() -> None:
    left = shape_of('in /home/a/x.py: expected `3` items of "foo", got 4 at 0x7f00\nmore')
    right = shape_of("in /tmp/y/z.py: expected '5' items of 'bar', got 12 at 0x8abc")
    assert left == right


def crash(number: int, line: int, test: str, message: str = "ZeroDivisionError: division by zero") -> CIError:
    frames = (Related(file="test_a.py", line=number), Related(file="a.py", line=line))
    return error(number, message, Category.RUNTIME, tool="pytest", file="a.py", line=line, related=frames, test=test)


# CL-1
def test_stacks_are_grouped_by_the_function_of_their_deepest_frame_in_the_repo() -> None:
    view = DictView({"a.py": CODE, "test_a.py": b""})
    outside = Related(file="/usr/lib/python3.11/json/__init__.py", line=9)
    first = crash(1, 6, "test_a.py::t1")
    second = crash(2, 6, "test_a.py::t2").model_copy(update={"related": (*first.related, outside)})
    causes = find_causes([first, second, crash(3, 9, "test_a.py::t3")], view)
    assert [cause.error_ids for cause in causes] == [("E1", "E2"), ("E3",)]


# CL-1
def test_fingerprints_stay_the_same_when_lines_shift_and_the_run_is_another() -> None:
    shifted = DictView({"a.py": b"# new\n# new\n" + CODE, "test_a.py": b""})
    before = find_causes([crash(1, 6, "test_a.py::t")], DictView({"a.py": CODE, "test_a.py": b""}))
    after = find_causes([crash(7, 8, "test_a.py::t")], shifted)
    assert [c.fingerprint for c in before] == [c.fingerprint for c in after]


# CL-1
def test_the_function_around_a_line_is_told_also_in_a_file_that_does_not_parse() -> None:
    outline = Outline(CODE + b"x = 1\nasync def last(\n")
    around = [outline.around(line) for line in range(1, 13)]
    assert around == ["", "", "", "A", "A.f", "A.f", "", "A.g", "A.g", "", "last", ""]


def test_failed_assertions_of_different_tests_are_different_causes_and_parameters_are_not() -> None:
    names = ["t.py::a[1]", "t.py::a[2]", "t.py::b"]
    errors = [
        error(n, f"assert {n} == 3", Category.TEST, tool="pytest", file="t.py", test=name)
        for n, name in enumerate(names)
    ]
    assert [len(cause.error_ids) for cause in find_causes(errors)] == [2, 1]


def test_one_broken_file_is_one_cause_however_many_tests_it_stops() -> None:
    frames = (Related(file="pkg/broken.py", line=9),)
    errors = [
        error(
            n,
            "SyntaxError: expected ':'",
            Category.SYNTAX,
            file=f"t{n}.py",
            related=(Related(file=f"t{n}.py"), *frames),
        )
        for n in range(9)
    ]
    (cause,) = find_causes(errors)
    assert "pkg/broken.py" in cause.files


def test_an_attribute_of_none_is_another_cause_than_a_renamed_one() -> None:
    causes = find_causes(
        [
            error(1, "AttributeError: 'NoneType' object has no attribute 'x'", Category.RUNTIME),
            error(2, "AttributeError: 'T' object has no attribute 'x'", Category.RUNTIME),
        ]
    )
    assert len(causes) == 2


MESSAGES = st.sampled_from(
    ["Undefined name `a`", "Undefined name `b`", "`os` imported but unused", "assert 1 == 2", "line too long (99 > 79)"]
)
ERRORS = st.lists(
    st.builds(
        lambda n, message, category, file, line: error(n, message, category, file=file, line=line),
        st.integers(0, 10**6),
        MESSAGES | st.text(max_size=40),
        st.sampled_from(list(Category)),
        st.sampled_from([None, "a.py", "b/c.py", "/abs/d.py", "t/test_a.py"]),
        st.integers(1, 20) | st.none(),
    ),
    max_size=30,
    unique_by=lambda e: e.id,
)


# CL-1, CL-5
@given(ERRORS, st.randoms())
def test_every_error_is_in_exactly_one_cause_and_their_order_changes_nothing(errors: list[CIError], random) -> None:  # type: ignore[no-untyped-def]
    causes = find_causes(errors)
    ids = [error_id for cause in causes for error_id in cause.error_ids]
    assert sorted(ids) == sorted(e.id for e in errors)
    assert len({cause.fingerprint for cause in causes}) == len(causes)
    random.shuffle(errors)
    assert find_causes(errors) == causes


@pytest.mark.parametrize("text", ["'" * 50_000, "/a" * 50_000, "a." * 50_000, '"a b' * 20_000, "name " * 20_000])
def test_a_hostile_message_is_read_quickly(text: str) -> None:
    assert find_causes([error(1, text)])
