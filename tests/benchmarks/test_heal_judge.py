"""The judge of healed cases asks pytest alone, and nothing that touches a test or breaks another is healed."""

from benchmarks.heal.cases import Case, Change
from benchmarks.heal.judge import Seen, verdict
from benchmarks.heal.stage import Ended, tally

CASE = Case("c", "logic", "p", "p==1", (Change("p.py", 1, "a", "b"),), "pytest", ("t.py::a", "t.py::b", "u.py"))
WHOLE = Seen({"t.py::a": "passed", "t.py::b": "passed", "u.py::x": "passed", "u.py::y": "skipped"})
BROKEN = Seen({"t.py::a": "failed", "t.py::b": "failed", "u.py": "failed"})


def judged(healed: dict[str, str], *changed: str) -> str:
    return verdict(CASE, frozenset(changed), WHOLE, BROKEN, Seen(healed))[0]


# AF-5
def test_only_where_every_named_test_is_green_and_no_other_is_red_a_case_is_healed() -> None:
    green = dict(WHOLE.ended)
    assert judged(green, "p.py") == "healed"
    assert judged({**green, "t.py::b": "failed"}, "p.py") == "partly"
    assert judged({**green, "t.py::c": "failed"}, "p.py") == "wrong"
    assert judged({**green, "u.py::x": "failed"}, "p.py") == "partly"
    assert judged(green, "tests/test_p.py") == "wrong"
    assert judged(dict(BROKEN.ended), "p.py") == "wrong"
    assert judged({}, "p.py") == "wrong"


def test_every_case_counts_once() -> None:
    told = tally([Ended(CASE, "healed", exact=True), Ended(CASE, "could_not_look"), Ended(CASE, "unfixable", tokens=5)])
    assert told["cases"] == 3
    assert told["healed"] == told["exact"] == told["could_not_look"] == told["unfixable"] == 1
    assert told["tokens"] == 5
