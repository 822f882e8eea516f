"""Many calls as one batch: half the price, read once, never sent twice, and money held for all of it beforehand."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from healing.llm.anthropic import AnthropicModel
from healing.llm.anthropic_batches import AnthropicBatches, batches_of
from healing.llm.batches import PollPolicy, ask_in_batch
from healing.llm.budget import Budget, BudgetSpent
from healing.llm.errors import ModelError, NoAccess, Unavailable
from healing.llm.prices import cost, price_of
from healing.llm.protocol import Message, Request, Turn, Usage
from healing.steps import Json, MemorySteps
from tests.model_standin import Brain, Reply, Standin, serve
from tests.model_standin.replies import Body

MODEL = "claude-sonnet-5-5"


@dataclass
class Night:
    """A clock that only moves when somebody sleeps."""

    at: float = 0.0
    pauses: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.at += seconds


def request(word: str) -> Request:
    output = Message(role="user", blocks=({"type": "text", "text": f"say {word}"},))
    return Request(model=MODEL, system="rules " * 300, tools=(), trunk=("code",), branch=(output,), effort="low")


WORDS = ("one", "two", "three", "four")
REQUESTS = tuple(map(request, WORDS))


def echo(body: Body, _number: int) -> Reply:
    word = body["messages"][-1]["content"][-1]["text"].removeprefix("say ")
    if word == "two":
        return Reply.broken("status", error_type="overloaded_error", message="too much to do")
    if word == "three":
        return Reply.broken("hang")
    return Reply.text(word)


@dataclass
class Desk:
    """A stand-in, its client and one run."""

    standin: Standin
    batches: AnthropicBatches
    steps: MemorySteps = field(default_factory=MemorySteps)
    budget: Budget = field(default_factory=lambda: Budget(10.0))
    night: Night = field(default_factory=Night)

    async def ask(self, requests: tuple[Request, ...] = REQUESTS, **limits: float) -> dict[str, Turn]:
        poll_policy = PollPolicy(now=self.night.now, sleep=self.night.sleep, **limits)
        return await ask_in_batch(self.batches, requests, self.steps, self.budget, poll_policy)


@asynccontextmanager
async def desk(brain: Brain = echo, polls: int = 2) -> AsyncIterator[Desk]:
    async with serve(brain) as standin:
        standin.batches.polls = polls
        model = AnthropicModel(MODEL, standin.key, standin.url)
        try:
            yield Desk(standin, AnthropicBatches(model))
        finally:
            await model.close()


# LM-4
async def test_replies_are_distinguished_by_their_key_and_what_failed_is_missing() -> None:
    async with desk() as one:
        turns = await one.ask()
    assert {key: turn.text for key, turn in turns.items()} == {REQUESTS[0].key(): "one", REQUESTS[3].key(): "four"}
    (batch,) = one.standin.batches.batches.values()
    assert {line["result"]["type"] for line in batch.lines} == {"succeeded", "errored", "expired"}


# LM-4, LM-6
async def test_a_batch_costs_half_and_what_did_not_come_costs_nothing() -> None:
    async with desk() as one:
        turns = await one.ask()
    whole = sum(cost(MODEL, turn.usage.model_copy(update={"batched": False})) for turn in turns.values())
    assert one.budget.spending.dollars == pytest.approx(whole / 2)
    assert one.budget.spending.calls == 2
    assert price_of(MODEL).dollars(Usage(output_tokens=1000, batched=True)) == pytest.approx(0.005)
    await one.budget.reserve(10.0 - whole / 2 - 1e-9, 0)  # nothing is held any more


# LM-6
async def test_without_room_for_the_whole_batch_nothing_is_sent() -> None:
    async with desk() as one:
        one.budget = Budget(0.3)
        with pytest.raises(BudgetSpent):
            await one.ask()
        assert not one.standin.batches.batches
        assert len(await one.ask(REQUESTS[:1])) == 1


# LM-4
async def test_looks_get_rarer_until_the_batch_has_ended() -> None:
    async with desk(polls=12) as one:
        assert len(await one.ask()) == 2
    assert one.night.pauses == sorted(one.night.pauses)
    assert len(one.night.pauses) == 11
    assert (one.night.pauses[0], one.night.pauses[-1]) == (5.0, 120.0)


# LM-4
async def test_a_batch_that_takes_too_long_is_cancelled_and_its_requests_are_left_to_others() -> None:
    async with desk(polls=10_000) as one:
        assert await one.ask(deadline=600.0) == {}
    (batch,) = one.standin.batches.batches.values()
    assert batch.cancelled
    assert one.budget.spending.dollars == 0


class Dying(MemorySteps):
    """Steps of a process that dies at one of them, before or after the work was done."""

    def __init__(self, kind: str, after: bool) -> None:
        super().__init__()
        self.kind, self.after, self.alive = kind, after, False

    async def run(self, kind: str, key: Json, fn) -> Json:  # type: ignore[no-untyped-def]
        if kind == self.kind and not self.alive:
            if self.after:
                await fn()
            raise SystemError("killed")
        return await super().run(kind, key, fn)


# LM-4, OP-3
@pytest.mark.parametrize(("kind", "after"), [("batch", True), ("batch", False), ("batch-results", True)])
async def test_a_run_that_was_killed_pays_for_its_batch_once(kind: str, after: bool) -> None:
    async with desk() as one:
        steps = one.steps = Dying(kind, after)
        with pytest.raises(SystemError):
            await one.ask()
        steps.alive = True
        one.budget = Budget(10.0)
        turns = await one.ask()
        again = await one.ask()
    assert {turn.text for turn in turns.values()} == {"one", "four"} == {turn.text for turn in again.values()}
    assert len(one.standin.batches.batches) == 1, "it was sent once"


# LM-4, OP-3
async def test_results_are_read_once_and_read_back_at_no_cost() -> None:
    async with desk() as one:
        await one.ask()
        first = one.budget.spending
        one.budget = Budget(10.0, before=first.dollars)
        await one.ask()
        assert one.standin.batches.read == 1
        assert one.budget.spending.dollars == pytest.approx(first.dollars)
        await one.budget.reserve(10.0 - first.dollars - 1e-9, 0)


# LM-4
async def test_a_batch_whose_receipt_was_lost_is_found_again() -> None:
    async with desk() as one:
        await one.batches.start({"other": request("five")})  # somebody else's, of another size
        one.standin.batches.silent = True
        turns = await one.ask()
        assert {turn.text for turn in turns.values()} == {"one", "four"}
        assert len(one.standin.batches.batches) == 2


# LM-4, LM-5
async def test_a_wrong_key_ends_the_runs_spending() -> None:
    async with desk() as one:
        one.standin.key = "another"
        with pytest.raises(NoAccess):
            await one.ask()
        with pytest.raises(BudgetSpent):
            await one.budget.reserve(0.01, 1)


# LM-4
async def test_where_nobody_answers_the_caller_is_informed() -> None:
    async with desk() as one:
        pass
    with pytest.raises(Unavailable):
        await one.ask(deadline=60.0)


# LM-4
async def test_the_stand_in_is_as_strict_as_the_vendor() -> None:
    async with desk() as one:
        with pytest.raises(ModelError, match="custom_id"):
            await one.batches.start({"not allowed!": REQUESTS[0]})
        with pytest.raises(ModelError, match="1 to"):
            await one.batches.start({})
        batch = await one.batches.start({"k": REQUESTS[0]})
        with pytest.raises(ModelError):
            await one.batches.results(batch)


def test_other_providers_have_no_batches() -> None:
    class Other:
        name = "x"

        async def complete(self, request: Request) -> Turn:
            raise NotImplementedError

    assert batches_of(Other()) is None
