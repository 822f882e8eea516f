"""Type errors with one cure: healed for free, and seen green by mypy itself."""

import pytest

from healing.edits.exact import splice
from healing.model import Category, CIError
from healing.repair.fixers.suggested.mypy import Mypy
from healing.repair.tools.settings import ToolConfig
from healing.view import DictView
from tests.pipeline.bench import Bench

SOURCE = """\
from typing import cast


def opt(func: str = None, *, count: int = None) -> int:
    return 1


def shout(word: str, *, end: str = "):"):
    print(word, end=end)


def red(x: int) -> int:
    return cast(int, x)


def still(x: int) -> int:
    return x  # type: ignore


async def load() -> int:
    return 1


async def user() -> int:
    if red(1):
        load()
    return await load()
"""


def suggested(code: str, message: str, line: int, text: str) -> list[str]:
    """What the suggestions make of the text."""
    error = CIError(
        id="E1", tool="mypy", category=Category.TYPE, file="a.py", line=line, code=code, message=message
    )  # fmt: skip
    view = DictView({"a.py": text.encode()})
    wanted = Mypy().wants((error,), ToolConfig(view))
    return [splice(text.encode(), list(s.replacements["a.py"])).decode() for s in Mypy().read("", wanted, view)]


# AF-3
async def test_what_mypy_leaves_one_remedy_for_is_fixed_one_by_one(bench: Bench) -> None:
    outcome = await bench.heal({"a.py": "x = 1\n"}, {"a.py": SOURCE}, "mypy --strict a.py")
    assert outcome.verdict == "healed", [u.why for u in outcome.unfixables]
    assert {p.source for p in outcome.proposals} == {"fixer:mypy"}
    written = {edit.new_string.strip() for p in outcome.proposals for edit in p.edits}
    assert "def opt(func: str | None = None, *, count: int | None = None) -> int:" in written
    assert 'def shout(word: str, *, end: str = "):") -> None:' in written
    assert {"return x", "await load()"} <= written


DEFAULT = 'Incompatible default for argument "a" (default has type "None", argument has type "int")'


# AF-3
@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("def f(a: int = None): ...\n", ["def f(a: int | None = None): ...\n"]),
        ('def f(a: "int" = None): ...\n', ['def f(a: "int | None" = None): ...\n']),
        (
            "from typing import Optional\ndef f(a: int = None): ...\n",
            [
                "from typing import Optional\ndef f(a: Optional[int] = None): ...\n",
                "from typing import Optional\ndef f(a: int | None = None): ...\n",
            ],
        ),
        ("def f(b: int = None): ...\n", []),
        ("def f(a: int = None:\n", []),
    ],
)
def test_a_parameter_that_is_none_by_default_says_so_as_the_file_does(text: str, after: list[str]) -> None:
    assert suggested("assignment", DEFAULT, text.count("\n"), text) == after


# AF-3
@pytest.mark.parametrize(
    ("line", "reported", "after"),
    [
        ("x = 1  # type: ignore\n", "", ["x = 1\n"]),
        ("x = 1  # type: ignore[a, b]\n", "[a]", ["x = 1  # type: ignore[b]\n"]),
        ("x = 1  # type: ignore[a]  # why\n", "[a]", ["x = 1  # why\n"]),
        ("x = 1  # type: ignored\n", "", []),
        ("x = 1\n", "", []),
    ],
)
def test_of_a_needless_ignore_only_what_is_needless_goes(line: str, reported: str, after: list[str]) -> None:
    assert suggested("unused-ignore", f'Unused "type: ignore{reported}" comment', 1, line) == after


# AF-3
@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("def f(a, b=(1)):\n    pass\n", ["def f(a, b=(1)) -> None:\n    pass\n"]),
        ("def f():\n    def g():\n        return 1\n", ["def f() -> None:\n    def g():\n        return 1\n"]),
        ("def f(\n    a,\n):\n    return\n", ["def f(\n    a,\n) -> None:\n    return\n"]),
        ("def f():\n    return 1\n", []),
        ("def f():\n    if 1:\n        yield 1\n", []),
    ],
)
def test_only_a_function_that_gives_nothing_back_is_said_to(text: str, after: list[str]) -> None:
    assert suggested("no-untyped-def", "Function is missing a return type annotation", 1, text) == after


# AF-3
def test_where_a_cast_stood_a_sum_keeps_its_brackets() -> None:
    made = suggested("redundant-cast", 'Redundant cast to "int"', 1, "y = typing.cast(int, a + b) * 2\n")
    assert made == ["y = (a + b) * 2\n"]


# AF-3
def test_a_description_is_no_fix() -> None:
    union = 'Item "None" of "str | None" has no attribute "upper"'
    assert suggested("union-attr", union, 1, "x.upper()\n") == []
    assert suggested("assignment", "Incompatible types in assignment", 1, "def f(a: int = 1): ...\n") == []
