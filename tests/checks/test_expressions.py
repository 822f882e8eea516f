"""GitHub's expression language in three values: known, unknown, and known to be true all the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.checks.expressions import Partial, Unknown, Value, condition, evaluate, fill, resolve, truth

CONTEXTS: dict[str, Value] = {
    "matrix": {"os": "ubuntu-latest", "n": 3.0, "flag": True, "list": ["a", "B"], "deep": {"x": {"y": "z"}}},
    "env": {"NAME": "Value", "EMPTY": ""},
    "github": Partial(
        "github", {"workflow": "CI", "ref": Unknown(("github.ref",), begins=("refs/heads/", "refs/pull/"))}
    ),
    "secrets": Partial("secrets"),
}


# CK-1
@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("'it''s'", "it's"),
        ("0xff", 255.0),
        ("-2.5e1", -25.0),
        ("null", None),
        ("TRUE", True),
        ("matrix.os", "ubuntu-latest"),
        ("matrix['os']", "ubuntu-latest"),
        ("MATRIX.OS", "ubuntu-latest"),
        ("matrix.deep.x.y", "z"),
        ("matrix.list[1]", "B"),
        ("matrix.list[7]", None),
        ("matrix.nothing.at.all", None),
        ("matrix.deep.*.y", ["z"]),
        ("matrix.os == 'UBUNTU-latest'", True),
        ("1 == '1'", True),
        ("null == 0", True),
        ("'a' == 0", False),
        ("true == 1", True),
        ("'' == 0", True),
        ("'abc' < 'ABD'", True),
        ("10 >= 9 && 'b' > 'a'", True),
        ("!matrix.flag", False),
        ("!(1 == 2) && !false", True),
        ("1 == 2 == false", True),
        ("'' || 'default'", "default"),
        ("matrix.flag && 'yes' || 'no'", "yes"),
        ("false || false && true", False),
        ("contains('Hello world', 'WORLD')", True),
        ("contains(matrix.list, 'b')", True),
        ("contains(fromJSON('[\"x\", 1]'), 1)", True),
        ("startsWith(matrix.os, 'Ubuntu')", True),
        ("endsWith('file.py', '.PY')", True),
        ("format('{0}-{1} {{}}', matrix.n, 'x')", "3-x {}"),
        ("join(matrix.list, '; ')", "a; B"),
        ("join(matrix.list)", "a,B"),
        ("fromJSON('{\"a\": [1, 2.5]}').a[1]", 2.5),
        ("toJSON(matrix.list)", '[\n  "a",\n  "B"\n]'),
        ("success() && !failure() && !cancelled() && always()", True),
    ],
)
def test_what_is_known_is_evaluated_as_github_does(source: str, value: Value) -> None:
    assert evaluate(source, CONTEXTS) == value


# CK-1
@pytest.mark.parametrize(
    ("source", "names", "known"),
    [
        ("github.event.number", ("github.event.number",), None),
        ("secrets.A == ''", ("secrets.A",), None),
        ("needs.a.outputs['b']", ("needs.a.outputs.b",), None),
        ("hashFiles('**/lock')", ("hashFiles()",), None),
        ("secrets.A || 'b'", ("secrets.A",), True),
        ("secrets.A && false", ("secrets.A",), False),
        ("secrets.A && secrets.B", ("secrets.A", "secrets.B"), None),
        ("fromJSON('{')", ("fromJSON()",), None),
        ("format('{9}', 1)", ("format()",), None),
        ("nosuch(1)", ("nosuch()",), None),
        ("toJSON(github)", ("github",), None),
        ("github == 'x'", ("github",), None),
    ],
)
def test_what_is_not_known_keeps_its_name_and_what_truth_it_has(
    source: str, names: tuple[str, ...], known: bool | None
) -> None:
    value = evaluate(source, CONTEXTS)
    assert isinstance(value, Unknown)
    assert (value.names, truth(value)) == (names, known)


# CK-1
def test_what_is_not_known_does_not_spoil_what_is_decided_without_it() -> None:
    assert evaluate("secrets.A != '' && false || true", CONTEXTS) is True
    assert evaluate("false && secrets.A", CONTEXTS) is False
    assert evaluate("true || secrets.A", CONTEXTS) is True
    assert evaluate("!(secrets.A || true)", CONTEXTS) is False


# CK-1
@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("startsWith(github.ref, 'refs/tags/')", False),
        ("startsWith(github.ref, 'refs/TAGS/v')", False),
        ("startsWith(github.ref, 'refs/')", True),
        ("contains(github.ref, 'refs/tags/')", False),
        ("github.ref == 'refs/tags/v1'", False),
        ("'refs/tags/v1' != github.ref", True),
        ("startsWith(github.ref, 'refs/heads/')", None),
        ("contains(github.ref, 'tags')", None),
        ("github.ref == 'refs/heads/main'", None),
        ("endsWith(github.ref, 'refs/tags/')", None),
        ("github.ref > 'refs/tags/'", None),
    ],
)
def test_of_a_branch_it_is_known_that_it_is_no_tag(source: str, value: bool | None) -> None:
    assert truth(evaluate(source, CONTEXTS)) is value


@given(st.text("ref/hdpultgs-V1"), st.sampled_from(["refs/heads/", "refs/pull/"]), st.text("ref/hdpultgs-V1"))
def test_what_is_said_of_a_text_that_is_not_known_is_true_of_every_text_that_it_may_be(
    asked: str, begins: str, rest: str
) -> None:
    whole = begins + rest
    for source in ("startsWith({0}, {1})", "{0} == {1}", "{1} != {0}"):
        question = source.format("github.ref", f"'{asked}'")
        known = truth(evaluate(question, CONTEXTS))
        assert known in (None, evaluate(source.format(f"'{whole}'", f"'{asked}'"), CONTEXTS)), question


def test_texts_are_filled_and_holes_are_named() -> None:
    filled = fill("a ${{ matrix.n }} b${{ secrets.T }}c ${{ '}}' }}", CONTEXTS)
    assert (filled.text, filled.shown, filled.missing) == ("a 3 bc }}", "a 3 b…c }}", ("secrets.T",))
    assert fill("${{ never closed", CONTEXTS).text == "${{ never closed"
    assert resolve("${{ matrix.list }}", CONTEXTS) == ["a", "B"]
    assert resolve({"a": ["${{ matrix.n }}", "x${{ matrix.n }}"]}, CONTEXTS) == {"a": [3.0, "x3"]}


@pytest.mark.parametrize(
    ("raw", "holds"),
    [
        (None, True),
        ("", True),
        (False, False),
        ("matrix.n > 2", True),
        ("${{ matrix.n > 5 }}", False),
        ("${{ matrix.n > 5 }} == true", True),  # GitHub's own trap: a text that is not empty
        ("env.EMPTY", False),
        ("github.ref == 'refs/heads/x'", None),
        ("vars.X == 'y' || always()", True),
    ],
)
def test_a_condition_holds_or_not_or_nobody_knows(raw: Value, holds: bool | None) -> None:
    assert truth(condition(raw, CONTEXTS)) is holds


@pytest.mark.parametrize(
    "source",
    [
        "",
        "a b",
        "'open",
        '"double"',
        "a.",
        "f(",
        "(1",
        "[1]",
        "1 ==",
        "a..b",
        "$",
        "!" * 60 + "1",
        "(" * 60 + "1",
        "x" * 21_001,
    ],
)
def test_what_is_no_expression_is_unknown_with_the_reason(source: str) -> None:
    value = evaluate(source, CONTEXTS)
    assert isinstance(value, Unknown)
    assert "(" in value.names[0]


def test_nested_formats_do_not_grow_without_end() -> None:
    source = "'xxxxxxxxxx'"
    for _ in range(12):
        source = f"format('{{0}}{{0}}{{0}}{{0}}{{0}}', {source})"
    assert isinstance(evaluate(source, {}), Unknown)


PIECES = st.sampled_from(
    ["matrix", ".os", "github", "(", ")", "!", "&&", "||", "==", "<", "'x'", "1", ",", "contains(", "fromJSON(",
     "[", "]", ".*", "null", "secrets.A", " ", "format('{0}',", "toJSON(", "join("]
)  # fmt: skip


@given(st.text(max_size=60) | st.lists(PIECES, max_size=14).map("".join))
def test_no_text_makes_the_evaluator_raise(source: str) -> None:
    evaluate(source, CONTEXTS)
    fill(f"a ${{{{ {source} }}}} b", CONTEXTS)
    condition(source, CONTEXTS)
