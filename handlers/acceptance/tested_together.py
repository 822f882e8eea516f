"""Fixes that the repository's CI tested only together, so that they are tested together again before they are
applied."""

from dataclasses import dataclass, field

from handlers.model import Context, Pull, StoredProposal
from healing.model import Proposal


@dataclass(frozen=True)
class TestedTogether:
    """The fixes that one command is about. Each group of them is tested once; `verdicts` keeps the results."""

    items: tuple[StoredProposal, ...]
    context: Context
    verdicts: dict[str, str] = field(default_factory=dict)

    async def why_not(self, pull: Pull, item: StoredProposal) -> str | None:
        """Why a fix and those that were tested with it fail on the head; empty if they pass. None: it was tested alone,
        or the others of its group are not part of the command or on the branch already."""
        tree = tested_tree(item.proposal)
        group = tuple(one for one in self.items if one.status != "applied" and tested_tree(one.proposal) == tree)
        is_in_group = item.proposal.id in {one.proposal.id for one in group}
        if not (tree and is_in_group) or (len(group) == 1 and tree not in self.verdicts):
            return None
        if tree not in self.verdicts:
            tried = await self.context.healer.try_together(pull, tuple(one.proposal for one in group))
            self.verdicts[tree] = tried.why if not tried.ok else ""
        return self.verdicts[tree]


def tested_tree(proposal: Proposal) -> str:
    """The id of the tree with several fixes that CI tested; empty if the fix was tested alone."""
    by_ci = next((item for item in proposal.evidence if item.check.get("ci")), None)
    alone = by_ci is None or by_ci.alone or any(item.alone for item in proposal.evidence)
    return "" if by_ci is None or alone else by_ci.after_tree


def sort_into_groups(items: tuple[StoredProposal, ...]) -> tuple[StoredProposal, ...]:
    """Puts those that were tested together next to each other; otherwise the order stays."""
    trees = [tested_tree(item.proposal) for item in items]
    order = sorted(range(len(items)), key=lambda at: (trees.index(trees[at]) if trees[at] else at, at))
    return tuple(items[at] for at in order)
