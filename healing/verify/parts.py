"""Splits a candidate's edits by the roles of the files they change: those that a proof is made with, and those it is
made without.

The judge, the tests and their data stay as they are on the branch: the product's part alone has to turn the failing
check green. Other files may be changed only where the error itself lies in them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from healing.checks.check import Check
from healing.edits.exact import apply_edits, modes_of
from healing.model import Candidate, CIError, Edit
from healing.verify.faults import Before, Fault, faults
from healing.verify.guard import refusals
from healing.verify.guard.meaning import has_same_meaning
from healing.verify.guard.patch import AT_FAULT, AtFault, Change
from healing.verify.roles import UNSEEN, FileRole, Role, Roles, missing_modules
from healing.view import TreeView

Touched = Literal["", "tests", "checks"]
SUBJECTS = (Role.TESTS, Role.DATA, Role.DOCS)


@dataclass(frozen=True)
class Parts:
    """The edits of one candidate. `product`: source of the product; `at_fault`: files where an error itself lies, with
    the reasons in `faults`; `harmless`: new tests and docs, which don't count for the proof; `left_out`: all others."""

    product: tuple[Edit, ...] = ()
    at_fault: tuple[Edit, ...] = ()
    harmless: tuple[Edit, ...] = ()
    left_out: tuple[Edit, ...] = ()
    roles: Mapping[str, FileRole] = field(default_factory=dict)
    faults: Mapping[str, Fault] = field(default_factory=dict)
    touched: Touched = ""

    @property
    def counted(self) -> tuple[Edit, ...]:
        """The edits that a proof is made with."""
        return (*self.product, *self.at_fault)

    @property
    def files_at_fault(self) -> AtFault:
        """The files outside the product in which an error lies, each with what it follows."""
        return {edit.file: self.faults[edit.file].follows for edit in self.at_fault}

    def outside(self, targets: Iterable[CIError]) -> list[CIError]:
        """The targets that lie in no file at fault: the product's part alone has to fix them."""
        inside = frozenset[str]().union(*(fault.error_ids for fault in self.faults.values()))
        return [error for error in targets if error.id not in inside]

    def judged_by_fault(self, targets: Iterable[CIError]) -> list[CIError]:
        """The outside targets that a changed file at fault can decide about: with that change, they prove nothing about
        the product."""
        outside = self.outside(targets) if self.at_fault else []
        return [error for error in outside if error.test or self.touched == "checks"]

    def note(self) -> str:
        """A sentence on what was left out; empty if nothing was."""
        files = dict.fromkeys(edit.file for edit in self.left_out)
        shown = ", ".join(f"{path} ({self.roles[path].role.value})" for path in files)[:300]
        return f"left out, since a fix is proven with the tests and checks as they are: {shown}" if shown else ""

    def flags(self) -> tuple[str, ...]:
        """What a reviewer has to know about a fix that changes more than the product."""
        changed = [
            f"changes the {self.touched}: {path}, because {fault.why}"
            for path, fault in self.faults.items()
            if self.touched
        ]
        unseen = dict.fromkeys(edit.file for edit in self.product if self.roles[edit.file].why == UNSEEN)
        return (*changed, *(f"changes {path}, whose reader was not seen" for path in unseen))

    def says(self, flag: str) -> bool:
        """Whether its flags already say what a flag of the guard says: that a file changes because CI found fault with
        it."""
        return bool(self.touched) and AT_FAULT in flag and flag.partition(": ")[0] in self.faults


def parts_of(
    candidate: Candidate, targets: tuple[CIError, ...], checks: Iterable[Check], view: TreeView, base: TreeView | None
) -> Parts:
    """Split a candidate whose edits apply to `view` into its parts. Raises EditError."""
    changed = apply_edits(candidate.edits, view.read)
    changes: dict[str, Change] = {path: (view.read(path), new) for path, new in changed.items()}
    roles = roles_of(changes, targets, checks, view)
    known = faults(changes, roles, targets, Before(view, base))
    by_part: dict[str, list[Edit]] = {"product": [], "at_fault": [], "harmless": [], "left_out": []}
    places = {path: _part(path, changes, roles[path].role, known, candidate, targets, view) for path in changes}
    for edit in candidate.edits:
        by_part[places[edit.file]].append(edit)
    return Parts(
        **{name: tuple(edits) for name, edits in by_part.items()},
        roles=roles,
        faults=known,
        touched=_touched([path for path, part in places.items() if part == "at_fault"], changes, roles),
    )


def roles_of(
    changes: Mapping[str, Change], errors: Iterable[CIError], checks: Iterable[Check], view: TreeView
) -> dict[str, FileRole]:
    """The roles of changed files."""
    new = {path: after for path, (before, after) in changes.items() if before is None and after is not None}
    roles = Roles.of_checks(checks, view, missing_modules(error.message for error in errors), new)
    return {path: roles.of(path) for path in changes}


def _part(
    path: str,
    changes: Mapping[str, Change],
    role: Role,
    known: Mapping[str, Fault],
    candidate: Candidate,
    targets: tuple[CIError, ...],
    view: TreeView,
) -> str:
    if role is Role.PRODUCT:
        return "product"
    if path in known:
        return "at_fault"
    if role is Role.DOCS:
        return "harmless"
    if role in SUBJECTS and changes[path][1] is not None and not candidate.strict:
        own = {path: changes[path]}
        if not refusals(own, targets, view.read, modes_of(candidate.edits)):
            return "harmless"
    return "left_out"


def _touched(at_fault: Iterable[str], changes: Mapping[str, Change], roles: Mapping[str, FileRole]) -> Touched:
    """What a fix changes outside the product; a test that only changed its layout doesn't count."""
    relevant = [path for path in at_fault if roles[path].role not in (Role.DOCS, Role.GENERATED)]
    if any(roles[path].role is Role.JUDGE for path in relevant):
        return "checks"
    return "tests" if any(not has_same_meaning(path, *changes[path]) for path in relevant) else ""
