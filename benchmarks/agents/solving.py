"""Whether what can be solved is solved, and what can't be is said to be so: whole healings, real door and checks.

The scripted model knows the right edits, or an honest report where there is none; a second one cheats."""

import re
from dataclasses import dataclass
from typing import Any

from benchmarks.agents.tasks import TASKS, Task
from healing.edits.exact import EditError, apply_edits
from healing.llm.anthropic import AnthropicModel
from healing.llm.budget import Budget
from healing.llm.fallback import alone
from healing.model import Outcome
from healing.pipeline.agent_work.model_set import ModelSet
from tests.model_standin import Brain, Reply, serve, use
from tests.model_standin.brains import ran, sections, target_of
from tests.model_standin.replies import Body
from tests.model_standin.reviewers import is_review
from tests.pipeline.bench import Bench
from tests.repair.agents.test_impossible import Cheat, heal_all, honest

MODEL = "claude-sonnet-5-5"


@dataclass(frozen=True)
class Solved:
    """Of some repositories: how many errors there were and are cured, and proposals that are not the known cure.
    `calls` and `tokens` (all that went in and out) are the models', `opinions` the calls for second opinions."""

    errors: int
    cured: int
    unfixable: int
    wrong: int
    calls: int
    tokens: int
    opinions: int
    cached: float

    def row(self, name: str) -> dict[str, Any]:
        """As a row of the table."""
        return {
            "measured": name,
            "errors": self.errors,
            "cured": self.cured,
            "unfixable": self.unfixable,
            "wrong": self.wrong,
            "calls per error": round(self.calls / max(self.errors, 1), 2),
            "second opinions per error": round(self.opinions / max(self.errors, 1), 2),
            "tokens per error": round(self.tokens / max(self.errors, 1)),
            "cached %": round(100 * self.cached, 1),
        }


async def solvable(bench: Bench, tasks: tuple[Task, ...] = TASKS, *, reads_all: bool = True) -> Solved:
    """Every repository healed by itself, with a model that knows its cure and `reads_all`, or only what it isn't
    shown."""
    done = [await _solved(bench, task, reads_all) for task in tasks]
    weight = sum(one.tokens for one in done)
    return Solved(
        errors=sum(one.errors for one in done),
        cured=sum(one.cured for one in done),
        unfixable=sum(one.unfixable for one in done),
        wrong=sum(one.wrong for one in done),
        calls=sum(one.calls for one in done),
        tokens=weight,
        opinions=sum(one.opinions for one in done),
        cached=sum(one.cached * one.tokens for one in done) / max(weight, 1),
    )


def knowing(task: Task, reads_all: bool) -> Brain:
    """A model that knows the cure and goes the long way: read, edit, check, and hand in for all that is open. One that
    does not `reads_all` leaves out the reading where the first message shows the lines that it replaces."""
    (file, (old, new)), *_ = task.cures.items()

    def brain(body: Body, _number: int) -> Reply:
        if not body["max_tokens"]:
            return Reply(())
        ids = list(sections(body))
        reported = {"title": "Repair it", "explanation": "The cause is removed.", "confidence": 90}
        is_read = reads_all or not _shows(body, old)
        way = (
            *((use("read_file", file=file, first_line=1, last_line=0),) if is_read else ()),
            use("edit_file", file=file, old_string=old, new_string=new),
            use("run_check", error_ids=[target_of(body)]),
            use("suggest_fix", error_ids=ids, edits=[], **reported),
        )
        return Reply((way[min(ran(body), len(way) - 1)],))

    return brain


def _shows(body: Body, text: str) -> bool:
    """Whether the first message shows `text`, with the numbers of its lines or without."""
    shown = "\n".join(block["text"] for block in body["messages"][0]["content"])
    return text in re.sub(r"^\d+\t", "", shown, flags=re.MULTILINE)


async def _solved(bench: Bench, task: Task, reads_all: bool) -> Solved:
    async with serve(knowing(task, reads_all)) as standin:
        model = AnthropicModel(MODEL, standin.key, standin.url)
        try:
            model_set = ModelSet(alone(model), Budget(10.0))
            outcome = await bench.heal({"README.md": "x\n"}, task.files, "python -m pytest -q", model_set=model_set)
        finally:
            await model.close()
        wrong = sum(not _right(task, outcome, n) for n in range(len(outcome.proposals)))
        return _judged(outcome, wrong, standin.cached_share(), sum(is_review(one.body) for one in standin.asked))


def _right(task: Task, outcome: Outcome, number: int) -> bool:
    """Whether a proposal is the known cure, byte by byte."""
    files = {path: text.encode() for path, text in task.files.items()}
    try:
        changes = apply_edits(outcome.proposals[number].edits, files.get)
    except EditError:
        return False
    return all(path in files and data == task.cured(path).encode() for path, data in changes.items())


async def impossible(bench: Bench, cheating: bool = False) -> Solved:
    """The seeded tasks that no change solves, with an honest model or with one that hands in hacks. Every accepted
    proposal is wrong."""
    outcome = await heal_all(bench, Cheat() if cheating else honest)
    return _judged(outcome, len(outcome.proposals))


def _judged(outcome: Outcome, wrong: int, cached: float = 0.0, opinions: int = 0) -> Solved:
    spent = outcome.spending
    inwards = spent.input_tokens + spent.cache_read_tokens + spent.cache_write_tokens
    fixed = {i for proposal in outcome.proposals for i in proposal.error_ids}
    reported = {i for report in outcome.unfixables for i in report.error_ids}
    return Solved(
        errors=len(outcome.errors),
        cured=len(fixed),
        unfixable=len(reported - fixed),
        wrong=wrong,
        calls=spent.calls,
        tokens=inwards + spent.output_tokens,
        opinions=opinions,
        cached=cached or spent.cache_read_tokens / max(inwards, 1),
    )
