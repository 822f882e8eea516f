"""Two models on the same hard errors at once: the best proven fix is accepted, of equal ones the smaller."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence

from healing.model import Category, CIError, Proposal, Unfixable, content_id
from healing.repair.agents.strategies.attempt import merged_result
from healing.repair.agents.task import AgentResult, AgentTask
from healing.verify.verdict import Verdict

HARD = frozenset({Category.TYPE, Category.TEST, Category.RUNTIME})
Side = Callable[[], Coroutine[None, None, AgentResult]]  # one model's work
Take = Callable[[int, Proposal], Awaitable[Verdict]]  # submits a proven fix of the model with that number
ADVICE = "Retry: it is worked on again on top of what was accepted."


def is_hard(errors: Iterable[CIError]) -> bool:
    """Whether one of the errors is hard: a type error, or about what the code does."""
    return any(error.category in HARD for error in errors)


async def compare_two_models(task: AgentTask, sides: Sequence[Side], take: Take) -> AgentResult:
    """The combined results of the sides. Each side only proves; the fix that fixes most errors is submitted first, then
    the one that changes least, then the one of the side that is named first. Reports count from the first side that has
    one. Raises what a side raises, and ends the others then."""
    async with asyncio.TaskGroup() as group:
        running = [group.create_task(side()) for side in sides]
    results = [side_task.result() for side_task in running]
    offers = [(number, proposal) for number, result in enumerate(results) for proposal in result.proposals]
    offers.sort(key=lambda offer: (-len(offer[1].error_ids), size(offer[1]), offer[0]))
    accepted: list[Proposal] = []
    refused: dict[str, str] = {}  # error id → why its proven fix could not be taken in
    for number, proposal in offers:
        if set(proposal.error_ids) <= {i for side_task in accepted for i in side_task.error_ids}:
            continue
        verdict = await take(number, proposal)
        accepted += [verdict.proposal] if verdict.proposal else []
        refused |= {} if verdict.proposal else dict.fromkeys(proposal.error_ids, verdict.message)
    reports = [result.model_copy(update={"proposals": ()}) for result in reversed(results)]
    left = tuple(_conflict(error, refused[error]) for error in task.ids() if error in refused)
    return merged_result(task, [AgentResult(proposals=tuple(accepted), unfixables=left), *reports])


def size(proposal: Proposal) -> int:
    """How much a proposal changes: removed and added characters."""
    return sum(len(edit.old_string) + len(edit.new_string) for edit in proposal.edits)


def _conflict(error: str, why: str) -> Unfixable:
    tried = "two models at the same time; a fix was proven, and could not be taken in"
    name = "U" + content_id(error, "conflict", tried, why, length=12)
    return Unfixable(id=name, error_ids=(error,), reason="conflict", tried=tried, why=why[:4000], advice=ADVICE)
