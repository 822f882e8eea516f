"""Carries proposals over to the pull request's current head: checks whether they still apply, and verifies them there
without a model."""

import asyncio
import base64
from collections.abc import Callable
from dataclasses import dataclass

from bot.runs.ci_judge import CiJudge
from bot.runs.engine import Engine
from bot.runs.repo_rules import rules_at
from bot.runs.trees import RunTrees
from bot.store.attempts import Origin
from bot.trials import RunTrials
from handlers.model import GitHub, Pull, StoredProposal, Verified
from handlers.model.plans import FileChange
from healing.checks.check import Check
from healing.checks.running import Checker
from healing.edits.exact import Changes, EditError, apply_edits, apply_whole_lines, edits_between, modes_of, widen
from healing.git import Git, GitError, Unreachable
from healing.git.run_id import run_id
from healing.model import Edit, Evidence, NotChecked, Proposal
from healing.pipeline.ci.by_ci import evidence_jobs, other_failed_jobs
from healing.steps import Steps
from healing.verify.built import built_from
from healing.verify.judging import judge
from healing.verify.trial import judge_trial
from healing.view import TreeView


@dataclass(frozen=True)
class CarryOver:
    """Carries over proposals of one repository."""

    git: Git
    github: GitHub
    trees: RunTrees
    engine: Engine
    ci: CiJudge
    steps: Callable[[str], Steps]  # by run key

    async def carry_over(self, pull: Pull, old: StoredProposal) -> Proposal | NotChecked:
        """Returns the proposal on the pull request's new head, verified there without a model, or why it no longer
        holds."""
        view = await self._head_of(pull, (*old.proposal.wide, *old.proposal.edits))
        try:
            changes = _apply_either(old.proposal, view.read)
        except EditError as error:
            return NotChecked(what=old.proposal.id, why=str(error))
        verified = await self._verify(pull, changes, old.proposal)
        if not verified.ok:
            return NotChecked(what=old.proposal.id, why=verified.why)
        return _re_anchored(old.proposal, view.tree, view.read, changes)

    async def try_edits(self, pull: Pull, edits: tuple[Edit, ...], proposal: Proposal, verify: bool) -> Verified:
        """Applies edits to the head's tree; with `verify` the proposal must also pass its checks there."""
        view = await self._head_of(pull, edits)
        try:
            changes = apply_edits(edits, view.read)
        except EditError as error:
            return Verified(ok=False, why=str(error))
        if verify:
            verified = await self._verify(pull, changes, proposal)
            if not verified.ok:
                return verified
        modes = modes_of(edits)
        return Verified(
            ok=True,
            changes=tuple(
                FileChange(
                    path=path,
                    content=None if data is None else base64.b64encode(data).decode(),
                    mode=view.mode(path) or modes.get(path, "100644"),
                )
                for path, data in sorted(changes.items())
            ),
        )

    async def try_together(self, pull: Pull, proposals: tuple[Proposal, ...]) -> Verified:
        """Applies fixes that were tested together, each on top of the one before, and verifies them as a whole."""
        edits = tuple(edit for proposal in proposals for edit in proposal.wide)
        view = await self._head_of(pull, edits)
        try:
            changes = _one_after_the_other(proposals, view.read)
        except EditError as error:
            return Verified(ok=False, why=str(error))
        whole = proposals[0].model_copy(update={"edits": edits})
        return await self._verify(pull, changes, whole)

    async def files(self, sha: str, paths: frozenset[str]) -> dict[str, bytes | None] | None:
        """Returns these files at a commit or tree; None if it no longer exists. Raises Unreachable."""
        try:
            view = await self.trees.reading(sha, paths.__contains__)
        except Unreachable:
            raise
        except GitError:
            return None
        return {path: view.read(path) for path in paths}

    async def _head_of(self, pull: Pull, edits: tuple[Edit, ...]) -> TreeView:
        """Returns a view of the head's tree in which the files of these edits can be read."""
        return await self.trees.reading(pull.head_sha, {edit.file for edit in edits}.__contains__)

    async def _verify(self, pull: Pull, changes: Changes, proposal: Proposal) -> Verified:
        """Runs the proposal's checks on the head with and without the changes: its errors must be gone, without new
        ones."""
        base = await self.github.merge_base(pull.base_sha, pull.head_sha) or pull.base_sha
        trees = await self.trees.of(Origin(head=pull.head_sha, base=base, target=pull.base_sha))
        ident = run_id(trees.head, pull.head_sha)
        rules, steps = await rules_at(self.trees, pull.base_sha), self.steps(ident)
        if forbidden := rules.read.fix_policy().why_forbidden(changes):
            return Verified(ok=False, why=forbidden)
        checker = await self.engine.checker(
            ident, self.git, steps, rules.matchers, rules.read.check_rules(number=pull.number)
        )
        tree = await asyncio.to_thread(self.git.write_tree, trees.head, changes, modes_of(proposal.edits))
        built = await asyncio.to_thread(built_from, self.git, trees, tree)
        if built is None:
            return Verified(ok=False, why="with it, the branch no longer merges with its base")
        in_ci = await self.ci.trials(rules.read, pull, 0, ident, trees, steps)
        why = await _holds_here(checker, in_ci, proposal, trees.built, built)
        return Verified(ok=not why, why=why)


async def _holds_here(
    checker: Checker | None, in_ci: RunTrials | None, proposal: Proposal, before: str, after: str
) -> str:
    """Returns why a proposal's evidence no longer holds on another head; empty if it does. What only CI could prove is
    proven by CI again."""
    local = [e for e in proposal.evidence if e.alone and not evidence_jobs(e)]
    if checker is not None and local:
        for evidence in local:
            if why := await _holds(checker, evidence, before, after):
                return why
        return ""
    by_ci = next((e for e in proposal.evidence if evidence_jobs(e)), None)
    if by_ci is None:
        return "no sandbox works on this machine, so it can't be verified"
    if in_ci is None:
        return "this repository's own CI tested it, and Heal may not ask it any more"
    wanted = evidence_jobs(by_ci)
    return judge_trial(await in_ci.trial(after, wanted), wanted, other_failed_jobs(by_ci)).why


async def _holds(checker: Checker, evidence: Evidence, before: str, after: str) -> str:
    """Returns why one piece of a proposal's evidence no longer holds on another head; empty if it does."""
    check = Check.model_validate(evidence.check)
    old, new = await checker.run(check, before), await checker.run(check, after)
    command = check.step.run.strip()
    if old.green:
        return f"`{command}` passes on the current commit without it"
    if evidence.after_exit == 0 and not new.green:
        return f"`{command}` exits {new.exit_code} on the current commit"
    judgement = judge({check.key: old}, {check.key: new}, ())
    if not judgement.harmless or (not new.green and len(new.errors) >= len(old.errors)):
        return f"on the current commit: {judgement.text() or f'`{command}` shows as many errors as without it'}"
    return ""


def _one_after_the_other(proposals: tuple[Proposal, ...], read: Callable[[str], bytes | None]) -> Changes:
    """Applies all proposals, each on top of the one before. Raises EditError."""
    changes: Changes = {}

    def now(path: str) -> bytes | None:
        return changes[path] if path in changes else read(path)

    for proposal in proposals:
        changes.update(apply_edits(proposal.wide, now))
    return changes


def _apply_either(proposal: Proposal, read: Callable[[str], bytes | None]) -> Changes:
    """Applies the widened edits if they fit as whole lines, else the minimal ones. Raises EditError."""
    try:
        return apply_whole_lines(proposal.wide, read)
    except EditError:
        return apply_edits(proposal.edits, read)


def _re_anchored(proposal: Proposal, tree: str, read: Callable[[str], bytes | None], changes: Changes) -> Proposal:
    modes = modes_of(proposal.edits)
    edits = tuple(
        edit
        for path, new in sorted(changes.items())
        for edit in edits_between(path, read(path), new, modes.get(path, "100644"))
    )
    widened = widen(edits, read)
    return proposal.model_copy(
        update={"edits": edits, "wide": widened.wide, "reverse": widened.reverse, "base_tree": tree}
    )
