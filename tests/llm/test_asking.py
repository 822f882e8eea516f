"""A model call as a durable step: stored, reserved, retried; the clock and the dice are handed in."""

import asyncio
from dataclasses import dataclass, field

import pytest

from healing.llm.asking import ask
from healing.llm.budget import Budget, BudgetSpent
from healing.llm.errors import NoAccess, Rejected, Unavailable
from healing.llm.prices import worst_case
from healing.llm.retry import Retry
from healing.llm.usage_records import Booking
from healing.model import Spending
from healing.steps import MemorySteps
from tests.llm.test_anthropic import model_of, question
from tests.model_standin import Brain, Fault, Reply, Standin, scripted, serve


@dataclass
class Clock:
    """A clock that only sleeping moves."""

    time: float = 0.0
    slept: list[float] = field(default_factory=list)

    def retry(self, **more: float) -> Retry:
        return Retry(jitter=lambda: 1.0, now=lambda: self.time, sleep=self.sleep, **more)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds


OVERLOADED = Reply.broken("status", status=529, error_type="overloaded_error", message="Overloaded")


async def asking(brain: Brain, clock: Clock, budget: Budget, **more: float) -> Standin:
    async with serve(brain) as standin:
        model = model_of(standin)
        try:
            await ask(model, question(), MemorySteps(), budget, clock.retry(**more))
        finally:
            await model.close()
    return standin


# LM-5
async def test_overload_is_retried_with_growing_pauses() -> None:
    clock = Clock()
    standin = await asking(scripted(OVERLOADED, OVERLOADED, OVERLOADED, Reply.text("ok")), clock, Budget(1))
    assert [exchange.status for exchange in standin.asked] == [529, 529, 529, 200]
    assert clock.slept == [0.5, 1.0, 2.0]


# LM-2, LM-5
async def test_an_attempt_that_takes_too_long_is_ended_and_made_again() -> None:
    clock = Clock()
    silent = Reply(fault=Fault("hang", seconds=30))
    budget = Budget(1)
    standin = await asking(scripted(silent, Reply.text("ok")), clock, budget, attempt_seconds=0.3)
    assert len(standin.asked) == 2
    assert budget.spending.lost == 1  # it may have been billed


# LM-6
async def test_every_answered_call_is_booked_also_when_it_is_read_back() -> None:
    booked: list[Booking] = []

    class Books:
        async def book(self, booking: Booking) -> None:
            booked.append(booking)

    steps = MemorySteps()
    async with serve(scripted(OVERLOADED, Reply.text("ok"))) as standin:
        model = model_of(standin)
        for _ in range(2):
            await ask(model, question(), steps, Budget(5, usage_records=Books()), Clock().retry())
        await model.close()
    assert booked[0] == booked[1]
    assert booked[0].key == question().key()
    assert 0 < booked[0].dollars < 0.1


# LM-5
async def test_retry_after_is_obeyed_within_the_deadline() -> None:
    clock = Clock()
    limited = Reply(fault=Fault("status", 429, "rate_limit_error", "slow down", {"retry-after": "90"}))
    await asking(scripted(limited, Reply.text("ok")), clock, Budget(1))
    assert clock.slept == [90.0]


# LM-5
async def test_a_retry_after_beyond_the_deadline_gives_up_at_once() -> None:
    clock = Clock()
    limited = Reply(fault=Fault("status", 429, "rate_limit_error", "slow down", {"retry-after": "3600"}))
    with pytest.raises(Unavailable, match="slow down"):
        await asking(scripted(limited, Reply.text("ok")), clock, Budget(1), deadline=600)
    assert clock.slept == []


# LM-5
async def test_attempts_are_bounded() -> None:
    clock = Clock()
    with pytest.raises(Unavailable, match="4 attempts"):
        await asking(scripted(OVERLOADED for _ in range(9)), clock, Budget(1))
    assert len(clock.slept) == 3


# LM-5
async def test_a_request_that_is_wrong_is_sent_once() -> None:
    bad = Reply.broken("status", status=400, error_type="invalid_request_error", message="no")
    budget = Budget(1)
    with pytest.raises(Rejected):
        await asking(scripted(bad, Reply.text("ok")), Clock(), budget)
    assert budget.spending == Spending()


# LM-6
async def test_a_dropped_reply_keeps_its_reservation_spent_and_an_overload_does_not() -> None:
    budget = Budget(5)
    await asking(scripted(Reply.broken("drop"), OVERLOADED, Reply.text("ok")), Clock(), budget)
    assert budget.spending.lost == 1
    assert budget.spending.calls == 1
    assert worst_case(question())[0] < budget.spending.dollars < worst_case(question())[0] * 1.2


# LM-6
async def test_a_call_that_does_not_fit_the_budget_is_not_made() -> None:
    budget = Budget(0.01)
    async with serve(scripted(Reply.text("ok"))) as standin:
        model = model_of(standin)
        with pytest.raises(BudgetSpent):
            await ask(model, question(), MemorySteps(), budget, Clock().retry())
        assert standin.asked == []


# LM-5
async def test_a_refused_key_stops_the_whole_runs_spending() -> None:
    budget = Budget(5)
    with pytest.raises(NoAccess):
        await asking(scripted(Reply.broken("status", status=401, error_type="authentication_error")), Clock(), budget)
    with pytest.raises(BudgetSpent, match="refused this account"):
        await budget.reserve(0, 0)


# OP-3, LM-6
async def test_a_stored_reply_is_read_back_and_counted_but_not_asked_for_again() -> None:
    steps, again = MemorySteps(), Budget(5)
    async with serve(scripted(Reply.text("ok"))) as standin:
        model = model_of(standin)
        first, budget = Budget(5), Budget(5)
        turn = await ask(model, question(), steps, first, Clock().retry())
        assert await ask(model, question(), steps, again, Clock().retry()) == turn
        await model.close()
        assert len(standin.asked) == 1
    assert budget.spending == Spending()
    assert again.spending == first.spending
    assert again.spending.lost == 0


# OP-3, LM-6
@pytest.mark.parametrize("deaths", [1, 2])
async def test_a_call_in_flight_at_a_crash_is_made_once_more_and_its_reservation_stays_spent(deaths: int) -> None:
    steps, budget, later = MemorySteps(), Budget(5), Budget(5)
    reached = asyncio.Event()

    async def crash(body: object, n: int) -> None:
        if len(standin.asked) <= deaths:
            reached.set()
            await asyncio.sleep(30)

    async with serve(scripted(Reply.text("ok")), before=crash) as standin:
        model = model_of(standin)
        for _ in range(deaths):
            reached.clear()
            life = asyncio.create_task(ask(model, question(), steps, Budget(5), Clock().retry()))
            await reached.wait()
            life.cancel()
            await asyncio.wait([life])
        turn = await ask(model, question(), steps, budget, Clock().retry())
        assert await ask(model, question(), steps, later, Clock().retry()) == turn  # a third life reads it back
        await model.close()
    assert turn.stop == "end"
    assert budget.spending.lost == deaths
    assert budget.spending.dollars > deaths * worst_case(question())[0]
    assert later.spending == budget.spending
