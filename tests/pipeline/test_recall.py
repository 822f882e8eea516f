"""Memory as a free repair: what a person accepted is tried where the same went wrong, and proven like all else."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.causes import find_causes, of_cause
from healing.model import Category, CIError, Edit
from healing.pipeline.recall import Rewrite, recall, rewrite_of
from healing.repair.agents.memory import FailedFix, Lesson, WorkedFix
from healing.repair.agents.routing import Record
from healing.repair.agents.trajectory import Trajectory
from healing.view import DictView
from tests.pipeline.bench import Bench

PYTEST = "python -m pytest -q"
TESTS = "from shop import price\n\n\ndef test_price():\n    assert price(3) == 36\n"
RIGHT = "RATE = 12\n\n\ndef price(count):\n    return count * RATE\n"
WRONG = RIGHT.replace("count * RATE", "count + RATE")


class Remembered:
    """A memory with these accepted fixes in it."""

    def __init__(self, *fixes: WorkedFix) -> None:
        self.fixes = fixes

    async def accepted(self, causes: tuple[str, ...], shapes: tuple[str, ...]) -> tuple[WorkedFix, ...]:
        return tuple(fix for fix in self.fixes if fix.cause in causes or fix.shape in shapes)

    async def failed(self, causes: tuple[str, ...]) -> tuple[FailedFix, ...]:
        return ()

    async def worked(self, shapes: tuple[str, ...]) -> tuple[WorkedFix, ...]:
        return ()

    async def records(self) -> Mapping[str, Record]:
        return {}

    async def learn(self, lesson: Lesson) -> None:
        """Nothing is learnt here."""

    async def save(self, trajectory: Trajectory) -> None:
        """Nothing is kept here."""


def fix(old: str, new: str, cause: str = "c", shape: str = "s", file: str = "shop.py") -> WorkedFix:
    edit = Edit(file=file, old_string=old, new_string=new)
    return WorkedFix(cause=cause, shape=shape, proposal="P0ld", specialist="semantic", title="Mend it", edits=(edit,))


# AF-4
async def test_an_accepted_fix_heals_the_same_failure_again_without_a_model(bench: Bench) -> None:
    first = await bench.heal({"shop.py": RIGHT, "test_shop.py": TESTS}, {"shop.py": WRONG}, PYTEST)
    assert first.proposals == ()
    cause = first.causes[0]
    known = fix("return count + RATE", "return count * RATE", cause=cause.fingerprint, shape=cause.shape)
    moved = f"# A comment that moves the lines.\n{WRONG}"
    again = await bench.heal(
        {"shop.py": RIGHT, "test_shop.py": TESTS}, {"shop.py": moved}, PYTEST, memory=Remembered(known)
    )
    assert again.verdict == "healed"
    assert [proposal.source for proposal in again.proposals] == ["memory:P0ld"]
    assert {resolution.how for resolution in again.resolutions} == {"memory:P0ld"}
    assert again.proposals[0].evidence[0].after_exit == 0


# AF-4, CK-3
async def test_a_memory_that_does_not_fix_is_not_offered(bench: Bench) -> None:
    first = await bench.heal({"shop.py": RIGHT, "test_shop.py": TESTS}, {"shop.py": WRONG}, PYTEST)
    cause = first.causes[0]
    wrong = fix("return count + RATE", "return count - RATE", cause=cause.fingerprint, shape=cause.shape)
    again = await bench.heal(
        {"shop.py": RIGHT, "test_shop.py": TESTS}, {"shop.py": WRONG}, PYTEST, memory=Remembered(wrong)
    )
    assert again.proposals == ()


def error(file: str, line: int, name: str) -> CIError:
    return CIError(
        id=name, tool="mypy", code="union-attr", category=Category.TYPE, file=file, line=line, message="may be None"
    )


# AF-4
def test_a_pattern_is_done_to_another_line_with_the_same_rule_and_shape() -> None:
    files = {"b.py": b"def g(page):\n    return page.title.strip()\n"}
    errors = (error("b.py", 2, "E1"),)
    (cause,) = find_causes(errors, DictView(files))
    known = fix("    return user.name.strip()\n", '    return (user.name or "").strip()\n', shape=cause.shape)
    assert rewrite_of(known) is not None
    guarded = fix("x = load(path)", "x = load(path, strict=True)", shape=cause.shape)
    target = {"b.py": b"def g(path):\n    y = load(path)\n    return y\n"}
    (candidate,) = recall(cause, errors, (guarded,), DictView(target))
    assert candidate.edits[0].new_string.strip() in "    y = load(path, strict=True)"
    assert candidate.source == "memory:P0ld"


# AF-4
def test_every_error_of_a_cause_gets_the_pattern_or_none_does() -> None:
    files = {"b.py": b"a == None\nb == None\n", "c.py": b"c is 1\n"}
    errors = (error("b.py", 1, "E1"), error("b.py", 2, "E2"))
    cause = find_causes(errors, DictView(files))[0].model_copy(update={"error_ids": ("E1", "E2")})
    known = fix("x == None", "x is None", shape=cause.shape)
    (candidate,) = recall(cause, errors, (known,), DictView(files))
    assert candidate.edits[0].new_string == "a is None\nb is None\n"
    with_a_third = (*errors, error("c.py", 1, "E3"))
    assert list(recall(cause, with_a_third, (known,), DictView(files))) == []


# AF-4
@pytest.mark.parametrize(
    "known",
    [
        fix("x == None", "x is None", shape="another shape"),
        fix("a\nb", "a\nc\nd"),
        fix("a\nb", "c\nd"),
        fix("gone from the file", "x", cause="c"),
        WorkedFix(cause="c", shape="s", proposal="P", specialist="x", title="t", edits=()),
    ],
)
def test_what_does_not_fit_is_not_proposed(known: WorkedFix) -> None:
    view = DictView({"b.py": b"a == None\n"})
    errors = (error("b.py", 1, "E1"),)
    cause = find_causes(errors, view)[0].model_copy(update={"fingerprint": "c"})
    assert list(recall(cause, of_cause(cause, errors), (known,), view)) == []


words = st.text(alphabet="ab (),.=+1\t", max_size=30)


# AF-4
@given(words, words)
def test_a_rewrite_turns_its_own_line_into_its_own_result_or_says_nothing(old: str, new: str) -> None:
    rewrite = rewrite_of(fix(old, new))
    if rewrite is not None:
        assert rewrite.applied(old) in (new, None)


# AF-4
@given(words, words, words)
def test_a_rewrite_never_raises_and_changes_one_place_at_most(old: str, new: str, line: str) -> None:
    rewrite = rewrite_of(fix(old, new))
    if rewrite is not None:
        done = rewrite.applied(line)
        assert done is None or len(done) - len(line) == len("".join(rewrite.new)) - len("".join(rewrite.old))


# AF-4
def test_where_a_rewrite_could_go_to_several_places_it_goes_nowhere() -> None:
    assert Rewrite((), ("=", "="), ("is",), ()).applied("a == b == c") is None
    assert Rewrite(("a", " "), ("=", "="), ("is",), (" ", "b")).applied("a == b == c") == "a is b == c"
