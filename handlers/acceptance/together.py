"""Fixes that the repository's own CI tested all together: none of them was tested alone, so they are tested together
again before they are used."""

from dataclasses import dataclass, field

from handlers.model import Context, Pull, StoredProposal
from healing.model import Proposal


@dataclass(frozen=True)
class TestedTogether:
    """What one command is about. What CI says of a group is asked once."""

    items: tuple[StoredProposal, ...]
    context: Context
    verdicts: dict[str, str] = field(default_factory=dict)

    async def why_not(self, pull: Pull, item: StoredProposal) -> str | None:
        """Why a fix and those that were tested with it don't hold on the head; empty where they do. None: it was
        tested alone, or the others of its group are not asked for or on the branch already."""
        mark = tested_tree(item.proposal)
        group = tuple(one for one in self.items if one.status != "applied" and tested_tree(one.proposal) == mark)
        asked = item.proposal.id in {one.proposal.id for one in group}
        if not (mark and asked) or (len(group) == 1 and mark not in self.verdicts):
            return None
        if mark not in self.verdicts:
            tried = await self.context.healer.try_together(pull, tuple(one.proposal for one in group))
            self.verdicts[mark] = tried.why if not tried.ok else ""
        return self.verdicts[mark]


def tested_tree(proposal: Proposal) -> str:
    """Names the tree that CI tested with this fix and others together; empty where it was tested alone."""
    by_ci = next((item for item in proposal.evidence if item.check.get("ci")), None)
    alone = by_ci is None or by_ci.alone or any(item.alone for item in proposal.evidence)
    return "" if by_ci is None or alone else by_ci.after_tree


def sort_into_groups(items: tuple[StoredProposal, ...]) -> tuple[StoredProposal, ...]:
    """Those that were tested together come after each other; else the order stays."""
    first = {tested_tree(item.proposal): at for at, item in reversed(list(enumerate(items)))}
    marks = [tested_tree(item.proposal) for item in items]
    order = sorted(range(len(items)), key=lambda at: (first[marks[at]] if marks[at] else at, at))
    return tuple(items[at] for at in order)
