"""One budget for parallel agents: reserved before, settled after, never overshot."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from healing.llm.budget import Budget, BudgetSpent
from healing.llm.prices import UnknownModel, cost, price_of, table, worst_case
from healing.llm.protocol import Usage
from healing.llm.usage_records import Booking
from tests.llm.test_anthropic import question

MODEL = "claude-sonnet-5-5"
MILLION = 1_000_000

call = st.tuples(st.integers(0, 400_000), st.integers(0, 100_000), st.integers(0, 5), st.sampled_from("okdrop"))


# LM-6
@settings(max_examples=150, deadline=None)
@given(st.lists(call, max_size=20), st.floats(0, 6), st.integers(0, 3_000_000), st.integers(1, 8))
def test_parallel_agents_never_overshoot(
    calls: list[tuple[int, int, int, str]], dollars: float, tokens: int, agents: int
) -> None:
    budget = Budget(dollars, tokens)

    async def agent(mine: list[tuple[int, int, int, str]]) -> None:
        for worst, real, pauses, ending in mine:
            held = await budget.reserve(cost(MODEL, Usage(output_tokens=worst)), worst)
            for _ in range(pauses):
                await asyncio.sleep(0)
                assert budget.spending.dollars <= dollars + 1e-9
            if ending == "o":
                budget.settle(held, MODEL, Usage(output_tokens=min(real, worst)))
            elif ending == "k":
                budget.release(held)
            else:
                budget.count_as_spent(held)

    async def run() -> None:
        async with asyncio.timeout(20):
            await asyncio.gather(*(agent(calls[n::agents]) for n in range(agents)), return_exceptions=True)

    asyncio.run(run())
    used = budget.spending.output_tokens
    assert budget.spending.dollars <= dollars + 1e-9
    assert used <= tokens


# LM-6
async def test_a_call_waits_for_room_that_another_may_leave() -> None:
    budget = Budget(1.0)
    held = await budget.reserve(0.8, 10)
    waiting = asyncio.create_task(budget.reserve(0.8, 10))
    await asyncio.sleep(0)
    assert not waiting.done()
    budget.settle(held, MODEL, Usage(output_tokens=1000))
    assert (await waiting).dollars == 0.8


# LM-6
async def test_a_spent_budget_says_what_was_spent_and_what_to_do() -> None:
    budget = Budget(1.0)
    budget.settle(await budget.reserve(0.9, 10), MODEL, Usage(output_tokens=90_000))
    with pytest.raises(BudgetSpent, match=r"\$0.90 of this run's \$1.00 are spent.*Raise the budget"):
        await budget.reserve(0.2, 10)


# LM-6
async def test_what_was_spent_before_takes_room_and_what_is_read_back_takes_none() -> None:
    budget = Budget(1.0, before=0.5, whose="this pull request's")
    budget.count(MODEL, Usage(output_tokens=50_000))  # $0.50, read back: it is in `before`
    assert budget.spending.dollars == pytest.approx(0.5)
    budget.release(await budget.reserve(0.5, 10))
    with pytest.raises(BudgetSpent, match=r"\$0.50 of this pull request's \$1.00 are spent"):
        await budget.reserve(0.6, 10)


# LM-6
async def test_those_who_wait_are_refused_once_the_money_is_gone() -> None:
    budget = Budget(1.0)
    held = await budget.reserve(0.8, 10)
    waiting = asyncio.create_task(budget.reserve(0.8, 10))
    await asyncio.sleep(0)
    budget.count_as_spent(held)
    with pytest.raises(BudgetSpent):
        await waiting
    assert budget.spending.lost == 1


async def test_a_stopped_run_refuses_everybody() -> None:
    budget = Budget(None)
    held = await budget.reserve(5.0, 1)
    budget.stop("the provider refused the key")
    with pytest.raises(BudgetSpent, match="refused the key"):
        await budget.reserve(0.0, 0)
    budget.release(held)


# LM-6
def test_an_unknown_model_is_refused_and_not_billed_as_zero() -> None:
    with pytest.raises(UnknownModel, match="no price for the model 'mystery-1'"):
        cost("mystery-1", Usage(input_tokens=5))
    with pytest.raises(UnknownModel):
        worst_case(question(model="mystery-1"))


# LM-6
def test_prices_are_data_with_a_date() -> None:
    assert table().checked.year >= 2026
    usage = Usage(
        input_tokens=MILLION,
        write_5m_tokens=MILLION,
        write_1h_tokens=MILLION,
        cache_read_tokens=MILLION,
        output_tokens=MILLION,
    )
    assert cost(MODEL, usage) == pytest.approx(2 + 2.5 + 4 + 0.1 + 10)


def test_a_long_prompt_pays_the_higher_step_for_every_token() -> None:
    assert price_of("claude-haiku-5-5", 100_000).input == 0.5
    assert cost("claude-haiku-5-5", Usage(input_tokens=50_000)) == pytest.approx(0.005)
    assert cost("claude-haiku-5-5", Usage(input_tokens=60_000, cache_read_tokens=60_000)) == pytest.approx(0.033)


# LM-6
@settings(max_examples=100)
@given(st.text(), st.sampled_from([row.model for row in table().price]), st.integers(0, 16_000), st.floats(0, 1))
def test_the_worst_case_is_never_below_the_cost(words: str, model: str, out: int, part: float) -> None:
    request = question(words + "x", model=model)
    most = len((request.system + "".join(request.trunk) + words).encode())  # a token is at least a byte
    written = int(most * part)
    usage = Usage(input_tokens=most - written, write_5m_tokens=written, output_tokens=out)
    dollars, tokens = worst_case(request)
    assert cost(model, usage) <= dollars + 1e-12
    assert usage.prompt_tokens + out <= tokens


class Books:
    """Of a run that two workers are at."""

    def __init__(self, **rows: float) -> None:
        self.rows = rows

    async def book(self, booking: Booking) -> None:
        self.rows[booking.key] = booking.dollars

    async def booked(self) -> dict[str, float]:
        return dict(self.rows)


# LM-6
async def test_what_is_lent_to_another_worker_is_held_and_what_it_spent_is_gone_afterwards() -> None:
    books = Books(old=0.25)
    budget = Budget(1.0, before=0.25, usage_records=books, known=frozenset({"old"}))
    assert budget.share(2) == pytest.approx(0.25)
    async with budget.reserved_for_worker(0.5):
        waiting = asyncio.create_task(budget.reserve(0.5, 10))
        await asyncio.sleep(0)
        assert not waiting.done(), "the other worker may still spend all of it"
        books.rows["theirs"] = 0.1
        budget.made("mine")
        books.rows["mine"] = 0.2  # it was counted when it was settled
    budget.release(await waiting)
    assert budget.share(0) == pytest.approx(0.65)
    with pytest.raises(BudgetSpent, match=r"\$0.35 of this run's \$1.00 are spent"):
        await budget.reserve(0.66, 10)


# LM-6
async def test_a_borrowed_part_is_not_had_twice_by_a_worker_that_was_killed_and_begins_again() -> None:
    budget = Budget(0.5, borrowed=True)
    budget.read_back(MODEL, Usage(output_tokens=20_000), lost=0.2)  # $0.20, and one call that never came back
    with pytest.raises(BudgetSpent, match=r"\$0.40 of"):
        await budget.reserve(0.2, 10)
