"""The judge of healed cases asks pytest alone, and nothing that touches a test or breaks another is healed."""

from dataclasses import replace

from benchmarks.heal.cases import Case, Change
from benchmarks.heal.judge import Seen, verdict
from benchmarks.heal.tally import Ended, of_a_fix, shares, tally

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


# AF-5
def test_a_file_that_can_be_collected_again_is_a_step_though_not_all_of_its_tests_pass() -> None:
    case = replace(CASE, failing=("u.py",))
    whole, broken = Seen({"u.py::x": "passed", "u.py::y": "passed"}), Seen({"u.py": "failed"})
    some, none = {"u.py::x": "passed", "u.py::y": "failed"}, {"u.py::x": "failed", "u.py::y": "failed"}
    assert verdict(case, frozenset({"p.py"}), whole, broken, Seen(some))[0] == "partly"
    assert verdict(case, frozenset({"p.py"}), whole, broken, Seen(none))[0] == "wrong"


def test_every_case_counts_once() -> None:
    reported = tally(
        [Ended(CASE, "healed", exact=True), Ended(CASE, "could_not_look"), Ended(CASE, "unfixable", tokens=5)]
    )
    assert reported["cases"] == 3
    assert reported["healed"] == reported["exact"] == reported["could_not_look"] == reported["unfixable"] == 1
    assert reported["tokens"] == 5


def test_shares_have_intervals_and_a_fix_its_price() -> None:
    hopeless = replace(CASE, solvable=False)
    ended = [
        *[Ended(CASE, "healed", calls=2, tokens=100, dollars=0.5, seconds=60)] * 3,
        Ended(CASE, "wrong", calls=4, dollars=0.5, seconds=60, tampered=2),
        Ended(CASE, "could_not_look"),
        Ended(CASE, "unfixable"),
        Ended(hopeless, "unfixable"),
    ]
    reported = shares(ended)
    assert (reported["healed_pct"], reported["wrong_pct"], reported["unfixable_right_pct"]) == (50.0, 16.7, 50.0)
    assert reported["healed_low"] == 18.8, "3 of 6 after Wilson"
    assert reported["healed_high"] == 81.2
    assert tally(ended)["tampered"] == 2
    assert of_a_fix(ended) == {"calls_a_fix": 3.3333, "tokens_a_fix": 100, "usd_a_fix": 0.6667, "minutes_a_fix": 1.3333}
    assert shares([])["healed_pct"] is None
    assert of_a_fix([])["usd_a_fix"] is None


# AF-5
def test_a_test_that_nothing_could_run_before_is_revealed_and_one_that_ran_is_broken() -> None:
    """As the proof has it: one file that can't be collected stops pytest before it runs a test of any other."""
    whole = Seen({**WHOLE.ended, "v.py::z": "passed"})
    stopped = Seen({"u.py": "failed"})
    revealed = {"t.py::a": "passed", "t.py::b": "passed", "u.py::x": "passed", "v.py::z": "failed"}

    def how(broken: Seen, healed: dict[str, str]) -> tuple[str, str]:
        return verdict(CASE, frozenset({"p.py"}), whole, broken, Seen(healed))

    assert how(stopped, revealed)[0] == "partly"
    assert how(Seen({}), revealed)[0] == "partly", "pytest did not even start"
    went_on = Seen({"u.py": "failed", "v.py::z": "passed"})
    assert how(went_on, revealed) == ("wrong", "v.py::z is red and was not")
    assert how(Seen({"t.py::a": "failed"}), revealed) == ("wrong", "v.py::z is red and was not")
    uncollected = {"t.py::a": "passed", "t.py::b": "passed", "v.py": "failed"}
    assert how(stopped, uncollected) == ("wrong", "v.py is red and was not"), "pytest tries to collect every file"
