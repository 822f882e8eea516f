"""After an accepted fix all open errors are judged again: what is gone is nobody's work any more."""

from dataclasses import dataclass

from healing.llm.anthropic import AnthropicModel
from healing.llm.budget import Budget
from healing.llm.fallback import alone
from healing.model import Outcome
from healing.pipeline.again import fixed_by_now, still_shown_on
from healing.pipeline.agent_work.model_set import ModelSet
from healing.steps import MemorySteps
from tests.model_standin import serve
from tests.model_standin.brains import sections, target_of, trunk_of
from tests.model_standin.replies import Body, Brain, Reply, use
from tests.model_standin.reviewers import is_review
from tests.pipeline.bench import Bench, Files, candidate

PYTEST = "python -m pytest -q"
SHOP = "def price(cents):\n    return cents * 2\n\n\ndef label(name):\n    return name.upper()\n"
WRONG_PRICE, WRONG_LABEL = ("cents * 2", "cents * 3"), ("name.upper()", "name.lower()")


def about(function: str, name: str, count: int) -> str:
    calls = {"price": "price({n}) == {n} * 2", "label": "label('a{n}') == 'A{n}'"}[function]
    return "".join(f"\n\ndef test_{name}_{n}():\n    assert {calls.format(n=n)}\n" for n in range(1, count + 1))


IMPORT = "from shop import label, price\n"
BASE = {
    "shop.py": SHOP,
    "test_a.py": IMPORT + about("price", "a", 7),
    "test_b.py": IMPORT + about("price", "b", 4) + about("label", "bb", 3),
    "test_c.py": IMPORT + about("price", "c", 7),
}


@dataclass
class Played:
    outcome: Outcome
    openings: list[Body]
    asked: int


async def played(bench: Bench, brain: Brain, base: Files, change: Files, steps: MemorySteps | None = None) -> Played:
    async with serve(brain) as standin:
        model = AnthropicModel("claude-sonnet-5-5", standin.key, standin.url)
        model_set = ModelSet(alone(model), Budget(10.0))
        outcome = await bench.heal(base, change, PYTEST, model_set=model_set, steps=steps)
        await model.close()
        bodies = [one.body for one in standin.asked if one.body["max_tokens"] and not is_review(one.body)]
    return Played(outcome, [body for body in bodies if len(body["messages"]) == 1], len(standin.asked))


def broken(*slips: tuple[str, str]) -> Files:
    text = SHOP
    for right, wrong in slips:
        text = text.replace(right, wrong)
    return {"shop.py": text}


def knowing(body: Body, _number: int) -> Reply:
    """Undoes the slip that the target's test is about."""
    if not body["max_tokens"]:
        return Reply(())
    output = sections(body)
    function = "label" if "bb_" in output[target_of(body)] else "price"
    right, wrong = WRONG_LABEL if function == "label" else WRONG_PRICE
    ids = [i for i, text in output.items() if ("bb_" in text) == (function == "label")]
    edits = [{"file": "shop.py", "old_string": wrong, "new_string": right}]
    return Reply((use("suggest_fix", error_ids=ids, title="Undo", explanation="A slip.", confidence=90, edits=edits),))


# AG-11
async def test_one_slip_that_fails_tests_of_several_clusters_is_asked_about_once(bench: Bench) -> None:
    one = await played(bench, knowing, BASE, broken(WRONG_PRICE))
    assert len(one.outcome.clusters) == 3
    assert one.outcome.verdict == "healed"
    assert len(one.openings) == 1, "the others were gone before anybody was asked"
    (fix,) = one.outcome.proposals
    assert len(fix.error_ids) == 18
    assert {r.how for r in one.outcome.resolutions} == {f"fix:{fix.id}"}


# AG-11
async def test_a_cluster_that_waited_begins_with_what_is_left_of_it_on_what_was_accepted(bench: Bench) -> None:
    steps, change = MemorySteps(), broken(WRONG_PRICE, WRONG_LABEL)
    one = await played(bench, knowing, BASE, change, steps)
    assert one.outcome.verdict == "healed"
    first, second = one.openings
    assert "cents * 3" in trunk_of(first)
    assert len(sections(second)) == 3
    assert all("test_bb_" in text for text in sections(second).values())
    assert "cents * 2" in trunk_of(second)
    assert "cents * 3" not in trunk_of(second)
    assert len(one.outcome.proposals) == 2
    again = await played(bench, knowing, BASE, change, steps)  # the run was killed at its end, and is run again
    assert again.asked == 0
    assert [p.id for p in again.outcome.proposals] == [p.id for p in one.outcome.proposals]


# AG-11 CK-7
async def test_what_two_fixes_repair_only_together_counts_as_fixed_once_both_are_accepted(bench: Bench) -> None:
    tests = IMPORT + about("price", "a", 1) + about("label", "b", 1)
    tests += "\n\ndef test_both():\n    assert (price(1), label('a')) == (2, 'A')\n"
    verifier = await bench.verifier({**broken(WRONG_PRICE, WRONG_LABEL), "test_shop.py": tests}, PYTEST)
    names = {(error.test or "").rpartition("_")[2]: error.id for error in verifier.errors.values()}
    for name, (right, wrong) in (("a", WRONG_PRICE), ("b", WRONG_LABEL)):
        of = f"test_{name}_1"
        verdict = await verifier.submit(
            candidate(verifier, ("shop.py", wrong, right), of=lambda e, of=of: (e.test or "").endswith(of)),  # type: ignore[misc]
            on=verifier.trees.head,
        )
        assert verdict.accepted, verdict.message
        gone = await fixed_by_now(verifier, (names["both"],))
        assert gone == (() if name == "a" else (names["both"],))


# AG-11
async def test_an_error_of_a_check_that_can_no_longer_be_read_is_not_taken_for_gone(bench: Bench) -> None:
    check = "import shop, sys\nprint('shop.py:2:1: error: price is wrong')\nsys.exit(shop.price(1) != 2)\n"
    verifier = await bench.verifier({**broken(WRONG_PRICE), "check.py": check}, "python check.py")
    errors = tuple(verifier.errors.values())
    (silent,) = bench.trees({**broken(WRONG_PRICE), "check.py": "import sys\nsys.exit(3)\n"})
    (right,) = bench.trees({"shop.py": SHOP, "check.py": check})
    assert await still_shown_on(verifier, silent, errors) == errors
    assert await still_shown_on(verifier, right, errors) == ()
