"""Verifies every candidate in the same way: apply, parse, guard, narrow check, whole checks, alone on the bare head,
second opinion, merge.

Autofix, fixers, memory and agents all hand in a `Candidate`; the verdict is computed here from bytes and exit codes.
Accepted candidates are merged first come, first served, into the run's integration tree.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from healing.edits.exact import EditError, edits_between, widen
from healing.logs.fingerprint import identity
from healing.model import Candidate, CIError, Edit, Proposal, content_id
from healing.policy.fixes import FixPolicy
from healing.verify.applying import AUTOFIX, BY_POLICY, SNAPSHOTS, applied
from healing.verify.fixed_again import fixed_again
from healing.verify.guard import flags
from healing.verify.guard.meaning import only_layout_changed
from healing.verify.judging import judge, unread_errors
from healing.verify.parts import Parts, parts_of
from healing.verify.queue.integration import AlreadyFixed, Conflicting, Integration, Moved
from healing.verify.queue.refusal import QueueRefusal
from healing.verify.refusing import CandidateBreaks, CandidateUnfit, Refusal
from healing.verify.second_opinion import SecondOpinion
from healing.verify.tree_evaluator import TreeEvaluator
from healing.verify.varied import special_case_flags, with_old_product
from healing.verify.verdict import Verdict

WITHHELD = (
    "What they printed is not shown, because this repository has files that are closed to models; run_check shows what "
    "it prints without these files"
)
ATTEMPTS = 20  # to merge a candidate while others are merged; each attempt proves it on the branch as it is then
LEFT_OUT = "a fix is proven with the tests, their data and the checks as they are"
NOTHING_OF_THE_PRODUCT = (
    "it changes nothing of the product, and the error does not lie in what it changes; the code that is tested is what "
    "has to be repaired"
)
ONLY_TESTS = "new tests and docs repair nothing"
NO_LONGER_SHOWN = "with the fixes that were accepted before, the checks no longer show these errors"


class EditForms(NamedTuple):
    """The edits of a change in both forms in which people and Heal apply them, and their reverse."""

    edits: tuple[Edit, ...]
    wide: tuple[Edit, ...]
    reverse: tuple[Edit, ...]


class Tidier(Protocol):
    """Gives a candidate the layout that the repository's formatters want."""

    async def __call__(self, candidate: Candidate, objections: tuple[CIError, ...], on: str, /) -> Candidate | None:
        """The candidate with the layout of its files changed as the objections demand; None where that is not what they
        are about. `on` is the tree that its edits apply to."""
        ...


@dataclass
class Verifier(TreeEvaluator):
    """The verifier of one run."""

    refused: list[tuple[Candidate, str]] = field(default_factory=list)
    fixed_by: dict[str, str] = field(
        default_factory=dict
    )  # error id → id of the accepted proposal that fixes it already
    handed_in: dict[str, tuple[Candidate, str]] = field(
        default_factory=dict
    )  # by proposal id, with the tree that its edits apply to
    withdrawn: list[tuple[Proposal, str]] = field(default_factory=list)  # at an author's request, with the reason
    prevented: int = 0  # candidates that were refused or withdrawn because they broke something
    policy: FixPolicy = field(default_factory=FixPolicy)  # of the repository
    reviewer: SecondOpinion | None = None  # gives second opinions; None: no model is configured
    tidier: Tidier | None = None  # formats candidates; None: they are judged as they are

    def __post_init__(self) -> None:
        self.branch = Integration(self.git, self.trees.head, self.checker.steps)

    @property
    def integration(self) -> str:
        """The head's tree with everything that was accepted merged into it."""
        return self.branch.tree

    @property
    def accepted(self) -> list[Proposal]:
        """The accepted proposals, in the order in which they were merged."""
        return self.branch.accepted

    async def prove(self, candidate: Candidate, on: str | None = None) -> Verdict:
        """Judges a candidate as `submit` does, but doesn't merge it."""
        return await self._judged(candidate, on, None)

    async def submit(self, candidate: Candidate, on: str | None = None, who: str = "") -> Verdict:
        """Verifies a candidate whose edits apply to tree `on` (default: the integration tree), and merges it if it
        passes. `who` can resolve a conflict and submit again."""
        return await self._judged(candidate, on, who)

    async def _judged(self, candidate: Candidate, on: str | None, who: str | None, may_format: bool = True) -> Verdict:
        made_on = on or self.integration
        try:
            if who is None:
                proposal = await self._reviewed(candidate, await self._prove(candidate, made_on))
            else:
                proposal = await self._merged(candidate, made_on, who)
        except Conflicting as conflict:
            return self._refused(candidate, str(conflict), "over" if conflict.over or not who else "again")
        except AlreadyFixed as fixed:
            return await self._answer(candidate, fixed)
        except (Refusal, EditError, QueueRefusal) as refusal:
            tidied = await self._tidied(candidate, refusal, made_on) if may_format else None
            if tidied is not None:
                return await self._judged(tidied, made_on, who, may_format=False)
            self.prevented += isinstance(refusal, CandidateBreaks)
            self._refused(candidate, str(refusal))
            return self._verdict_of(refusal)
        message = _accepted(candidate, proposal)
        if who is not None:
            self.handed_in[proposal.id] = candidate, made_on
        return Verdict(accepted=True, proposal=proposal, message=message, merged=who is not None)

    async def _tidied(self, candidate: Candidate, refusal: Exception, on: str) -> Candidate | None:
        """The candidate in another layout, where that is all that was wrong with it."""
        objections = refusal.new if isinstance(refusal, Refusal) else ()
        tidied = await self.tidier(candidate, objections, on) if self.tidier and objections else None
        return None if tidied is None or tidied.edits == candidate.edits else tidied

    def _verdict_of(self, refusal: Refusal | EditError | QueueRefusal) -> Verdict:
        """The refusal as a verdict for the proposer. Checks ran on whole trees: where some of their files are closed to
        models, the verdict holds nothing that they printed, and `still` holds hashes, which only show whether a message
        was the same as before."""
        if not isinstance(refusal, Refusal):
            return Verdict(accepted=False, message=str(refusal))
        message, still, left, new = str(refusal), refusal.still, refusal.left, refusal.new
        if self.closes_files:
            message = refusal.plain if isinstance(refusal, CandidateUnfit) else f"{refusal.plain}. {WITHHELD}"
            still, left, new = tuple(content_id(text) for text in still), (), ()
        return Verdict(accepted=False, message=message, still=still, left=left, new=new, worse=refusal.worse)

    async def _answer(self, candidate: Candidate, fixed: AlreadyFixed) -> Verdict:
        """The verdict on a candidate that changes nothing. Its errors count as fixed where the checks no longer show
        any of them."""
        targets = [self.errors[i] for i in candidate.error_ids if i in self.errors]
        if await self._shown_on(self.integration, targets):
            return self._refused(candidate, f"nothing changes: {fixed}, and the errors are still there")
        if fixed.by:
            self.fixed_by |= dict.fromkeys(candidate.error_ids, fixed.by)
        return self._refused(candidate, f"already fixed: {fixed}").model_copy(update={"already_fixed": True})

    def _refused(self, candidate: Candidate, why: str, conflict: Literal["", "again", "over"] = "") -> Verdict:
        self.refused.append((candidate, why))
        return Verdict(accepted=False, message=why, conflict=conflict)

    async def _merged(self, candidate: Candidate, on: str, who: str) -> Proposal:
        """Proves the candidate against the branch and merges it. If the branch has changed meanwhile, everything is
        repeated; most results are cached by then."""
        name = who or f"one-{content_id(candidate.source, [edit.model_dump() for edit in candidate.edits], length=12)}"
        for _ in range(ATTEMPTS):
            seen = self.integration
            proposal = await self._prove(candidate, on)
            await self._is_needed(proposal, seen)
            proposal = await self._reviewed(candidate, proposal)
            try:
                await self._merge(proposal, name, seen)
            except Moved:
                continue
            except Conflicting:
                if not who:
                    await self.branch.leave(name)
                raise
            return proposal
        raise Refusal("other fixes were merged again and again while it was proven; hand it in once more")

    async def _reviewed(self, candidate: Candidate, proposal: Proposal) -> Proposal:
        """The proposal after a second opinion, if a reviewer is configured. Raises CandidateUnfit."""
        if self.reviewer is None:
            return proposal
        errors = tuple(self.errors[i] for i in proposal.error_ids)
        read = self.unsent.hide(self.git.view(proposal.base_tree))
        return await self.reviewer.reviewed(candidate, proposal, errors, read)

    async def _merge(self, proposal: Proposal, name: str, seen: str) -> None:
        """Merges the proposal into the integration branch, and removes it again if it breaks something together with
        the others."""
        await self.branch.merge(name, proposal, seen)
        broken = await self._broken_by_others(proposal)
        if broken and any(p.id == proposal.id for p in self.accepted):
            await self.branch.again([p for p in self.accepted if p.id != proposal.id])
            raise CandidateBreaks(f"together with what was accepted before it breaks something: {broken}")

    async def _is_needed(self, proposal: Proposal, tree: str) -> None:
        """Raises AlreadyFixed where the fix's checks no longer show any of its errors on `tree`, without it."""
        if proposal.base_tree == tree or not self.accepted:
            return
        targets = [self.errors[i] for i in proposal.error_ids]
        if not await self.shows_any(await self.built(tree), await self.built(proposal.base_tree), targets):
            raise AlreadyFixed(NO_LONGER_SHOWN)

    async def _broken_by_others(self, proposal: Proposal) -> str:
        """What the proposal's narrowed checks report against the integration tree but not against its own tree; empty
        if nothing."""
        own, tree = proposal.evidence[0].after_tree, await self.built(self.integration)
        for check in self.narrowed(self.errors[i] for i in proposal.error_ids):
            alone, together = await self.checker.run(check, own), await self.checker.run(check, tree)
            judgement = judge({check.key: alone}, {check.key: together}, (), self.unreached)
            if not judgement.harmless:
                return judgement.text()
        return ""

    async def _prove(self, candidate: Candidate, on: str) -> Proposal:
        """Proves a candidate with the judge, the tests and their data as they are on the branch: the product's part of
        the change has to turn the check green alone, except for files in which an error itself lies."""
        named = tuple(self.errors[i] for i in candidate.error_ids if i in self.errors)
        if not named:
            raise CandidateUnfit("it names no error of this run")
        targets = tuple(error for error in named if not self.policy.why_only_reported(error))
        if not targets:
            raise CandidateUnfit(BY_POLICY + self.policy.why_only_reported(named[0]))
        if candidate.source.startswith(SNAPSHOTS):
            return await self._proven(candidate, on, Parts())
        parts = await asyncio.to_thread(self._parts, candidate, targets, on)
        if not parts.counted or candidate.strict:
            await asyncio.to_thread(
                applied, self.git, candidate, on, targets, self.policy, parts.files_at_fault
            )  # raises with the guard's reasons
        if not parts.counted:
            raise CandidateUnfit(f"{NOTHING_OF_THE_PRODUCT}: {parts.note() or ONLY_TESTS}")
        try:
            proposal = await self._counted(candidate, on, parts, targets)
        except Refusal as refusal:
            raise refusal.with_note(parts.note()) from None
        if not parts.harmless:
            return proposal
        try:
            return await self._proven(_limited_to(candidate, (*parts.counted, *parts.harmless)), on, parts)
        except (Refusal, EditError):
            return proposal

    async def _counted(self, candidate: Candidate, on: str, parts: Parts, targets: tuple[CIError, ...]) -> Proposal:
        """Proves the part of the candidate that counts. Where a file at fault can decide about errors outside it, the
        product's part has to fix those first."""
        judged_there = parts.judged_by_fault(targets)
        if judged_there and parts.product:
            await self._proven(_limited_to(candidate, parts.product, judged_there), on, Parts())
        elif judged_there:
            own = [e for e in targets if e not in judged_there]
            return await self._proven(_limited_to(candidate, parts.counted, own), on, parts)
        return await self._proven(_limited_to(candidate, parts.counted), on, parts)

    def _parts(self, candidate: Candidate, targets: tuple[CIError, ...], on: str) -> Parts:
        base = self.git.view(self.trees.merge_base) if self.trees.merge_base else None
        return parts_of(candidate, targets, self.whole_checks_of(targets) or self.checks, self.git.view(on), base)

    async def _proven(self, candidate: Candidate, on: str, parts: Parts) -> Proposal:
        targets = [self.errors[i] for i in candidate.error_ids if i in self.errors]
        tree = await asyncio.to_thread(
            applied, self.git, candidate, on, tuple(targets), self.policy, parts.files_at_fault
        )
        head = self.trees.head
        bare = tree if on == head else (await asyncio.to_thread(self.git.merge, on, tree, head)).tree
        known = await self._shown_on(head, targets)  # the other targets were only revealed by accepted fixes
        if bare is not None and bare != head and known:
            needs = await asyncio.to_thread(self._underneath, bare) if self.accepted else ()
            base = await asyncio.to_thread(self.branch.tree_with_only, needs)
            placed = None if base is None else (await asyncio.to_thread(self.git.merge, head, bare, base)).tree
            if base is not None and placed is not None:
                if placed == base:
                    raise self.branch.already_fixed(await asyncio.to_thread(self._forms, head, bare))
                try:
                    return await self._proposal(candidate, await self._left(base, known), base, placed, needs, parts)
                except Refusal:
                    if on == head and not needs:
                        raise
        return await self._on_top(candidate, targets, on, tree, parts)

    async def _on_top(self, candidate: Candidate, targets: list[CIError], on: str, tree: str, parts: Parts) -> Proposal:
        """The proposal on the integration tree. Where it conflicts with that tree, it is made on its own base; merging
        it then raises the conflict for a proposer who can resolve it."""
        needs, base = tuple(p.id for p in self.accepted), self.integration
        if not needs:
            raise CandidateUnfit("it does not stand alone on the head of the branch")
        carried = (await asyncio.to_thread(self.git.merge, on, tree, base)).tree
        if carried is None:
            return await self._proposal(candidate, targets, on, tree, needs, parts)
        if carried == base:
            raise self.branch.already_fixed(await asyncio.to_thread(self._forms, on, tree))
        if on != base and await self._shown_on(on, targets):
            targets = await self._left(base, targets)
        return await self._proposal(candidate, targets, base, carried, needs, parts)

    def _underneath(self, bare: str) -> tuple[str, ...]:
        """The accepted proposals that a change of the head has to come after (see `Integration.prerequisites`). Raises
        AlreadyFixed."""
        forms = self._forms(self.trees.head, bare)
        if self.branch.holds(forms, self.trees.head):
            raise self.branch.already_fixed(forms)
        return self.branch.prerequisites(forms)

    def _forms(self, base: str, tree: str) -> EditForms:
        view = self.git.view(base)
        edits = tuple(
            edit
            for path, (old, new) in sorted(self.git.changed(base, tree).items())
            for edit in edits_between(path, old, new, view.mode(path) or "100644")
        )
        both = widen(edits, view.read)
        return EditForms(edits, both.wide, both.reverse)

    async def _shown_on(self, tree: str, targets: list[CIError]) -> list[CIError]:
        """The targets that the checks show on a tree."""
        results = await self.results(tree)
        marks = {identity(e) for r in results.values() for e in r.errors}
        unread = unread_errors(results, self.shown_by)
        return [e for e in targets if identity(e) in marks or e.id in unread]

    async def _left(self, tree: str, targets: list[CIError]) -> list[CIError]:
        """The targets that the checks still show on a tree that holds accepted proposals. Raises AlreadyFixed if there
        are none."""
        left = await self._shown_on(tree, targets)
        if not left:
            raise AlreadyFixed(NO_LONGER_SHOWN)
        return left

    async def _proposal(
        self,
        candidate: Candidate,
        targets: list[CIError],
        base: str,
        tree: str,
        needs: tuple[str, ...],
        parts: Parts,
    ) -> Proposal:
        taken = frozenset(i for p in self.accepted for i in p.error_ids)
        by_tool = candidate.source.startswith(AUTOFIX)
        targets = await self.fixed_errors(base, tree, targets, candidate.strict, taken, by_tool)
        view = self.git.view(base)
        changed = await asyncio.to_thread(self.git.changed, base, tree)
        edits, wide, reverse = await asyncio.to_thread(self._forms, base, tree)
        all_flags = flags(changed, tuple(targets), view.read, by_tool=by_tool, at_fault=parts.files_at_fault)
        all_flags = (
            *parts.flags(),
            *candidate.flags,
            *(flag for flag in all_flags if not parts.says(flag)),
            *await self._with_other_values(candidate, base, tree, targets, changed),
        )
        return Proposal(
            id=content_id(candidate.source, [e.model_dump() for e in edits], length=12),
            source=candidate.source,
            phase=candidate.phase,
            title=candidate.title,
            explanation=candidate.explanation,
            confidence=candidate.confidence,
            error_ids=tuple(dict.fromkeys(e.id for e in targets)),
            edits=edits,
            wide=wide,
            reverse=reverse,
            evidence=await self.evidence(targets, base, tree, candidate.strict),
            base_tree=base,
            flags=tuple(dict.fromkeys((*all_flags, *fixed_again(edits, self.accepted, view.read)))),
            needs=needs,
            dollars=candidate.dollars,
            touches=parts.touched,
            layout_only=by_tool and all(only_layout_changed(path, *both) for path, both in changed.items()),
            second_opinion=candidate.second_opinion,
        )

    async def _with_other_values(
        self, candidate: Candidate, base: str, tree: str, targets: list[CIError], changed: Iterable[str]
    ) -> tuple[str, ...]:
        """Flags from runs of the failing tests with other values. Autofixes and fixers are exempt: they don't use a
        test's values."""
        if candidate.source.startswith((AUTOFIX, "fixer:")):
            return ()
        before, after = await self.built(base), await self.built(tree)
        origin, checks = self.trees.before, self.whole_checks_of(targets)
        earlier = await asyncio.to_thread(with_old_product, self.git, before, origin, changed) if origin else None
        return await special_case_flags(self.git, self.checker, checks, before, after, targets, earlier)


def _limited_to(candidate: Candidate, edits: tuple[Edit, ...], targets: Iterable[CIError] | None = None) -> Candidate:
    """The candidate with only these edits, for only these errors (None: for all of its errors)."""
    ids = candidate.error_ids if targets is None else tuple(error.id for error in targets)
    return candidate.model_copy(update={"edits": edits, "error_ids": ids})


def _accepted(candidate: Candidate, proposal: Proposal) -> str:
    """The message for the proposer, with the files that are not part of what was accepted."""
    kept = {edit.file for edit in proposal.edits}
    left = dict.fromkeys(edit.file for edit in candidate.edits if edit.file not in kept)
    return f"accepted: verified without {', '.join(left)}: {LEFT_OUT}" if left else "accepted: verified"
