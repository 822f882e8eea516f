"""One model call as Heal makes it: a durable step, its worst case reserved, retried (LM-5, LM-6, OP-3)."""

from healing.llm.budget import Budget
from healing.llm.errors import ModelError, NoAccess
from healing.llm.prices import worst_case
from healing.llm.protocol import Model, Request, Turn
from healing.llm.retry import PATIENT, Retry
from healing.steps import Json, Steps


async def ask(model: Model, request: Request, steps: Steps, budget: Budget, retry: Retry = PATIENT) -> Turn:
    """The model's reply, or the stored one: a reply that was stored is never paid for again.

    Every attempt holds its own reservation. Raises BudgetSpent, ModelError, UnknownModel.
    """
    dollars, tokens = worst_case(request)
    fresh = announced = False

    async def announce() -> Json:
        nonlocal announced
        announced = True
        return [dollars, tokens]

    async def attempt() -> Turn:
        held = await budget.reserve(dollars, tokens)
        try:
            turn = await model.complete(request)
            budget.settle(held, request.model, turn.usage)
        except ModelError as error:
            if not error.billed:
                budget.release(held)
            raise
        finally:
            budget.forfeit(held)  # does nothing where it was settled or released
        return turn

    async def call() -> Json:
        nonlocal fresh
        fresh = True
        if not announced:  # announced by a process that died before it could store the reply
            budget.lose(dollars, tokens)
        return (await retry.run(attempt)).model_dump(mode="json")

    key = request.key()
    await steps.run("model-reserved", key, announce)
    try:
        turn = Turn.model_validate(await steps.run("model", key, call))
    except NoAccess as error:
        budget.stop(str(error))
        raise
    if not fresh:
        budget.count(request.model, turn.usage)
    return turn
