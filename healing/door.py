"""One door for every fix: apply → parse → guard → narrow check → whole checks → alone on the bare head → merge.

Autofix, fixers, memory and agents all hand in a Candidate; the verdict is computed here from bytes and exit codes
(CK-3). What is accepted is merged first come, first served, into the run's integration tree.
"""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from healing.agents.workspace import Verdict
from healing.checks.check import Check, CheckResult
from healing.checks.narrow import narrow
from healing.checks.running import Checker, clip
from healing.edits import EditError, apply_edits, edits_between, widen
from healing.failure import Trees
from healing.gitio import Git
from healing.guard import flags, refusals
from healing.judging import Results, identity, judge
from healing.model import Candidate, Category, CIError, Edit, Evidence, Proposal, content_id
from healing.moved import moved
from healing.syntax import syntax_problems

EVIDENCE_OUTPUT = 3_000  # characters of output kept on each side of a proposal's evidence
TEST_RUNS = 2  # a test has to pass twice: once may be luck (CK-4)


class Refusal(Exception):
    """A candidate that does not pass; the message is for its proposer."""


@dataclass
class Door:
    """The door of one run. `integration` is the head's tree with everything that was accepted merged into it."""

    git: Git
    checker: Checker
    trees: Trees
    checks: tuple[Check, ...]
    errors: dict[str, CIError]
    integration: str = ""
    shown_by: dict[str, frozenset[str]] = field(default_factory=dict)  # check key → ids of the errors it showed
    accepted: list[Proposal] = field(default_factory=list)
    refused: list[tuple[Candidate, str]] = field(default_factory=list)
    _merging: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self.integration = self.integration or self.trees.head

    async def results(self, head_tree: str) -> dict[str, CheckResult]:
        """What every check says of the tree that CI would build from `head_tree`."""
        built = await self.built(head_tree)
        results = await asyncio.gather(*(self.checker.run(check, built) for check in self.checks))
        return dict(zip((check.key for check in self.checks), results, strict=True))

    async def built(self, head_tree: str) -> str:
        """The tree that CI builds for a branch with this tree (IN-8). Raises Refusal where the merge conflicts."""
        trees = self.trees
        if head_tree == trees.head:
            return trees.built
        if trees.target is None or trees.merge_base is None:
            return head_tree
        merged = await asyncio.to_thread(self.git.merge, trees.merge_base, head_tree, trees.target)
        if merged.tree is None:
            raise Refusal("with it, the branch no longer merges with its base")
        return merged.tree

    async def submit(self, candidate: Candidate, on: str | None = None) -> Verdict:
        """Puts a candidate whose edits apply to tree `on` (default: the integration tree) through everything."""
        try:
            proposal = await self._prove(candidate, on or self.integration)
            await self._merge(proposal)
        except (Refusal, EditError) as refusal:
            self.refused.append((candidate, str(refusal)))
            return Verdict(accepted=False, message=str(refusal))
        return Verdict(accepted=True, proposal=proposal, message="accepted: verified and merged")

    async def _prove(self, candidate: Candidate, on: str) -> Proposal:
        targets = [self.errors[i] for i in candidate.error_ids if i in self.errors]
        if not targets:
            raise Refusal("it names no error of this run")
        tree = await asyncio.to_thread(self._applied, candidate, on, tuple(targets))
        head = self.trees.head
        bare = tree if on == head else (await asyncio.to_thread(self.git.merge, on, tree, head)).tree
        known = await self._on_head(targets)
        if bare is not None and bare != head and known:
            try:
                return await self._proposal(candidate, await self._cured(head, bare, known), head, bare, ())
            except Refusal:
                if on == head:
                    raise
        needs = tuple(p.id for p in self.accepted)
        if not needs:
            raise Refusal("it does not stand alone on the head of the branch")
        return await self._proposal(candidate, await self._cured(on, tree, targets), on, tree, needs)

    async def _on_head(self, targets: list[CIError]) -> list[CIError]:
        """The targets that the bare head shows; the others were only revealed by fixes that were accepted before."""
        marks = {identity(e) for r in (await self.results(self.trees.head)).values() for e in r.errors}
        return [e for e in targets if identity(e) in marks]

    def _applied(self, candidate: Candidate, on: str, targets: tuple[CIError, ...]) -> str:
        view = self.git.view(on)
        changes = apply_edits(candidate.edits, view.read)
        both = {path: (view.read(path), new) for path, new in changes.items()}
        if all(old == new for old, new in both.values()):
            raise Refusal("nothing changes: old and new bytes are the same")
        problems = syntax_problems(both)
        if problems:
            raise Refusal("; ".join(problems))
        modes = modes_of(candidate.edits)
        against = refusals(both, targets, view.read, modes) if not candidate.source.startswith("autofix:") else ()
        if against:
            raise Refusal("refused by the guard: " + "; ".join(against))
        return self.git.write_tree(on, changes, modes)

    async def _narrow_passes(self, targets: list[CIError], before: str, after: str) -> None:
        """The narrowed checks exit 0, tests twice. Where one can't tell a target from errors of the same kind in the
        same file, those may stay if they were there before. Raises Refusal."""
        for check in self._narrowed(targets):
            old = await self.checker.run(check, await self.built(before))
            for sample in range(runs_for(targets)):
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
            narrowed = narrow(check, mine)
            if narrowed is not None:
                found.append(narrowed)
        return found

    def checks_of(self, targets: Iterable[CIError]) -> list[Check]:
        """What shows these errors: narrowed where that is possible, else the whole steps."""
        targets = list(targets)
        return self._narrowed(targets) or [c for c in self.checks if any(self._shows(c, e) for e in targets)]

    def _shows(self, check: Check, error: CIError) -> bool:
        return error.id in self.shown_by.get(check.key, frozenset())

    async def _cured(self, before: str, after: str, targets: list[CIError]) -> list[CIError]:
        """What the change cures: at least one target, and nothing may break. Cheap looks first. Raises Refusal."""
        await self._worth_a_look(before, after, targets)
        results = await self.results(after)
        judgement = judge(await self.results(before), results, targets)
        cured = judgement.cured(targets)
        if not cured or not judgement.harmless:
            raise Refusal(judgement.text())
        await self._stays(judgement.revealed, before, after)
        await self._narrow_passes(cured, before, after)
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
            raise Refusal(f"{judgement.text()}\n{clip(shown, 4000)}")

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
            evidence=await self._evidence(targets, base, tree),
            base_tree=base,
            flags=flags(changed, tuple(targets), view.read),
            needs=needs,
        )

    async def _evidence(self, targets: list[CIError], base: str, tree: str) -> tuple[Evidence, ...]:
        """The narrowed checks first, then the whole steps that showed the errors."""
        before, after = await self.built(base), await self.built(tree)
        narrowed = [await self._shown(check, before, after, runs_for(targets)) for check in self._narrowed(targets)]
        whole = [c for c in self.checks if any(self._shows(c, e) for e in targets)]
        return (*narrowed, *[await self._shown(check, before, after, 1) for check in whole])

    async def _shown(self, check: Check, before: str, after: str, runs: int) -> Evidence:
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

    async def _merge(self, proposal: Proposal) -> None:
        async with self._merging:
            if any(p.id == proposal.id for p in self.accepted):
                raise Refusal("the same edits were accepted before")
            self.integration = await self._merged(self.integration, proposal)
            self.accepted.append(proposal)

    async def _merged(self, integration: str, proposal: Proposal) -> str:
        base = proposal.base_tree
        view = self.git.view(base)
        changes = apply_edits(proposal.edits, view.read)
        tree = await asyncio.to_thread(self.git.write_tree, base, changes, modes_of(proposal.edits))
        merged = await asyncio.to_thread(self.git.merge, base, integration, tree)
        if merged.tree is None:
            files = ", ".join(c.file for c in merged.conflicts)
            raise Refusal(f"it conflicts with a proposal that was accepted before, in {files}")
        return merged.tree

    async def together(self) -> None:
        """Adds to proposals whose command stays red alone what it says with all proposals: exit code 0, or not."""
        self.accepted = [await self._with_the_others(proposal) for proposal in self.accepted]

    async def _with_the_others(self, proposal: Proposal) -> Proposal:
        built = await self.built(self.integration)
        added: list[Evidence] = []
        for evidence in proposal.evidence:
            if evidence.after_exit != 0 and evidence.after_tree != built:
                check = Check.model_validate(evidence.check)
                shown = await self._shown(check, evidence.before_tree, built, 1)
                note = shown.note or "together with the other proposals"
                added.append(shown.model_copy(update={"note": note, "alone": False}))
        every = [*proposal.evidence, *(e for e in added if e.after_exit == 0)]
        every.sort(key=lambda e: (e.after_exit != 0, not e.alone))  # what is green first: people read the first line
        return proposal.model_copy(update={"evidence": tuple(every)})

    async def settle_phase(self) -> tuple[Proposal, ...]:
        """Runs the whole checks on the integration tree; if together something new breaks, proposals are taken in
        again one by one and the ones that break it are withdrawn and given back."""
        baseline = await self.results(self.trees.head)
        if await self._sound(baseline, self.integration):
            return ()
        kept: list[Proposal] = []
        withdrawn: list[Proposal] = []
        tree = self.trees.head
        for proposal in self.accepted:
            try:
                candidate = await self._merged(tree, proposal)
                fits = set(proposal.needs) <= {p.id for p in kept} and await self._sound(baseline, candidate)
            except (Refusal, EditError):
                fits = False
            if fits:
                kept.append(proposal)
                tree = candidate
            else:
                withdrawn.append(proposal)
        self.accepted, self.integration = kept, tree
        return tuple(withdrawn)

    async def _sound(self, baseline: Results, tree: str) -> bool:
        return judge(baseline, await self.results(tree), ()).harmless


def _what_is_left(before: CheckResult, after: CheckResult) -> str:
    """Why a check that shows a fix is still red, in words."""
    hidden = len(judge({before.check_key: before}, {after.check_key: after}, ()).revealed)
    known = len(after.errors) - hidden
    parts = [
        f"{known} error{'s' * (known != 1)} of before" if known else "",
        f"{hidden} that it had hidden" if hidden else "",
    ]
    return f"still red for {' and '.join(filter(None, parts))}"


def modes_of(edits: Iterable[Edit]) -> Mapping[str, str]:
    """Modes of the files that edits create."""
    return {edit.file: edit.mode for edit in edits if edit.kind == "create"}


def runs_for(targets: Iterable[CIError]) -> int:
    """How often the narrowed check has to pass: tests twice, all else once (CK-3)."""
    tests = any(e.category in (Category.TEST, Category.RUNTIME) or e.test for e in targets)
    return TEST_RUNS if tests else 1
