"""What agents do to one another: conflicts are solved by who came later, what shows up late has a round of its own."""

import json
import re
from types import SimpleNamespace

from healing.llm.anthropic import AnthropicModel
from healing.llm.budget import Budget
from healing.llm.fallback import alone
from healing.model import Outcome
from healing.pipeline.agent_work.model_set import ModelSet
from healing.pipeline.agent_work.rounds import Rounds
from healing.verify.withdrawing import withdraw
from tests.model_standin import oracle, serve
from tests.model_standin.brains import ran, sections, target_of
from tests.model_standin.replies import Body, Brain, Reply, use
from tests.pipeline.bench import Bench, Files, candidate
from tests.repair.agents.folder import cluster_of

NAMES = ("calc", "words", "dates")  # fewer causes would be one cluster
BASE = {f"{name}.py": "def same(it):\n    return it\n" for name in NAMES} | {
    "common.py": "A = 0\nWHO = 'nobody'\nB = 0\n"
}
CHANGE = {f"{name}.py": f"def same(it):\n    return quux_{name}(it)\n" for name in NAMES}


async def healed(bench: Bench, brain: Brain, base: Files, change: Files, *commands: str) -> Outcome:
    async with serve(brain) as standin:
        model = AnthropicModel("claude-sonnet-5-5", standin.key, standin.url)
        outcome = await bench.heal(base, change, *commands, model_set=ModelSet(alone(model), Budget(10.0)))
        await model.close()
    return outcome


def about(body: Body) -> str:
    """The module that the error is in."""
    return str(re.findall(r"^place: (\w+)\.py", sections(body)[target_of(body)], re.M)[0])


def sharing(solves: bool) -> Brain:
    """Each agent cures its own file and puts its name into a common one; told of a conflict it adds its name to who is
    there, or (stubborn) wants its own way again."""

    def brain(body: Body, n: int) -> Reply:
        target = target_of(body)
        name = about(body)
        before = "nobody"
        if ran(body):
            output = json.dumps(body["messages"], ensure_ascii=False)
            before = re.findall(r"accepted before:\\+nA = 0\\+nWHO = '([a-z ]+)'", output)[-1]
        after = f"{before} {name}" if solves and ran(body) else name if not ran(body) else f"{name} {n}"
        edits = [
            {"file": f"{name}.py", "old_string": f"quux_{name}(it)", "new_string": "it"},
            {"file": "common.py", "old_string": f"WHO = '{before}'", "new_string": f"WHO = '{after}'"},
        ]
        return Reply((use("suggest_fix", error_ids=[target], title=f"Mend {name}", explanation="It was torn.",
                          confidence=90, edits=edits),))  # fmt: skip

    return brain


# MQ-2
async def test_agents_whose_fixes_conflict_are_told_in_full_and_solve_it_on_what_was_merged(bench: Bench) -> None:
    outcome = await healed(bench, sharing(solves=True), BASE, CHANGE, "ruff check .")
    assert outcome.verdict == "healed", outcome.unfixables
    assert len(outcome.proposals) == 3
    last = outcome.proposals[-1]
    (common,) = (edit for edit in last.edits if edit.file == "common.py")
    assert all(name in common.new_string for name in NAMES), "nobody's name was lost"
    assert set(last.needs) == {p.id for p in outcome.proposals[:-1]}


# MQ-2
async def test_an_agent_that_never_solves_its_conflict_ends_as_unfixable_and_blocks_nobody(bench: Bench) -> None:
    def brain(body: Body, n: int) -> Reply:
        reply = sharing(solves=True)(body, n)
        if not ran(body):
            return reply
        target = target_of(body)
        name = about(body)
        return Reply((use("report_unfixable", error_ids=[target], tried="a merge", why=f"{name} can't share",
                          advice="Decide who it is."),))  # fmt: skip

    outcome = await healed(bench, brain, BASE, CHANGE, "ruff check .")
    assert outcome.verdict == "partly"
    assert len(outcome.proposals) == 1
    assert sorted(r.how.partition(":")[0] for r in outcome.resolutions) == ["fix", "unfixable", "unfixable"]


# MQ-3
async def test_what_only_shows_when_the_agents_are_done_has_a_round_of_its_own(bench: Bench) -> None:
    base = {
        "calc.py": "RATE = 2\n\n\ndef double(n):\n    return n * RATE\n",
        "words.py": "def shout(word):\n    return word.upper()\n",
        "test_all.py": "from calc import double\nfrom words import shout\n\n\n"
        "def test_double():\n    assert double(4) == 8\n\n\ndef test_shout():\n    assert shout('a') == 'A'\n",
    }
    change = {
        "calc.py": "from words import quux_rate\n\nRATE = 2\n\n\ndef double(n):\n    return n * RATE\n",
        "words.py": "def shout(word):\n    return quux_words(word)\n",
    }
    cures = {"calc.py": ("from words import quux_rate\n\n", ""), "words.py": ("quux_words(word)", "word.upper()")}
    outcome = await healed(bench, oracle(cures), base, change, "python -m pytest -q")
    assert outcome.verdict == "healed", (outcome.unfixables, outcome.resolutions)
    assert [edit.file for proposal in outcome.proposals for edit in proposal.edits] == ["calc.py", "words.py"]
    assert outcome.regressions_prevented == 0


HOUSE_RULES = """\
import pathlib, sys

odd = [name for name in ("calc", "words") if "RATE = 3" in pathlib.Path(f"{name}.py").read_text()]
for name in odd:
    print(f"{name}.py:1:1: error: RATE must be even")
sys.exit(bool(odd))
"""


# AG-7 CK-7
async def test_what_the_fast_phase_fixes_by_the_way_is_no_work_for_the_slow_one(bench: Bench) -> None:
    """The house's rules are simple errors and come first. The test needs both cures, and is never asked about."""
    base = {
        "rules.py": HOUSE_RULES,
        "calc.py": "RATE = 2\n",
        "words.py": "RATE = 2\n",
        "test_all.py": "import calc\nimport words\n\n\ndef test_rates():\n    assert calc.RATE + words.RATE == 4\n",
    }
    change = {"calc.py": "RATE = 3\n", "words.py": "RATE = 3\n"}
    asked: list[str] = []

    def brain(body: Body, n: int) -> Reply:
        name = about(body)
        asked.append(name)
        edits = [{"file": f"{name}.py", "old_string": "RATE = 3", "new_string": "RATE = 2"}]
        return Reply((use("suggest_fix", error_ids=[target_of(body)], title="Even", explanation="The rule.",
                          confidence=90, edits=edits),))  # fmt: skip

    outcome = await healed(bench, brain, base, change, "python rules.py", "python -m pytest -q")
    assert outcome.verdict == "healed"
    assert [cluster.phase for cluster in outcome.clusters] == ["fast", "fast", "slow"]
    assert sorted(asked) == ["calc", "words"]
    (test,) = (error.id for error in outcome.errors if error.test)
    assert {r.error_id: r.how for r in outcome.resolutions}[test] == "cascade:fast"


# AG-12
async def test_nothing_is_offered_of_a_fix_that_its_author_withdrew_and_the_report_says_so(bench: Bench) -> None:
    base = {"calc.py": "def same(it):\n    return it\n\n\ndef other(it):\n    return it\n"}
    change = {"calc.py": "def same(it):\n    return quux(it)\n\n\ndef other(it):\n    return quuz(it)\n"}
    turns = iter(range(9))

    def brain(body: Body, n: int) -> Reply:
        if not body["max_tokens"]:
            return Reply(())
        words = "".join(str(block) for message in body["messages"] for block in message["content"])
        edits = [{"file": "calc.py", "old_string": "quux(it)", "new_string": "it"}]
        reported = {"tried": "a fix", "why": "it is for people to say", "advice": "Decide."}
        way = (
            lambda: use("suggest_fix", error_ids=[target_of(body)], title="Guess", explanation="e", confidence=20,
                        edits=edits),
            lambda: use("withdraw_fix", fix_id=re.findall(r"your fix (\w+) was accepted", words)[-1], why="a guess"),
            lambda: use("report_unfixable", error_ids=["all"], **reported),
        )  # fmt: skip
        return Reply((way[min(next(turns), 2)](),))

    outcome = await healed(bench, brain, base, change, "ruff check .")
    assert (outcome.verdict, outcome.proposals) == ("not-healed", ())
    (report,) = outcome.unfixables
    assert report.tried == "a fix; a fix was accepted and withdrawn by its author: a guess"
    assert set(report.error_ids) == {error.id for error in outcome.errors}


# AG-12, MQ-3
async def test_what_was_taken_for_fixed_by_a_fix_that_its_author_withdrew_has_a_round_of_its_own(bench: Bench) -> None:
    verifier = await bench.verifier({"calc.py": "a = eins()\nb = zwei()\n"}, "ruff check .")
    proposal = (await verifier.submit(candidate(verifier, ("calc.py", "a = eins()\n", "a = 1\n"),
                                                of=lambda e: "`eins`" in e.message))).proposal  # fmt: skip
    assert proposal
    agent_pool = SimpleNamespace(notes={}, reports=())
    rounds = Rounds(SimpleNamespace(verifier=verifier), agent_pool, None, None, print)  # type: ignore[arg-type]
    left = tuple(verifier.errors.values())
    rounds.clusters = (cluster_of(left),)
    assert rounds.new(left, rounds.withdrawn_by_authors()) == ()
    await withdraw(verifier, proposal.id, "it was\na guess", "agent-1")
    assert rounds.new(left, rounds.withdrawn_by_authors()) == left
    assert agent_pool.notes == {
        proposal.error_ids[0]: "The fix 't' was accepted, and then withdrawn by its author: it was a guess"
    }
    assert rounds.withdrawn_by_authors() == [], "each is told once"
