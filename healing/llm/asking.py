"""One model call as Heal makes it: a durable step with retries, whose worst case is reserved in the budget."""

from healing.llm.budget import Budget
from healing.llm.errors import ModelError, NoAccess
from healing.llm.prices import cost, worst_case
from healing.llm.protocol import Model, Request, Turn
from healing.llm.retry import PATIENT, Retry
from healing.llm.usage_records import Booking
from healing.spans import span
from healing.steps import Json, Steps


async def ask(model: Model, request: Request, steps: Steps, budget: Budget, retry: Retry = PATIENT) -> Turn:
    """Returns the model's reply, or the stored one: a stored reply is never paid for again. The number of calls that
    were lost before it arrived is stored with it: their reservations stay spent in every replay.

    Every attempt holds its own reservation. Raises BudgetSpent, ModelError, UnknownModel.
    """
    dollars, tokens = worst_case(request)
    key = request.key()
    fresh = False
    lost = 0

    async def attempt() -> Turn:
        nonlocal lost
        held = await budget.reserve(dollars, tokens)
        try:
            turn = await model.complete(request)
            budget.settle(held, request.model, turn.usage)
        except ModelError as error:
            if not error.billed:
                budget.release(held)
            raise
        finally:
            lost += budget.count_as_spent(held)  # no effect if it was settled or released
        return turn

    async def call() -> Json:
        nonlocal fresh, lost
        fresh = True
        lost = await _announce(steps, key, [dollars, tokens])
        for _ in range(lost):
            budget.lose(dollars, tokens)
        with span("model_call", model=request.model) as attributes:
            turn = await retry.run(attempt)
            usage = turn.usage
            attributes |= {"input_tokens": usage.input_tokens, "cache_read_tokens": usage.cache_read_tokens}
            attributes |= {"output_tokens": usage.output_tokens, "lost": lost}
        return {"turn": turn.model_dump(mode="json"), "lost": lost}

    try:
        stored = await steps.run("model", key, call)
    except NoAccess as error:
        budget.stop(str(error))
        raise
    turn = Turn.model_validate(stored["turn"])
    if fresh:
        budget.made(key)
    else:
        budget.read_back(request.model, turn.usage, stored["lost"] * dollars)
        for _ in range(stored["lost"]):
            budget.lose(dollars, tokens)
    # Also for a stored reply: the process that stored it may have died before recording it.
    await budget.usage_records.book(booking_of(key, request.model, turn, stored["lost"], dollars))
    return turn


def booking_of(key: str, model: str, turn: Turn, lost: int, worst: float) -> Booking:
    """The usage record of a reply; `worst` is what each of the `lost` calls before it may have cost."""
    return Booking(
        key=key,
        model=model,
        usage=turn.usage,
        dollars=cost(model, turn.usage) + lost * worst,
        lost=lost,
        seconds=turn.seconds,
        request_id=turn.request_id,
        cache_miss=turn.cache_miss,
    )


async def _announce(steps: Steps, key: Json, worst: Json) -> int:
    """Records that the call is about to be made. Returns how often that was recorded before, each time by a process
    that died before it could store the reply."""
    written_numbers: list[int] = []
    number = 0
    while not written_numbers:

        async def note(number: int = number) -> Json:
            written_numbers.append(number)
            return worst

        await steps.run("model-reserved", [key, number], note)
        number += 1
    return written_numbers[0]
