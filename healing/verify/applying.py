"""The first checks of a candidate, which run nothing: its edits apply, the files parse, and the guard has no
objection."""

from healing.edits.exact import apply_edits, modes_of
from healing.git import Git
from healing.model import Candidate, CIError
from healing.policy.fixes import FixPolicy
from healing.verify.guard import refusals
from healing.verify.guard.patch import NOWHERE, AtFault
from healing.verify.refusing import CandidateUnfit
from healing.verify.syntax import syntax_problems

BY_POLICY = "refused by this repository's policy: "
BY_GUARD = "refused by the guard: "  # followed by the rule, the file and the reason of each finding
AUTOFIX = "autofix:"  # of the repository's own tools (healing/repair/tools)
SNAPSHOTS = "fixer:snapshots-"  # of a tool that a person asked to update snapshots (healing/repair/snapshots)


def applied(
    git: Git,
    candidate: Candidate,
    on: str,
    targets: tuple[CIError, ...],
    policy: FixPolicy,
    at_fault: AtFault = NOWHERE,
) -> str:
    """Write the tree `on` with the candidate's edits and return its id; errors lie in the files `at_fault` too. Raises
    EditError, and Refusal if the edits change nothing, a file doesn't parse, or the repository's policy or the guard
    refuses them."""
    view = git.view(on)
    if forbidden := policy.why_forbidden(edit.file for edit in candidate.edits):
        raise CandidateUnfit(BY_POLICY + forbidden)
    changes = apply_edits(candidate.edits, view.read)
    both = {path: (view.read(path), new) for path, new in changes.items()}
    if all(old == new for old, new in both.values()):
        raise CandidateUnfit("nothing changes: old and new bytes are the same")
    problems = syntax_problems(both)
    if problems:
        raise CandidateUnfit("; ".join(problems))
    modes = modes_of(candidate.edits)
    if not candidate.source.startswith(SNAPSHOTS):
        by_tool = candidate.source.startswith(AUTOFIX)
        objections = refusals(both, targets, view.read, modes, candidate.strict, by_tool, at_fault, policy.caps)
        if objections:
            raise CandidateUnfit(BY_GUARD + "; ".join(objections))
    return git.write_tree(on, changes, modes)
