"""Which specialist gets a cluster: four scores from data, learnt success, and a safe generalist below the threshold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.model import Category, CIError, Cluster
from healing.repair.agents.profiles import GENERALIST, Profile, load_profile, of_repository, registry, shipped
from healing.repair.agents.routing import THRESHOLD, WEIGHTS, Record, expected_success, route
from healing.repair.agents.tool_arguments import TOOLS

TWELVE = {
    "security", "refactoring", "performance", "documentation", "dry", "formatting", "test_creation",
    "import_optimization", "test_specialist", "semantic", "architect", "proactive",
}  # fmt: skip


def error(category: Category, code: str | None, message: str, name: str = "E1") -> CIError:
    return CIError(id=name, tool="t", category=category, code=code, message=message, file="a.py", line=1)


def cluster(*errors: CIError) -> Cluster:
    return Cluster(id="C1", causes=(), error_ids=tuple(e.id for e in errors), zone=("a.py",), phase="fast")


def chosen(*errors: CIError, records: dict[str, Record] | None = None) -> tuple[str, ...]:
    return route(cluster(*errors), errors, shipped(), records).chosen


# AG-8
def test_the_twelve_are_files_and_have_tools_that_there_are() -> None:
    assert {profile.name for profile in shipped()} == TWELVE | {GENERALIST}
    assert all(set(profile.tools) <= set(TOOLS) for profile in shipped())


# AG-8
@pytest.mark.parametrize(
    ("found", "specialist"),
    [
        (error(Category.SECURITY, "S602", "subprocess call with shell=True"), "security"),
        (error(Category.LINT, "C901", "`f` is too complex (12 > 10)"), "refactoring"),
        (error(Category.LINT, "PERF401", "Use a list comprehension"), "performance"),
        (error(Category.LINT, "D103", "Missing docstring in public function"), "documentation"),
        (error(Category.LINT, "R0801", "Similar lines in 2 files"), "dry"),
        (error(Category.FORMAT, "E501", "Line too long"), "formatting"),
        (error(Category.TEST, "ERROR", "fixture 'client' not found"), "test_creation"),
        (error(Category.IMPORT, "F821", "Undefined name `parse`"), "import_optimization"),
        (error(Category.TEST, "AssertionError", "assert 1 == 2"), "test_specialist"),
        (error(Category.TYPE, "TS2345", "Argument of type 'string' is not assignable"), "semantic"),
        (error(Category.LINT, "UP035", "`typing.List` is deprecated"), "proactive"),
        (error(Category.SYNTAX, None, "invalid syntax"), GENERALIST),
        (error(Category.LINT, "X999", "a rule that nobody knows"), GENERALIST),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_kind_of_error_goes_to_who_knows_it(found: CIError, specialist: str) -> None:
    assert chosen(found)[0] == specialist


# AG-8
def test_a_decision_tells_all_four_parts_of_everybodys_score() -> None:
    found = error(Category.SECURITY, "S602", "subprocess call with shell=True")
    routing = route(cluster(found), (found,), shipped())
    assert len(routing.scores) == 12
    best = routing.scores[0]
    assert (best.specialist, best.capability, best.specialisation, best.complexity) == ("security", 1.0, 1.0, 1.0)
    assert best.success == load_profile("security").confidence
    assert best.confidence == pytest.approx(0.4 + 0.3 * best.success + 0.2 + 0.1)
    assert sum(WEIGHTS.values()) == pytest.approx(1)


# AG-8
def test_who_fails_too_often_is_not_chosen_any_more() -> None:
    found = error(Category.LINT, "C901", "too complex")
    assert chosen(found) == ("refactoring",)
    assert chosen(found, records={"refactoring": Record(good=0, bad=2)}) == ("refactoring",)  # two say little
    assert chosen(found, records={"refactoring": Record(good=0, bad=40)}) == (GENERALIST,)
    assert chosen(found, records={"refactoring": Record(good=40, bad=10)}) == ("refactoring",)


# AG-8
@given(st.floats(0, 1), st.integers(0, 500), st.integers(0, 500))
def test_expected_success_lies_between_expectation_and_record(expectation: float, good: int, bad: int) -> None:
    mean = expected_success(expectation, Record(good=good, bad=bad))
    share = good / (good + bad) if good + bad else expectation
    assert min(expectation, share) - 1e-9 <= mean <= max(expectation, share) + 1e-9


kinds = st.builds(
    error,
    st.sampled_from(list(Category)),
    st.sampled_from([None, "F821", "S602", "C901", "arg-type", "E0308", "nothing"]),
    st.sampled_from(["undefined name", "deprecated", "assert 1 == 2", "shell injection", ""]),
    st.sampled_from(["E1", "E2", "E3"]),
)


# AG-8, CL-5
@given(st.lists(kinds, min_size=1, max_size=12), st.randoms())
def test_routing_is_the_same_whatever_the_order_and_never_goes_under_the_threshold(errors, random) -> None:  # type: ignore[no-untyped-def]
    routing = route(cluster(*errors), errors, shipped())
    mixed = list(shipped())
    random.shuffle(mixed)
    assert route(cluster(*errors), errors, mixed) == routing
    by_name = {score.specialist: score for score in routing.scores}
    assert 1 <= len(routing.chosen) <= 3
    assert routing.chosen == (GENERALIST,) or all(by_name[n].confidence >= THRESHOLD for n in routing.chosen)
    assert all(0 <= score.confidence <= 1 for score in routing.scores)


OWN = """
purpose = "Repairs migrations."
categories = ["runtime"]
rules = ["MIG*"]
tools = ["read_file", "edit_file", "suggest_fix", "report_unfixable"]
instructions = "Never edit a migration that was released."
[effort]
fast = "low"
slow = "medium"
"""


# AG-8
def test_a_repository_adds_its_own_without_code() -> None:
    files = {".github/heal/specialists/migrations.toml": OWN.encode()}
    own, wrong = of_repository(files, files.get)
    assert (wrong, [p.name for p in own]) == ((), ["migrations"])
    found = error(Category.RUNTIME, "MIG001", "the schema is behind")
    routing = route(cluster(found), (found,), registry(own))
    assert routing.chosen == ("migrations",)


# AG-8, AG-10
@pytest.mark.parametrize(
    ("text", "why"),
    [
        (OWN.replace('"read_file"', '"shell"'), "no tool 'shell'"),
        (OWN.replace("purpose", "porpoise"), "purpose"),
        ("not = [toml", "line 1"),
        ("x" * 20_000, "at most 16384 bytes"),
        (OWN.replace('"runtime"', '"everything"'), "categories"),
    ],
)
def test_a_wrong_file_is_said_and_takes_nothing_away(text: str, why: str) -> None:
    files = {".github/heal/specialists/mine.toml": text.encode()}
    own, wrong = of_repository(files, files.get)
    assert own == ()
    assert why in wrong[0].why
    assert registry(own) == shipped()


# AG-10
def test_a_specialist_with_a_strange_name_is_refused() -> None:
    files = {".github/heal/specialists/a b;c.toml": OWN.encode()}
    own, wrong = of_repository(files, files.get)
    assert own == ()
    assert "letters, digits" in wrong[0].why


# AG-8
def test_a_repositorys_specialist_takes_the_place_of_ours_with_its_name() -> None:
    files = {".github/heal/specialists/security.toml": OWN.encode()}
    own, _ = of_repository(files, files.get)
    assert next(p for p in registry(own) if p.name == "security").purpose == "Repairs migrations."
    assert isinstance(registry(own)[-1], Profile)
    assert registry(own)[-1].name == GENERALIST
