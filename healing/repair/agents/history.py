"""What earlier runs teach an agent about its cluster, and what it teaches later ones."""

from healing.model import Edit, Frozen
from healing.repair.agents.fences import one_line
from healing.repair.agents.memory import Ended, FailedFix, Lesson, Memory, WorkedFix
from healing.repair.agents.room import within
from healing.repair.agents.routing import Record
from healing.repair.agents.task import AgentResult, AgentTask
from healing.repair.agents.wording import edit_text
from healing.steps import Json, Steps

MESSAGE = 600  # bytes
MOST_EDITS = 6


class Recalled(Frozen):
    """What is remembered for one cluster."""

    failed: tuple[FailedFix, ...] = ()
    worked: tuple[WorkedFix, ...] = ()

    def history(self) -> str:
        """What was tried before and failed, as text for the trunk; empty where there is nothing."""
        return "\n\n".join(
            f"tried by {one_line(one.specialist)}, and refused: {within(one.message, MESSAGE)}\n{edits_text(one.edits)}"
            for one in self.failed
        )

    def examples(self) -> str:
        """What worked on like errors, as text for the trunk."""
        return "\n\n".join(f"{one_line(fix.title)}\n{edits_text(fix.edits)}" for fix in self.worked)


async def remembered(memory: Memory | None, steps: Steps, task: AgentTask) -> AgentTask:
    """The task with what is remembered for its causes: a durable step, so that every life of a run gets the same."""
    if memory is None:
        return task
    causes = task.cluster.causes
    fingerprints = tuple(sorted({cause.fingerprint for cause in causes}))
    shapes = tuple(sorted({cause.shape for cause in causes}))

    async def recall() -> Json:
        recalled = Recalled(failed=await memory.failed(fingerprints), worked=await memory.worked(shapes))
        return recalled.model_dump(mode="json")

    stored = await steps.run("recalled", [task.cluster.id, *fingerprints], recall)
    recalled = Recalled.model_validate(stored)
    return task.model_copy(update={"history": recalled.history(), "examples": recalled.examples()})


async def remembered_records(memory: Memory | None, steps: Steps) -> dict[str, Record]:
    """How each specialist fared before this run; a durable step too."""
    if memory is None:
        return {}

    async def recall() -> Json:
        return {name: record.model_dump() for name, record in (await memory.records()).items()}

    stored = await steps.run("records", "specialists", recall)
    return {name: Record.model_validate(record) for name, record in stored.items()}


def lesson(task: AgentTask, result: AgentResult) -> Lesson:
    """What the work taught. What no agent could have changed (no budget, no model) teaches nothing about it."""
    who = task.profile.name
    of_error = {error: cause for cause in task.cluster.causes for error in cause.error_ids}
    failed = {
        (of_error[error].fingerprint, edit.fingerprint): FailedFix(
            cause=of_error[error].fingerprint,
            edit=edit.fingerprint,
            specialist=who,
            edits=edit.edits,
            message=within(edit.message, MESSAGE),
        )
        for edit in result.failed
        for error in edit.error_ids
        if error in of_error
    }
    worked = {
        (of_error[error].fingerprint, fix.id): WorkedFix(
            cause=of_error[error].fingerprint,
            shape=of_error[error].shape,
            proposal=fix.id,
            specialist=who,
            title=fix.title,
            edits=fix.edits,
        )
        for fix in result.proposals
        for error in fix.error_ids
        if error in of_error
    }
    ended = {cause: Ended(cause=cause, specialist=who, proposal=proposal) for cause, proposal in worked}
    for report in result.unfixables:
        if report.reason in THEIRS:
            for error in report.error_ids:
                if error in of_error:
                    cause = of_error[error].fingerprint
                    ended.setdefault(cause, Ended(cause=cause, specialist=who))
    return Lesson(failed=tuple(failed.values()), worked=tuple(worked.values()), ended=tuple(ended.values()))


THEIRS = frozenset({"given-up", "limit", "refused", "repeated", "unchanged", "worse", "time"})


def edits_text(edits: tuple[Edit, ...]) -> str:
    """The edits for a model to read, the first ones and of long ones the beginning."""
    more = len(edits) - MOST_EDITS
    return "\n".join([*map(edit_text, edits[:MOST_EDITS]), *([f"(and {more} more edits)"] if more > 0 else [])])
