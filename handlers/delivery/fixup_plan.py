"""Plans a fixup pull request: one commit per fix, each on top of the last. Pure."""

from base64 import b64encode
from collections.abc import Mapping
from typing import NamedTuple

from handlers.comments import fixup as texts
from handlers.comments import marks
from handlers.comments.parts import Errors, headline
from handlers.comments.trailers import commit_body
from handlers.model.plans import FileChange, FixupPlan
from healing.edits.exact import Changes, EditError, Read, apply_edits, overlay
from healing.model import Proposal

LABEL = "heal"


class Base(NamedTuple):
    """What a fixup pull request is based on: pull request `number` (0: a branch without one) with its branch `ref` at
    `sha`; the files there with their modes; and the generation of the new commits."""

    number: int
    ref: str
    sha: str
    read: Read
    modes: Mapping[str, str]
    generation: int


class Stack(NamedTuple):
    """The plan (None if no fix fits), the ids of its fixes, and the reasons why the others are left out."""

    plan: FixupPlan | None
    ids: tuple[str, ...] = ()
    left_out: Mapping[str, str] = {}


def fixup_branch(run_id: str, attempt: int) -> str:
    """Returns the branch of a run's fixup pull request. It must never change, so that the branch is found again."""
    return f"heal/{run_id}/{attempt}"


def stack(proposals: tuple[Proposal, ...], branch: str, base: Base, errors: Errors) -> Stack:
    """Plans a commit for each fix, after the fixes that it needs; fixes that don't fit on top of the others are left
    out, with the reason."""
    so_far: Changes = {}
    commits: list[tuple[str, str, tuple[FileChange, ...]]] = []
    taken: list[Proposal] = []
    left_out: dict[str, str] = {}
    for proposal in in_order(proposals):
        try:
            changes = apply_edits(proposal.edits, overlay(base.read, so_far))
        except EditError as error:
            left_out[proposal.id] = str(error)
            continue
        so_far |= changes
        taken.append(proposal)
        body = commit_body(base.generation)
        commits.append((headline(proposal), body, file_changes(changes, proposal, base.modes)))
    if not taken:
        return Stack(None, (), left_out)
    chosen = tuple(taken)
    plan = FixupPlan(
        branch=branch,
        start_sha=base.sha,
        base_ref=base.ref,
        title=texts.fixup_title(chosen, f"#{base.number}" if base.number else base.ref),
        body=texts.fixup_body(chosen, errors, branch, base.ref, base.sha),
        marker=marks.of_fixup(branch),
        commits=tuple(commits),
        labels=(LABEL,),
    )
    return Stack(plan, tuple(proposal.id for proposal in chosen), left_out)


def in_order(proposals: tuple[Proposal, ...]) -> tuple[Proposal, ...]:
    """Orders fixes so that each comes after those that it needs; otherwise the order stays."""
    by = {proposal.id: proposal for proposal in proposals}
    done: dict[str, Proposal] = {}

    def add(proposal: Proposal, above: frozenset[str]) -> None:
        for id_ in proposal.needs:
            if id_ in by and id_ not in above:
                add(by[id_], above | {proposal.id})
        done.setdefault(proposal.id, proposal)

    for proposal in proposals:
        add(proposal, frozenset({proposal.id}))
    return tuple(done.values())


def file_changes(changes: Changes, proposal: Proposal, modes: Mapping[str, str]) -> tuple[FileChange, ...]:
    """Returns the changed files of a commit; an existing file keeps its mode."""
    created_modes = {edit.file: edit.mode for edit in proposal.edits if edit.kind == "create"}
    return tuple(
        FileChange(
            path=path,
            content=None if data is None else b64encode(data).decode(),
            mode=created_modes.get(path) or modes.get(path, "100644"),
        )
        for path, data in sorted(changes.items())
    )
