"""What the templates write, where, and that nothing of it is more than one small change."""

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from healing.repair.search.source import Change, Source
from healing.repair.search.templates import TEMPLATES

EVERYWHERE = frozenset(range(1, 1000))


def written(template: str, text: str, lines: frozenset[int] = EVERYWHERE) -> list[str]:
    """What stands there after each change of the template, the likely ones first."""
    source = Source.of(text.encode())
    assert source is not None
    changes = sorted(TEMPLATES[template](source, lines), key=lambda change: change.rank)
    return [applied(source, change) for change in changes]


def applied(source: Source, change: Change) -> str:
    return (source.data[: change.start] + change.text.encode() + source.data[change.end :]).decode()


# AF-6
@pytest.mark.parametrize(
    ("template", "text", "expected"),
    [
        ("comparison", "a < b\n", ["a <= b\n", "a > b\n", "a >= b\n"]),
        ("comparison", "a is  not b\n", []),
        ("comparison", "a is not b\n", ["a is b\n"]),
        ("comparison", "x == y != z\n", ["x != y != z\n", "x == y == z\n"]),
        ("boolean", "a and b and c\n", ["a or b and c\n", "a and b or c\n"]),
        ("negation", "if not a:\n    pass\n", ["if a:\n    pass\n"]),
        ("negation", "if a:\n    pass\n", ["if not a:\n    pass\n"]),
        ("negation", "if a == b:\n    pass\n", []),
        ("constant", "f(16)\n", ["f(15)\n", "f(17)\n"]),
        ("constant", "f(0, 'x')\n", ["f(-1, 'x')\n", "f(1, 'x')\n"]),
        ("constant", "f(True)\n", ["f(False)\n"]),
        ("arithmetic", "a - b\n", ["a + b\n"]),
        ("arithmetic", "n += 1\n", ["n -= 1\n"]),
        ("arithmetic", "a * b\n", ["a // b\n", "a % b\n", "a / b\n", "a ** b\n"]),
        ("arguments", "f(a, b, c)\n", ["f(b, a, c)\n", "f(a, c, b)\n"]),
        ("arguments", "f(a, *b)\n", []),
        ("attribute", "class A:\n    def f(self):\n        self.names = 1\n        self.namess\n", [
            "class A:\n    def f(self):\n        self.names = 1\n        self.names\n"]),
        ("return", "def f(a):\n    b = a\n    return None\n", [
            "def f(a):\n    b = a\n    return b\n", "def f(a):\n    b = a\n    return a\n"]),
        ("missing_return", "def f(a):\n    a + 1\n", ["def f(a):\n    return a + 1\n"]),
        ("guard", "def f(a=None):\n    g(a)\n", [
            "def f(a=None):\n    if a is None:\n        return None\n    g(a)\n"]),
        ("wrong_argument", "def f(a, b):\n    g(a)\n", ["def f(a, b):\n    g(b)\n"]),
    ],
)  # fmt: skip
def test_each_template_turns_its_slip_round(template: str, text: str, expected: list[str]) -> None:
    assert written(template, text) == expected


def test_a_lost_value_is_looked_for_in_the_siblings_under_the_functions_own_name() -> None:
    text = (
        "def bump_minor(version):\n    return str(parse(version).bump_minor())\n\n\n"
        "def bump_major(version):\n    return None\n"
    )
    assert text.replace("return None", "return str(parse(version).bump_major())") in written("return", text)


def test_a_lost_value_may_be_what_the_base_class_gives() -> None:
    text = "class A(dict):\n    def __getitem__(self, key):\n        return None\n"
    assert text.replace("None", "super().__getitem__(key)") in written("return", text)


def test_only_statements_on_the_suspicious_lines_are_touched() -> None:
    text = "a = 1\nb = 2\nc = (\n    3,\n    4,\n)\n"
    changed = written("constant", text, frozenset({5}))
    assert changed == [text.replace("3", n) for n in "24"] + [text.replace("4", n) for n in "35"]


def test_an_operator_behind_a_comment_is_left_alone() -> None:
    assert written("comparison", "x = (\n    a  # a < b\n    < b\n)\n") == []


@pytest.mark.parametrize("data", [b"\xef\xbb\xbfa = 1\n", b"a = (\n", b"a = 1\x0c\nb = 2\n", b"\xff\n"])
def test_a_file_whose_columns_are_not_sure_is_left_alone(data: bytes) -> None:
    assert Source.of(data) is None


SOURCES = st.sampled_from(
    [
        "class Ä:\n  def f(self, é=0):\n    if not é or 'ü' < é:\n      return None\n    return -é % 2\n",
        "def g(a, b):\n    x = [i for i in a if i is not b and i]\n    return h(x, b)[1:] or {1: 'ß', 2: True}\n",
    ]
)


@settings(deadline=None)  # the first parse of a busy machine takes its time
@given(SOURCES, st.frozensets(st.integers(1, 6)), st.sampled_from(sorted(TEMPLATES)))
def test_whatever_a_template_writes_still_parses_and_is_another_program(
    text: str, lines: frozenset[int], template: str
) -> None:
    for result in written(template, text, lines):
        assert ast.dump(ast.parse(result)) != ast.dump(ast.parse(text))
