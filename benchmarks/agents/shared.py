"""Many errors of one slip: what it takes until all of them are gone. Whole healings, real pytest, door and checks; the
scripted model knows the cure and hands it in for every error that it was told of."""

import json
from dataclasses import dataclass
from typing import Any

from healing.llm.anthropic import AnthropicModel
from healing.llm.budget import Budget
from healing.llm.fallback import alone
from healing.model import Outcome
from healing.pipeline.agent_work.model_set import ModelSet
from tests.model_standin import Reply, serve, use
from tests.model_standin.brains import sections
from tests.model_standin.replies import Body
from tests.model_standin.reviewers import is_review
from tests.model_standin.rules import blocks_of
from tests.pipeline.bench import Bench

MODEL = "claude-sonnet-5-5"
GOODS = ("book", "radio", "chair", "lamp", "tea", "rope", "soap", "bowl", "coat", "clock", "stamp", "drum")
EACH = 7  # tests in a file
PRICES = f"""\
import decimal


RATES = {{name: rate for rate, name in enumerate({GOODS!r}, 3)}}


def tax(kind, cents):
    rate = RATES[kind]
    return int(decimal.Decimal(cents) * rate / 100)
"""
BASKET = """\
from prices import tax


class Basket:
    def __init__(self):
        self.items = []

    def add(self, kind, cents):
        self.items.append((kind, cents))

    def total(self):
        return sum(self.price(kind, cents) for kind, cents in self.items)

    def price(self, kind, cents):
        return cents + tax(kind, cents)
"""
Slip = tuple[str, str]  # (as it is right, as it is broken) in prices.py
SLIPS: dict[str, Slip] = {
    "a wrong constant": ("* rate / 100)", "* rate / 1000)"),
    "a wrong key": ("RATES[kind]", "RATES[kind.title()]"),
}


def tests_of(kind: str, rate: int) -> str:
    """A test file: each test fills a basket of its own."""
    made = [f"def test_{kind}_{n}():\n    basket = Basket()\n    for n in range({n}):\n"
            f"        basket.add({kind!r}, {n} * 1000)\n    assert basket.total() == {n * n * (1000 + rate * 10)}\n"
            for n in range(1, EACH + 1)]  # fmt: skip
    return "from basket import Basket\n\n\n" + "\n\n".join(made)


FILES = {"prices.py": PRICES, "basket.py": BASKET} | {
    f"tests/test_{kind}.py": tests_of(kind, rate) for rate, kind in enumerate(GOODS, 3)
}


@dataclass(frozen=True)
class Told:
    """What one healing took. `first` is the longest first request of an agent, in bytes of JSON; `opinions` are the
    calls that asked for a second opinion."""

    outcome: Outcome
    agents: int
    first: int
    opinions: int

    @property
    def cured(self) -> set[str]:
        """Ids of the errors that a proposal cures."""
        return {i for proposal in self.outcome.proposals for i in proposal.error_ids}

    def row(self, name: str) -> dict[str, Any]:
        """As a row of the table."""
        spent = self.outcome.spending
        inwards = spent.input_tokens + spent.cache_write_tokens + spent.cache_read_tokens
        return {
            "measured": f"{len(self.outcome.errors)} errors of {name}",
            "errors": len(self.outcome.errors),
            "cured": len(self.cured),
            "clusters": len(self.outcome.clusters),
            "calls": spent.calls,
            "second opinions": self.opinions,
            "input tokens": inwards,
            "dollars": round(spent.dollars, 4),
            "first request, bytes": self.first,
        }


async def shared(bench: Bench, name: str, files: dict[str, str] | None = None) -> Told:
    """One slip of SLIPS healed."""
    right, broken = SLIPS[name]
    files = files or FILES
    change = {"prices.py": files["prices.py"].replace(right, broken)}

    def brain(body: Body, _number: int) -> Reply:
        if not body["max_tokens"]:
            return Reply(())
        done = sum(b["type"] == "tool_use" for m in body["messages"] for b in blocks_of(m["content"]))
        edit = {"file": "prices.py", "old_string": broken, "new_string": right}
        way = (
            use("read_file", file="prices.py", first_line=1, last_line=0),
            use("edit_file", **edit),
            use("suggest_fix", error_ids=list(sections(body)), title="Repair it", explanation="The slip is undone.",
                confidence=90, edits=[]),
        )  # fmt: skip
        return Reply((way[min(done, len(way) - 1)],))

    async with serve(brain) as standin:
        model = AnthropicModel(MODEL, standin.key, standin.url)
        try:
            model_set = ModelSet(alone(model), Budget(20.0))
            outcome = await bench.heal(files, change, "python -m pytest -q tests", model_set=model_set)
        finally:
            await model.close()
        first = [body for one in standin.asked if _begins_an_agent(body := one.body)]
        opinions = sum(is_review(one.body) for one in standin.asked)
    return Told(outcome, len(first), max((len(json.dumps(body)) for body in first), default=0), opinions)


def _begins_an_agent(body: Body) -> bool:
    """Whether it is an agent's first request: neither one that only warms the cache, nor a second opinion's."""
    return len(body["messages"]) == 1 and bool(body["max_tokens"]) and not is_review(body)
