"""One door for every fix: apply → parse → guard → narrow check → whole checks → alone on the bare head → merge.

Autofix, fixers, memory and agents all hand in a Candidate; the verdict is computed here from bytes and exit codes
(CK-3). What is accepted is merged first come, first served, into the run's integration tree.
"""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from healing.agents.workspace import Verdict
from healing.checks.check import Check, CheckResult
from healing.checks.narrow import narrow, ran_nothing
from healing.checks.running import Checker, clip
from healing.edits import EditError, apply_edits, edits_between, widen
from healing.failure import Trees
from healing.gitio import Git
from healing.guard import flags, refusals
from healing.model import Candidate, Category, CIError, Edit, Evidence, Proposal, content_id
from healing.proof.built import built_from
from healing.proof.fixed_again import fixed_again
from healing.proof.judging import Judgement, Results, identity, judge
from healing.proof.moved import moved
from healing.proof.syntax import syntax_problems
from healing.queue.integration import Conflicting, Integration
from healing.queue.refusal import Refusal as QueueRefusal

EVIDENCE_OUTPUT = 3_000  # characters of output kept on each side of a proposal's evidence
JUMP = 1.5  # so many times the errors of before, and more than a few, end an agent's tries
FEW = 2
TEST_RUNS = {False: 2, True: 3}  # a test has to pass twice: once may be luck (CK-4); by how strict the judge is


class Refusal(Exception):
    """A candidate that does not pass; the message is for its proposer. `still` is what its errors said after the edits,
    where they were tried; `worse`: there were more errors by over a half then (AG-5)."""

    def __init__(self, message: str, still: tuple[str, ...] = (), worse: bool = False) -> None:
        super().__init__(message)
        self.still, self.worse = still, worse


class Harmful(Refusal):
    """It would have broken something that was whole (CK-6)."""


@dataclass
class Door:
    """The door of one run."""

    git: Git
    checker: Checker
    trees: Trees
    checks: tuple[Check, ...]
    errors: dict[str, CIError]
    shown_by: dict[str, frozenset[str]] = field(default_factory=dict)  # check key → ids of the errors it showed
    refused: list[tuple[Candidate, str]] = field(default_factory=list)
    prevented: int = 0  # candidates that were refused, or withdrawn, because they broke something

    def __post_init__(self) -> None:
        self.branch = Integration(self.git, self.trees.head, self.checker.steps)

    @property
    def integration(self) -> str:
        """The head's tree with everything that was accepted merged into it."""
        return self.branch.tree

    @property
    def accepted(self) -> list[Proposal]:
        """What was accepted, in the order of its merges."""
        return self.branch.accepted

    async def results(self, head_tree: str) -> dict[str, CheckResult]:
        """What every check says of the tree that CI would build from `head_tree`."""
        built = await self.built(head_tree)
        results = await asyncio.gather(*(self.checker.run(check, built) for check in self.checks))
        return dict(zip((check.key for check in self.checks), results, strict=True))

    async def built(self, head_tree: str) -> str:
        """The tree that CI builds for a branch with this tree (IN-8). Raises Refusal where the merge conflicts."""
        built = await asyncio.to_thread(built_from, self.git, self.trees, head_tree)
        if built is None:
            raise Refusal("with it, the branch no longer merges with its base")
        return built

    async def prove(self, candidate: Candidate, on: str | None = None) -> Verdict:
        """Judges as `submit` does, and takes nothing in."""
        return await self._judged(candidate, on, None)

    async def submit(self, candidate: Candidate, on: str | None = None, who: str = "") -> Verdict:
        """Puts a candidate whose edits apply to tree `on` (default: the integration tree) through everything. `who`
        can solve a conflict and hand in again."""
        return await self._judged(candidate, on, who)

    async def _judged(self, candidate: Candidate, on: str | None, who: str | None) -> Verdict:
        try:
            proposal = await self._prove(candidate, on or self.integration)
            if who is not None:
                await self._merge(proposal, who)
        except Conflicting as conflict:
            return self._refused(candidate, str(conflict), "over" if conflict.over or not who else "again")
        except (Refusal, EditError, QueueRefusal) as refusal:
            self.prevented += isinstance(refusal, Harmful)
            self._refused(candidate, str(refusal))
            still, worse = (refusal.still, refusal.worse) if isinstance(refusal, Refusal) else ((), False)
            return Verdict(accepted=False, message=str(refusal), still=still, worse=worse)
        return Verdict(accepted=True, proposal=proposal, message="accepted: verified")

    def _refused(self, candidate: Candidate, why: str, conflict: Literal["", "again", "over"] = "") -> Verdict:
        self.refused.append((candidate, why))
        return Verdict(accepted=False, message=why, conflict=conflict)

    async def _merge(self, proposal: Proposal, who: str) -> None:
        """Into the integration branch; what shows there that it does not hold together with the others is taken out
        again (MQ-3)."""
        try:
            await self.branch.merge(who or f"one-{proposal.id}", proposal)
        except Conflicting:
            if not who:
                await self.branch.leave(f"one-{proposal.id}")
            raise
        broken = await self._broken_by_others(proposal)
        if broken and any(p.id == proposal.id for p in self.accepted):
            await self.branch.again([p for p in self.accepted if p.id != proposal.id])
            raise Harmful(f"together with what was accepted before it breaks something: {broken}")

    async def _broken_by_others(self, proposal: Proposal) -> str:
        """What the proposal's narrowed checks say against the integration tree, and not against its own (empty:
        nothing)."""
        own, tree = proposal.evidence[0].after_tree, await self.built(self.integration)
        for check in self._narrowed(self.errors[i] for i in proposal.error_ids):
            alone, together = await self.checker.run(check, own), await self.checker.run(check, tree)
            judgement = judge({check.key: alone}, {check.key: together}, ())
            if not judgement.harmless:
                return judgement.text()
        return ""

    async def _prove(self, candidate: Candidate, on: str) -> Proposal:
        targets = [self.errors[i] for i in candidate.error_ids if i in self.errors]
        if not targets:
            raise Refusal("it names no error of this run")
        tree = await asyncio.to_thread(applied, self.git, candidate, on, tuple(targets))
        head = self.trees.head
        bare = tree if on == head else (await asyncio.to_thread(self.git.merge, on, tree, head)).tree
        known = await self._on_head(targets)
        if bare is not None and bare != head and known:
            try:
                return await self._proposal(candidate, known, head, bare, ())
            except Refusal:
                if on == head:
                    raise
        needs = tuple(p.id for p in self.accepted)
        if not needs:
            raise Refusal("it does not stand alone on the head of the branch")
        return await self._proposal(candidate, targets, on, tree, needs)

    async def _on_head(self, targets: list[CIError]) -> list[CIError]:
        """The targets that the bare head shows; the others were only revealed by fixes that were accepted before."""
        marks = {identity(e) for r in (await self.results(self.trees.head)).values() for e in r.errors}
        return [e for e in targets if identity(e) in marks]

    async def _narrow_passes(self, targets: list[CIError], before: str, after: str, strict: bool) -> None:
        """The narrowed checks exit 0, tests twice. Where one can't tell a target from errors of the same kind in the
        same file, those may stay if they were there before. Raises Refusal."""
        for check in self._narrowed(targets):
            old = await self.checker.run(check, await self.built(before))
            for sample in range(runs_for(targets, strict)):
                new = await self.checker.run(check, await self.built(after), sample)
                mine = [e for e in targets if self._shows_any(old, e)]
                judgement = judge({check.key: old}, {check.key: new}, mine)
                fewer = len(new.errors) < len(old.errors) or bool(judgement.revealed)
                alike = judgement.harmless and not judgement.missing and fewer
                if not new.green and (not alike or any("::" in (e.test or "") for e in mine)):
                    raise Refusal(f"`{check.step.run}` exits {new.exit_code}: {clip(new.output, 4000)}")

    @staticmethod
    def _shows_any(result: CheckResult, error: CIError) -> bool:
        return identity(error) in {identity(e) for e in result.errors}

    def _narrowed(self, targets: Iterable[CIError]) -> list[Check]:
        """The narrowed checks of the targets, each from the check whose baseline shows them."""
        found = []
        for check in self.checks:
            mine = [e for e in targets if self._shows(check, e)]
            narrowed = narrow(check, mine, self.checker.rules.limits)
            if narrowed is not None:
                found.append(narrowed)
        return found

    def checks_of(self, targets: Iterable[CIError]) -> list[Check]:
        """What shows these errors: narrowed where that is possible, else the whole steps."""
        targets = list(targets)
        return self._narrowed(targets) or [c for c in self.checks if any(self._shows(c, e) for e in targets)]

    def _shows(self, check: Check, error: CIError) -> bool:
        return error.id in self.shown_by.get(check.key, frozenset())

    async def _cured(self, before: str, after: str, targets: list[CIError], strict: bool) -> list[CIError]:
        """What the change cures: at least one target, and nothing may break. Cheap looks first. Raises Refusal."""
        await self._worth_a_look(before, after, targets)
        old, results = await self.results(before), await self.results(after)
        judgement = judge(old, results, targets)
        cured = judgement.cured(targets)
        if not cured or not judgement.harmless:
            raise _refusal(judgement, old, results)
        await self._stays(judgement.revealed, before, after)
        await self._narrow_passes(cured, before, after, strict)
        return [*cured, *self._also_gone(results, cured)]

    async def _stays(self, revealed: tuple[CIError, ...], before: str, after: str) -> None:
        """Raises Refusal where what is revealed fails in the lines that the change wrote."""
        if revealed:
            changed = await asyncio.to_thread(self.git.changed, before, after)
            again = moved(revealed, changed, self.git.view(after))
            if again:
                first = again[0]
                where = f"{first.test}: " if first.test else ""
                raise Refusal(f"the failure only moves: what it hid now fails in these lines: {where}{first.message}")

    async def _worth_a_look(self, before: str, after: str, targets: list[CIError]) -> None:
        """Raises Refusal where the narrowed checks already say that no target is cured."""
        narrowed = self._narrowed(targets)
        if not all(any(self._shows(c, e) and narrow(c, [e]) for c in self.checks) for e in targets):
            return
        old = {c.key: await self.checker.run(c, await self.built(before)) for c in narrowed}
        new = {c.key: await self.checker.run(c, await self.built(after)) for c in narrowed}
        judgement = judge(old, new, targets)
        if not judgement.cured(targets):
            shown = "\n".join(f"`{c.step.run}` exits {new[c.key].exit_code}: {new[c.key].output}" for c in narrowed)
            raise _refusal(judgement, old, new, f"\n{clip(shown, 4000)}")

    def _also_gone(self, after: Results, cured: list[CIError]) -> list[CIError]:
        """Errors that the same edits cure, though nobody named them: other tools' words for the same slip."""
        left = {identity(e) for r in after.values() for e in r.errors} | {identity(e) for e in cured}
        shown = frozenset[str]().union(*self.shown_by.values())
        taken = {i for p in self.accepted for i in p.error_ids}
        return [e for i, e in self.errors.items() if i in shown and i not in taken and identity(e) not in left]

    async def _proposal(
        self,
        candidate: Candidate,
        targets: list[CIError],
        base: str,
        tree: str,
        needs: tuple[str, ...],
    ) -> Proposal:
        targets = await self._cured(base, tree, targets, candidate.strict)
        view = self.git.view(base)
        changed = await asyncio.to_thread(self.git.changed, base, tree)
        edits = tuple(
            edit
            for path, (old, new) in sorted(changed.items())
            for edit in edits_between(path, old, new, view.mode(path) or "100644")
        )
        widened = widen(edits, view.read)
        return Proposal(
            id=content_id(candidate.source, [e.model_dump() for e in edits], length=12),
            source=candidate.source,
            phase=candidate.phase,
            title=candidate.title,
            explanation=candidate.explanation,
            confidence=candidate.confidence,
            error_ids=tuple(dict.fromkeys(e.id for e in targets)),
            edits=edits,
            wide=widened.wide,
            reverse=widened.reverse,
            evidence=await self._evidence(targets, base, tree, candidate.strict),
            base_tree=base,
            flags=(*flags(changed, tuple(targets), view.read), *fixed_again(edits, self.accepted, view.read)),
            needs=needs,
        )

    async def _evidence(self, targets: list[CIError], base: str, tree: str, strict: bool) -> tuple[Evidence, ...]:
        """The narrowed checks first, then the whole steps that showed the errors."""
        before, after = await self.built(base), await self.built(tree)
        telling = [c for c in self._narrowed(targets) if not ran_nothing(await self.checker.run(c, before))]
        narrowed = [await self.shown(check, before, after, runs_for(targets, strict)) for check in telling]
        whole = [c for c in self.checks if any(self._shows(c, e) for e in targets)]
        return (*narrowed, *[await self.shown(check, before, after, 1) for check in whole])

    async def shown(self, check: Check, before: str, after: str, runs: int) -> Evidence:
        """Evidence: the check on two trees. Raises Refusal where it passes on the first."""
        old = await self.checker.run(check, before)
        if old.green:
            raise Refusal(f"`{check.step.run.strip()}` passes without the change too: the failure is flaky")
        new = [await self.checker.run(check, after, sample) for sample in range(runs)]
        last = new[-1]
        return Evidence(
            command=check.step.run.strip(),
            before_tree=before,
            after_tree=after,
            before_exit=old.exit_code,
            after_exit=last.exit_code,
            before_output=clip(old.output, EVIDENCE_OUTPUT),
            after_output=clip(last.output, EVIDENCE_OUTPUT),
            runs=runs,
            note="" if last.green else _what_is_left(old, last),
            check=check.model_dump(mode="json"),
        )


def _refusal(judgement: Judgement, before: Results, after: Results, more: str = "") -> Refusal:
    """Why a change that was tried does not pass, with what an agent's early exits go by."""
    had, has = (sum(len(result.errors) for result in results.values()) for results in (before, after))
    worse = has - len(judgement.revealed) > max(had * JUMP, had + FEW)
    still = tuple(error.message for error in judgement.missing)
    return (Refusal if judgement.harmless else Harmful)(judgement.text() + more, still, worse)


def _what_is_left(before: CheckResult, after: CheckResult) -> str:
    """Why a check that shows a fix is still red, in words."""
    hidden = len(judge({before.check_key: before}, {after.check_key: after}, ()).revealed)
    known = len(after.errors) - hidden
    parts = [
        f"{known} error{'s' * (known != 1)} of before" if known else "",
        f"{hidden} that it had hidden" if hidden else "",
    ]
    return f"still red for {' and '.join(filter(None, parts))}"


def applied(git: Git, candidate: Candidate, on: str, targets: tuple[CIError, ...]) -> str:
    """The tree `on` with the candidate's edits. Raises EditError, and Refusal where it changes nothing, doesn't parse
    or the guard is against it."""
    view = git.view(on)
    changes = apply_edits(candidate.edits, view.read)
    both = {path: (view.read(path), new) for path, new in changes.items()}
    if all(old == new for old, new in both.values()):
        raise Refusal("nothing changes: old and new bytes are the same")
    problems = syntax_problems(both)
    if problems:
        raise Refusal("; ".join(problems))
    modes = modes_of(candidate.edits)
    own_tool = candidate.source.startswith("autofix:")
    against = () if own_tool else refusals(both, targets, view.read, modes, candidate.strict)
    if against:
        raise Refusal("refused by the guard: " + "; ".join(against))
    return git.write_tree(on, changes, modes)


def modes_of(edits: Iterable[Edit]) -> Mapping[str, str]:
    """Modes of the files that edits create."""
    return {edit.file: edit.mode for edit in edits if edit.kind == "create"}


def runs_for(targets: Iterable[CIError], strict: bool) -> int:
    """How often the narrowed check has to pass: tests twice, three times where it is strict; all else once (CK-3)."""
    tests = any(e.category in (Category.TEST, Category.RUNTIME) or e.test for e in targets)
    return TEST_RUNS[strict] if tests else 1
