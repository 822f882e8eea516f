"""What an agent gets from earlier runs about its cluster, and what is stored for later ones."""

from healing.model import Edit, Frozen
from healing.repair.agents.fences import one_line
from healing.repair.agents.memory import Ended, FailedFix, Lesson, Memory, WorkedFix
from healing.repair.agents.room import fit_text
from healing.repair.agents.routing import Record
from healing.repair.agents.task import AgentResult, AgentTask
from healing.repair.agents.wording import edit_text
from healing.steps import Json, Steps

MESSAGE = 600  # bytes
MAX_EDITS = 6


class Recalled(Frozen):
    """What memory has for one cluster."""

    failed: tuple[FailedFix, ...] = ()
    worked: tuple[WorkedFix, ...] = ()

    def history(self) -> str:
        """What was tried before and failed, as text for the trunk; empty where there is nothing."""
        return "\n\n".join(
            f"tried by {one_line(fix.specialist)}, and refused: {fit_text(fix.message, MESSAGE)}\n"
            f"{edits_text(fix.edits)}"
            for fix in self.failed
        )

    def examples(self) -> str:
        """Fixes that worked on similar errors, as text for the trunk."""
        return "\n\n".join(f"{one_line(fix.title)}\n{edits_text(fix.edits)}" for fix in self.worked)


async def remembered(memory: Memory | None, steps: Steps, task: AgentTask) -> AgentTask:
    """The task with what memory has for its causes; a durable step, so that every replay of a run gets the same."""
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
    """Each specialist's record from before this run; also a durable step."""
    if memory is None:
        return {}

    async def recall() -> Json:
        return {name: record.model_dump() for name, record in (await memory.records()).items()}

    stored = await steps.run("records", "specialists", recall)
    return {name: Record.model_validate(record) for name, record in stored.items()}


def lesson(task: AgentTask, result: AgentResult) -> Lesson:
    """What to store about the work. Endings that no agent could have changed (no budget, no model) are left out."""
    specialist = task.profile.name
    cause_of = {error: cause for cause in task.cluster.causes for error in cause.error_ids}
    failed = {
        (cause_of[error].fingerprint, edit.fingerprint): FailedFix(
            cause=cause_of[error].fingerprint,
            edit=edit.fingerprint,
            specialist=specialist,
            edits=edit.edits,
            message=fit_text(edit.message, MESSAGE),
        )
        for edit in result.failed
        for error in edit.error_ids
        if error in cause_of
    }
    worked = {
        (cause_of[error].fingerprint, fix.id): WorkedFix(
            cause=cause_of[error].fingerprint,
            shape=cause_of[error].shape,
            proposal=fix.id,
            specialist=specialist,
            title=fix.title,
            edits=fix.edits,
        )
        for fix in result.proposals
        for error in fix.error_ids
        if error in cause_of
    }
    ended = {cause: Ended(cause=cause, specialist=specialist, proposal=proposal) for cause, proposal in worked}
    for report in result.unfixables:
        if report.reason in THEIRS:
            for error in report.error_ids:
                if error in cause_of:
                    cause = cause_of[error].fingerprint
                    ended.setdefault(cause, Ended(cause=cause, specialist=specialist))
    return Lesson(failed=tuple(failed.values()), worked=tuple(worked.values()), ended=tuple(ended.values()))


THEIRS = frozenset({"given-up", "limit", "refused", "repeated", "unchanged", "worse", "time"})


def edits_text(edits: tuple[Edit, ...]) -> str:
    """The edits as text for a model: the first MAX_EDITS, long ones cut."""
    more = len(edits) - MAX_EDITS
    return "\n".join([*map(edit_text, edits[:MAX_EDITS]), *([f"(and {more} more edits)"] if more > 0 else [])])
