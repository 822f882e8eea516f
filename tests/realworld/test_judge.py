"""The suite's own judge, breakages and brains, before they are believed: quick, and without a network."""

import json
import random
from collections import Counter
from collections.abc import Mapping

import pytest

from healing.model import Category, CIError, Edit
from tests.realworld import mistakes, slips
from tests.realworld.brains import cures
from tests.realworld.judge import applied, judge
from tests.realworld.language import Seen
from tests.realworld.page import CASES, PAGE, page
from tests.realworld.python import CACHETOOLS, PYTHON
from tests.realworld.report import Refused, Row, kept, table
from tests.realworld.sites import File, Source, parses

FILE = "src/cachetools/keys.py"
WHOLE = {FILE: b"one = 1\n", "tests/test_keys.py": b"import one\n"}
BROKEN = WHOLE | {FILE: b"one = 2\n"}
GREEN = Seen(passed={"t::a", "t::b"})
RED = Seen(red={"Pytest"}, failed={"t::a"}, passed={"t::b"})


class Told:
    """A bench that was told what each state of the file gives."""

    def __init__(self, seen: Mapping[bytes, Seen]) -> None:
        self.seen = dict(seen)

    async def look(self, project: object, files: Mapping[str, bytes]) -> Seen:
        return self.seen[files[FILE]]


def failing(**more: str | None) -> CIError:
    fields = {"id": "E1", "tool": "pytest", "message": "boom", "test": "tests/test_keys.py::a"} | more
    return CIError.model_validate(fields | {"category": Category.TEST})


async def verdict(healed: bytes, after: Seen, *claimed: CIError) -> tuple[str, str]:
    bench = Told({WHOLE[FILE]: GREEN, BROKEN[FILE]: RED} | {healed: after})
    output = await judge(bench, CACHETOOLS, WHOLE, BROKEN, BROKEN | {FILE: healed}, claimed)
    return output.end, output.why


async def test_all_green_is_healed_whatever_the_bytes() -> None:
    assert await verdict(b"one = 1\n", GREEN, failing()) == ("healed", "")
    assert await verdict(b"one = 3 - 2\n", GREEN, failing()) == ("healed", "")


async def test_a_test_that_no_longer_runs_is_wrong_even_where_all_is_green() -> None:
    assert await verdict(b"x", Seen(passed={"t::a"})) == ("wrong", "tests no longer run: t::b")


async def test_what_was_green_and_is_red_now_is_wrong() -> None:
    after = Seen(red={"Pytest"}, failed={"t::b"}, passed={"t::a"})
    assert await verdict(b"x", after) == ("wrong", "was green and is red now: t::b")
    assert await verdict(b"x", Seen(red={"Pytest", "Ruff"}, failed={"t::a"}, passed={"t::b"})) == (
        "wrong",
        "was green and is red now: Ruff",
    )


async def test_a_claim_that_does_not_hold_is_wrong_and_one_that_nobody_made_is_not() -> None:
    assert await verdict(b"x", RED, failing()) == ("wrong", "said to be cured and still fails: t::a")
    assert await verdict(b"x", RED) == ("wrong", f"Pytest still red with a new text in {FILE}: x")


async def test_a_part_of_the_way_back_is_partly() -> None:
    whole, broken = WHOLE | {FILE: b"a\nb\nc\n"}, WHOLE | {FILE: b"x\nb\ny\n"}
    bench = Told({broken[FILE]: RED, b"a\nb\ny\n": RED, b"a\nb\nz\n": RED})
    back = await judge(bench, CACHETOOLS, whole, broken, broken | {FILE: b"a\nb\ny\n"}, ())
    assert (back.end, back.why) == ("partly", "still red: Pytest")
    astray = await judge(bench, CACHETOOLS, whole, broken, broken | {FILE: b"a\nb\nz\n"}, ())
    assert (astray.end, astray.why) == ("wrong", f"Pytest still red with a new text in {FILE}: z")


async def test_a_finding_that_is_still_counted_is_a_broken_promise() -> None:
    found = Counter({("Ruff", FILE, "F401"): 2})
    red = Seen(red={"Ruff"}, passed={"t::a", "t::b"}, findings=found)
    bench = Told({BROKEN[FILE]: red, b"x": red})
    error = failing(tool="ruff", code="F401", file=FILE, test=None)
    output = await judge(bench, CACHETOOLS, WHOLE, BROKEN, BROKEN | {FILE: b"x"}, [error])
    assert output.why == f"said to be cured and still found: Ruff {FILE} F401"


@pytest.mark.parametrize("path", ["tests/test_keys.py", "conftest.py", "setup.cfg", "src/cachetools/tests/t.py"])
async def test_anyone_who_touches_a_test_or_the_settings_is_wrong(path: str) -> None:
    output = await judge(Told({}), CACHETOOLS, WHOLE, BROKEN, BROKEN | {path: b"x"}, ())
    assert output.why == f"touches {path}"


async def test_nothing_offered_is_unfixable() -> None:
    assert (await judge(Told({}), CACHETOOLS, WHOLE, BROKEN, BROKEN, ())).end == "unfixable"


def test_an_edit_whose_text_is_there_twice_is_not_made() -> None:
    with pytest.raises(AssertionError, match="not there once"):
        applied({"a": b"xx"}, [[Edit(file="a", old_string="x", new_string="y")]])


def test_edits_of_one_proposal_are_meant_for_the_same_text_and_proposals_follow_one_another() -> None:
    moved = [Edit(file="a", old_string="2\n", new_string="1\n2\n"), Edit(file="a", old_string="1\n", new_string="")]
    assert applied({"a": b"2\n1\n"}, [moved]) == {"a": b"1\n2\n"}
    assert applied({"a": b"2\n1\n"}, [moved, [Edit(file="a", old_string="1\n2", new_string="3")]]) == {"a": b"3\n"}
    with pytest.raises(AssertionError, match="overlap"):
        applied(
            {"a": b"21"},
            [[Edit(file="a", old_string="21", new_string="x"), moved[1].model_copy(update={"old_string": "1"})]],
        )


CODE = b'''import os
from .keys import hashkey, typedkey


def first(values, other):
    """The first."""
    if not values:
        return None
    for value in values:
        if len(value) < len(other):
            return hashkey(value, other)
    total = len(values) + 1
    return typedkey("both", os.path.join(values, other), total)


def second(values):
    return first(values, values.other_one)
'''


def test_every_maker_finds_slips_that_change_bytes_and_are_the_same_every_time() -> None:
    source = Source("seed", (File("src/p/a.py", CODE), File("src/p/keys.py", b"hashkey = typedkey = print\n")))
    for name, make in PYTHON.makers.items():
        found = source.shuffled(name, make(source))
        assert found or name == "type-error", name
        assert found == source.shuffled(name, make(source))
        for one in found:
            ((path, new),) = one.files.items()
            pristine = next(f.data for f in source.files if f.path == path)
            assert new != pristine
            assert parses(new) is (one.category != "syntax"), one.what


def test_a_typo_keeps_the_letters_or_loses_the_last() -> None:
    assert slips.typo("version") == "vesrion"
    assert slips.typo("aaaaa") == "aaaa"


def test_types_are_broken_where_there_are_any() -> None:
    code = b"def f(a: Optional[str] = None) -> bool:\n    return str(a)\n"
    kinds = [one.kind for one in mistakes.type_error(Source("s", (File("a.py", code),)))]
    assert kinds == ["lost conversion", "lost Optional", "wrong annotation"]


def test_a_fix_leads_back_to_the_bytes_from_before() -> None:
    chance = random.Random(7)
    for _ in range(300):
        whole = [f"{chance.choice('abc')}\n" for _ in range(chance.randint(1, 12))]
        broken = list(whole)
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(broken))
            broken[at : at + chance.randint(0, 1)] = [f"{chance.choice('abc')}\n"] * chance.randint(0, 2)
            broken = broken or ["d\n"]
        before, after = {"f": "".join(broken).encode()}, {"f": "".join(whole).encode()}
        edits = [Edit(file=f, old_string=a, new_string=b) for f, a, b in cures(before, after)]
        assert applied(before, [edits]) == after


def test_the_page_is_made_of_the_rows_alone() -> None:
    row = Row(
        "p 1", "Go", "n", "lint", "a|b", ("lint",), 1, 0, "unfixable", "healed", True, ("agent:x",), ("fixup",), 2.0,
        1.5, (("fast", 1),), 1, 10, 5, 0.1, "",
    )  # fmt: skip
    assert table([row])[2:] == ["| lint | 1 | 0 | 1 | 0 | 0 | 0 | 0 |", "| all | 1 | 0 | 1 | 0 | 0 | 0 | 0 |"]
    report = {"date": "D", "python": "3", "processors": 2, "tools": {"ruff": "1"}}
    assert "a\\|b | lint | healed with the oracle | agent:x | fixup |" in page(report, [row], [], [])
    refused = Refused("p 1", "n", "cheating", 5, 0)
    assert "| cheating | 1 | 5 | 0 |" in page(report, [row], [refused], [])


def test_the_page_is_that_of_the_kept_cases() -> None:
    if not CASES.exists():
        pytest.skip("no real case was kept yet: `python -m benchmarks realworld`")
    written = PAGE.read_text()
    part = written[
        written.index("## Time") : written.index("## Every case")
    ].splitlines()  # priced by real agents: slow
    ledger = kept(CASES)
    assert written == page(json.loads(CASES.read_text()), ledger.rows, ledger.refused, part)
