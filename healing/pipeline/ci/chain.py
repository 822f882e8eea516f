"""Places fixes that only CI can prove where they can be applied: beside the others, or on top of them.

CI proves them all together, so each needs those before it. Fixes that are on the head as well (`beside`) were proven
separately, so the new ones have to commute with them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from healing.edits.commuting import commute
from healing.git import Git
from healing.model import Proposal

Write = Callable[[str, str], Proposal]  # builds the fix that turns one tree into another


@dataclass
class Chain:
    """`fixes` are in order; `tip` is the head's tree with all of them."""

    git: Git
    head: str
    beside: tuple[Proposal, ...] = ()
    fixes: list[Proposal] = field(default_factory=list)
    tip: str = ""

    def add(self, made: str, write: Write) -> bool:
        """Adds a fix that turns the head into the tree `made`; returns False where it conflicts with the others."""
        tip = self.tip or self.head
        merged = self.git.merge(self.head, tip, made).tree
        if merged is None or merged == tip:
            return False
        fix = write(self.head, made)
        if not commute(fix, (*self.fixes, *self.beside), self.git.view(self.head).read):
            files = {edit.file for edit in fix.edits}
            if any(edit.file in files for other in self.beside for edit in other.edits):
                return False
            fix = write(tip, merged)
        self._append(fix, merged)
        return True

    def add_on_tip(self, made: str, write: Write) -> bool:
        """Adds a fix that turns the tip into the tree `made`: beside the others where possible, otherwise on top of
        them. Returns False where it changes nothing."""
        tip = self.tip or self.head
        if made == tip:
            return False
        alone = self.git.merge(tip, self.head, made).tree
        if alone is None or not self.add(alone, write):
            self._append(write(tip, made), made)
        return True

    def _append(self, fix: Proposal, tip: str) -> None:
        self.fixes.append(fix.model_copy(update={"needs": tuple(earlier.id for earlier in self.fixes)}))
        self.tip = tip
