"""Which files belong to which agent while several work: edits outside the own cluster's files are flagged, and files of
others are restricted.

A fix may be anywhere, and a proof is a proof; but in a file with another cluster's errors the fix has to fix one of
those too, because another agent is working there.
"""

from collections.abc import Iterable, Mapping

from healing.graph import is_test
from healing.model import Edit, Frozen, Proposal
from healing.repair.agents.fences import one_line
from healing.repair.agents.task import AgentTask


class Territory(Frozen):
    """One cluster's territory: its `zone` (the files of its errors and of what their tests are about), and the files
    with errors of the phase's other clusters, with the ids of these errors."""

    zone: frozenset[str] = frozenset()
    others: Mapping[str, frozenset[str]] = {}

    @classmethod
    def of(cls, task: AgentTask, phase: Iterable[AgentTask]) -> "Territory":
        """The territory of a task (or of a part of one) among all tasks of its phase."""
        others: dict[str, frozenset[str]] = {}
        for other_task in phase:
            if other_task.cluster.id != task.cluster.id:
                for error in other_task.errors:
                    if error.file:
                        others[error.file] = others.get(error.file, frozenset()) | {error.id}
        own = frozenset(filter(None, (*task.cluster.zone, *(error.file for error in task.errors))))
        subjects = (excerpt.file for excerpt in task.contexts if not is_test(excerpt.file))
        return cls(
            zone=own.union(subjects) if own else own,
            others={file: ids for file, ids in others.items() if file not in own},
        )

    def notes(self, edits: Iterable[Edit]) -> tuple[str, ...]:
        """A note for each changed file outside the cluster's zone."""
        if not self.zone:
            return ()
        outside = sorted({edit.file for edit in edits} - self.zone)
        return tuple(f"{one_line(file)}: lies outside of the files that its errors point to" for file in outside)

    def touches_other_clusters(self, edits: Iterable[Edit]) -> bool:
        """Whether a file with other clusters' errors is changed."""
        return any(edit.file in self.others for edit in edits)

    def why_not_accepted(self, proposal: Proposal) -> str:
        """Why a proven fix is not accepted; empty where it is."""
        fixed = set(proposal.error_ids)
        for file in sorted({edit.file for edit in proposal.edits}):
            others = self.others.get(file, frozenset())
            if others and not fixed & others:
                return (
                    f"{one_line(file)} belongs to other errors ({', '.join(sorted(others)[:5])}), on which "
                    "another agent is working, and this fix fixes none of them. Repair it in your own files; or report "
                    "it, and say what would have to change there."
                )
        return ""
