"""Return types that mypy infers: healed for free, and seen green by mypy itself."""

import ast
import json

import pytest

from healing.edits.exact import splice
from healing.model import Category, CIError
from healing.repair.fixers.suggested.mypy_returns import MypyReturns, type_source
from healing.repair.tools.settings import ToolConfig
from healing.view import DictView
from tests.pipeline.bench import Bench

SOURCE = """\
import io
from typing import Any


def text(number: int):
    out = io.StringIO()
    out.write(str(number))
    return out.getvalue()


class Cart:
    def __str__(self):
        return text(1)

    @classmethod
    def empty(cls, size: int):
        return cls()


def later(found: dict[str, Any]):
    return found["x"]
"""


# AF-3
async def test_a_return_type_that_mypy_knows_is_written_and_one_that_it_does_not_is_left(bench: Bench) -> None:
    outcome = await bench.heal({"a.py": "x = 1\n"}, {"a.py": SOURCE}, "mypy --strict a.py")
    assert outcome.verdict == "partly", [u.why for u in outcome.unfixables]
    assert {p.source for p in outcome.proposals} == {"fixer:dmypy"}
    assert {edit.new_string.strip() for p in outcome.proposals for edit in p.edits} == {
        "def text(number: int) -> str:",
        "def __str__(self) -> str:",
        'def empty(cls, size: int) -> "Cart":',
    }


@pytest.mark.parametrize(
    ("head", "kind", "expected"),
    [
        ("", "dict[str, int | None]", "dict[str, int | None]"),
        ("from io import StringIO", "io.StringIO", "StringIO"),
        ("class A: ...", "pkg.mod.A | None", '"A | None"'),
        ("from __future__ import annotations\nclass A: ...", "pkg.mod.A", "A"),
        ("if TYPE_CHECKING:\n    from types import FrameType", "a.FrameType", '"FrameType"'),
        ("", "typing.Iterator[int]", ""),
        ("", "def (x: int) -> str", ""),
    ],
)
def test_a_type_is_written_in_names_that_the_file_has(head: str, kind: str, expected: str) -> None:
    assert type_source(kind, ast.parse(head)) == expected


# AF-3
@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("def f(a: int = (1)):\n    return a\n", ["def f(a: int = (1)) -> int:\n    return a\n"]),
        ("def f() -> None:\n    return 1\n", []),
        ("def f():\n    pass\n", []),  # nothing to infer: the other fixer's
        ("def f(:\n", []),
    ],
)
def test_only_a_function_that_lacks_its_type_gets_it(text: str, after: list[str]) -> None:
    view = DictView({"a.py": text.encode()})
    error = CIError(
        id="E1", tool="mypy", category=Category.TYPE, file="a.py", line=1, code="no-untyped-def", message="m"
    )  # fmt: skip
    wanted = MypyReturns().wants((error,), ToolConfig(view))
    reported = json.dumps([{"path": "a.py", "line": 1, "signature": {"arg_types": [], "return_type": "int"}}])
    answer = f"No guesses that match criteria!\n{reported}\n"
    found = [splice(text.encode(), list(s.replacements["a.py"])) for s in MypyReturns().read(answer, wanted, view)]
    assert [one.decode() for one in found] == after
