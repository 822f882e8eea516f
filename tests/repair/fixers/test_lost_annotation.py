"""Types that a change took out of a signature: given back, letter for letter."""

import pytest

from healing.model import Category, CIError
from tests.pipeline.bench import Bench
from tests.repair.fixers.repos import Broken

WAS = """\
from collections.abc import Iterable


class Cart:
    def total(
        self,
        prices: "Iterable[int]",
        *more: int,
        tax: int = 0,
    ) -> int | None:
        return sum(prices) + tax
"""


# AF-3
async def test_types_that_a_change_took_away_are_given_back(bench: Bench) -> None:
    """mypy itself would infer `int`: what the people of the repository wrote is more."""
    now = WAS.replace(": int = 0", "=0").replace(" -> int | None", "").replace("*more: int", "*more")
    outcome = await bench.heal({"a.py": WAS}, {"a.py": now}, "mypy --strict a.py", on_pull=True)
    assert outcome.verdict == "healed", [u.why for u in outcome.unfixables]
    assert {p.source for p in outcome.proposals} == {"fixer:lost_annotation"}
    written = "".join(edit.new_string for p in outcome.proposals for edit in p.edits)
    assert ("tax: int=0" in written, ") -> int | None:" in written, "*more: int," in written) == (True,) * 3


def proposed(
    now: str, code: str = "no-untyped-def", line: int = 1, was: str = "def f(a: str) -> int: ...\n"
) -> list[str]:
    """What the file looks like with each of the fixer's candidates."""
    broken = Broken({"a.py": now}, before={"a.py": was})
    broken.errors.append(
        CIError(id="E1", tool="mypy", category=Category.TYPE, file="a.py", line=line, code=code, message="m")
    )
    return [broken.after(c)["a.py"] for c in broken.candidates() if c.source == "fixer:lost_annotation"]


# AF-3
@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("def f(a): ...\n", ["def f(a: str) -> int: ...\n"]),
        ("def f(a: str): ...\n", ["def f(a: str) -> int: ...\n"]),
        ("async def f(a: bytes): ...\n", ["async def f(a: bytes) -> int: ...\n"]),  # what is there now stays
        ("def g(a): ...\n", []),
        ("def f(a: str) -> int: ...\n", []),
    ],
)
def test_only_what_stood_there_is_written(now: str, expected: list[str]) -> None:
    assert proposed(now) == expected


# AF-3
def test_only_functions_that_a_type_checker_names_are_touched() -> None:
    assert proposed("def f(a): ...\n", code="return-value") == []
    assert proposed("x = 1\ndef f(a): ...\n", line=1) == []
    assert proposed("def f(a): ...\n", code="ANN201") == ["def f(a: str) -> int: ...\n"]
