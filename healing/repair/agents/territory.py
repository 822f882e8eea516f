"""Whose files are whose while several agents work: who leaves its cluster's files says so, and keeps off the others'.

A fix may lie anywhere, and what is proven is proven; but in a file where another cluster's errors lie it has to fix
one of those too, for another agent is at work there.
"""

from collections.abc import Iterable, Mapping

from healing.graph import is_test
from healing.model import Edit, Frozen, Proposal
from healing.repair.agents.fences import one_line
from healing.repair.agents.task import AgentTask


class Territory(Frozen):
    """One cluster's: its `zone`, where its errors lie and what their tests are about, and the files where errors of the
    other clusters of the phase lie, with their ids."""

    zone: frozenset[str] = frozenset()
    others: Mapping[str, frozenset[str]] = {}

    @classmethod
    def of(cls, task: AgentTask, phase: Iterable[AgentTask]) -> "Territory":
        """That of a task (or of a part of one) among all tasks of its phase."""
        others: dict[str, frozenset[str]] = {}
        for other in phase:
            if other.cluster.id != task.cluster.id:
                for error in other.errors:
                    if error.file:
                        others[error.file] = others.get(error.file, frozenset()) | {error.id}
        own = frozenset(filter(None, (*task.cluster.zone, *(error.file for error in task.errors))))
        subjects = (excerpt.file for excerpt in task.contexts if not is_test(excerpt.file))
        return cls(
            zone=own.union(subjects) if own else own,
            others={file: ids for file, ids in others.items() if file not in own},
        )

    def notes(self, edits: Iterable[Edit]) -> tuple[str, ...]:
        """A sentence for each file that is changed and is none of the cluster's."""
        if not self.zone:
            return ()
        outside = sorted({edit.file for edit in edits} - self.zone)
        return tuple(f"{one_line(file)}: lies outside of the files that its errors point to" for file in outside)

    def theirs(self, edits: Iterable[Edit]) -> bool:
        """Whether a file is changed where others' errors lie."""
        return any(edit.file in self.others for edit in edits)

    def trespass(self, proposal: Proposal) -> str:
        """Why what was proven is not taken; empty where it is."""
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
