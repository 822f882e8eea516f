"""What the checks of a run say of trees: whether a change fixes, what it breaks, and the evidence."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from healing.checks.check import Check, CheckResult
from healing.checks.in_full import in_full
from healing.checks.narrow import narrow, ran_nothing
from healing.checks.running import Checker, clip
from healing.checks.unreadable import with_an_error
from healing.failed_jobs import Trees
from healing.git import Git
from healing.logs.fingerprint import identity
from healing.model import Category, CIError, Evidence
from healing.policy.unsent import Unsent
from healing.sandbox.promises import NO_WRITE_OUTSIDE
from healing.testruns.comparing import in_words
from healing.verify.built import built_from
from healing.verify.guard.counts import counts
from healing.verify.judging import Judgement, Results, judge
from healing.verify.moved import moved
from healing.verify.refusing import Refusal, Unfit, refusal_of

EVIDENCE_OUTPUT = 3_000  # characters of output kept on each side of a proposal's evidence
TEST_RUNS = {False: 2, True: 3}  # a test has to pass twice: once may be luck; by how strict the judge is
BY_OUTPUT = "tests counted by what the command printed"  # the runner itself reported none
MORE = (1, 2, 3, 4)  # runs without a change, for a test that fails now and then
FURTHER = (1, 2)  # looks at the whole step, beside the first, where a test passes alone without the change


@dataclass
class TreeEvaluator:
    """Looks at trees by the checks of one run. Trees are those of the branch; what is run is what CI builds of them."""

    git: Git
    checker: Checker
    trees: Trees
    checks: tuple[Check, ...]
    errors: dict[str, CIError]
    shown_by: dict[str, frozenset[str]] = field(default_factory=dict)  # check key → ids of the errors it showed
    unsent: Unsent = field(default_factory=Unsent)  # files that no model is shown

    @cached_property
    def closes_files(self) -> bool:
        """Whether there are files in the trees of this run that no model is shown."""
        return any(self._open_tree(tree) != tree for tree in {self.trees.head, self.trees.built})

    def _open_tree(self, tree: str) -> str:
        return self.git.without(tree, self.unsent.__contains__)

    @cached_property
    def _apart(self) -> Checker:
        """What runs checks whose output a model is shown: git in their worktrees reads nothing but their own tree."""
        return self.checker.apart()

    async def for_models(self, built: str) -> tuple[Checker, str]:
        """What runs a check whose output a model is shown, and the tree to run it on: `built` without the files that
        are closed to models."""
        tree = await asyncio.to_thread(self._open_tree, built)
        if tree == built:
            return self.checker, built
        checker, base = self._apart, await asyncio.to_thread(self._open_tree, self.trees.built)
        kept = NO_WRITE_OUTSIDE in checker.sandbox.promises
        await checker.worktrees.base(checker.run_id, checker.git, base, kept)
        return checker, tree

    async def results(self, head_tree: str, sample: int = 0) -> dict[str, CheckResult]:
        """What every check says of the tree that CI would build from `head_tree`; with another `sample` it is run
        again."""
        built = await self.built(head_tree)
        results = await asyncio.gather(*(self.checker.run(check, built, sample) for check in self.checks))
        return {check.key: self._known(check, result) for check, result in zip(self.checks, results, strict=True)}

    def _known(self, check: Check, result: CheckResult) -> CheckResult:
        """The result; where it is red without a readable error as it was in the beginning, with the error that stands
        for that. Without it nothing could be seen to fix such a check. A check that was not silent before gets none:
        that it fails without a word is for the judge to see."""
        if result.problem or result.exit_code is None:
            return result
        whole = with_an_error(check, result)
        return whole if all(error.id in self.errors for error in whole.errors) else result

    async def built(self, head_tree: str) -> str:
        """The tree that CI builds for a branch with this tree. Raises Refusal where the merge conflicts."""
        built = await asyncio.to_thread(built_from, self.git, self.trees, head_tree)
        if built is None:
            raise Unfit("with it, the branch no longer merges with its base")
        return built

    def checks_of(self, targets: Iterable[CIError]) -> list[Check]:
        """What shows these errors: narrowed where that is possible, else the whole steps."""
        targets = list(targets)
        return self.narrowed(targets) or self.whole_checks_of(targets)

    def whole_checks_of(self, targets: Iterable[CIError]) -> list[Check]:
        """The whole steps that show one of these errors."""
        targets = list(targets)
        return [c for c in self.checks if any(self._shows(c, e) for e in targets)]

    async def shown(self, check: Check, before: str, after: str, runs: int) -> Evidence:
        """Evidence: the check on two trees. Raises Refusal where it passes on the first."""
        old = await self.checker.run(check, before)
        if old.green:
            raise Unfit(f"`{check.step.run.strip()}` passes without the change too: the failure is flaky")
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
            note=tests_in_words(old, last) if last.green else _what_is_left(old, last),
            check=check.model_dump(mode="json"),
        )

    async def fixed_errors(
        self, before: str, after: str, targets: list[CIError], strict: bool, taken: frozenset[str]
    ) -> list[CIError]:
        """What the change fixes: at least one target, and beside them what is not `taken` (ids) by another one; nothing
        may break. Cheap looks first. Raises Refusal."""
        await self._worth_a_look(before, after, targets)
        old, results = await self.results(before), await self.results(after)
        judgement = judge(old, results, targets)
        fixed_errors = judgement.fixed_errors(targets)
        if not fixed_errors or not (
            judgement.harmless or await self._by_chance(judgement, before, old, after, fixed_errors)
        ):
            raise refusal_of(judgement, old, results)
        await self._stays(judgement.revealed, before, after)
        await self._narrow_passes(fixed_errors, before, after, strict)
        return [*fixed_errors, *self._also_gone(results, fixed_errors, taken)]

    async def _by_chance(
        self, judgement: Judgement, before: str, old: Results, after: str, fixed: list[CIError]
    ) -> bool:
        """Whether what failed beside the fix does so by chance. Run again it passes: twice, or once where it fails
        without the change too, now and then. What fails again and again costs two further runs."""
        if not judgement.new or not all(error.test for error in judgement.new):
            return False
        whole = [await self._harmless(old, after, fixed, sample) for sample in FURTHER]
        return all(whole) or (any(whole) and await self._fails_before(judgement.new, before))

    async def _harmless(self, old: Results, after: str, fixed: list[CIError], sample: int) -> bool:
        again = judge(old, await self.results(after, sample), fixed)
        return again.harmless and not again.missing

    async def _fails_before(self, errors: tuple[CIError, ...], before: str) -> bool:
        """Whether the same tests fail without the change in one of a few runs."""
        names = {error.test for error in errors}
        for sample in MORE:
            results = (await self.results(before, sample)).values()
            if names <= {error.test for result in results for error in result.errors}:
                return True
        return False

    async def _worth_a_look(self, before: str, after: str, targets: list[CIError]) -> None:
        """Raises Refusal where the narrowed checks already say that no target is fixed."""
        narrowed = self.narrowed(targets)
        if not all(any(self._shows(c, e) and self._narrow(c, [e]) for c in self.checks) for e in targets):
            return
        old = {c.key: await self.checker.run(c, await self.built(before)) for c in narrowed}
        if any(self._tells_nothing(result, targets) for result in old.values()):
            return
        new = {c.key: await self.checker.run(c, await self.built(after)) for c in narrowed}
        judgement = judge(old, new, targets)
        if not judgement.fixed_errors(targets):
            shown = "\n".join(f"`{c.step.run}` exits {new[c.key].exit_code}: {new[c.key].output}" for c in narrowed)
            raise refusal_of(judgement, old, new, f"\n{clip(shown, 4000)}")

    async def _stays(self, revealed: tuple[CIError, ...], before: str, after: str) -> None:
        """Raises Refusal where what is revealed fails in the lines that the change wrote."""
        if revealed:
            changed = await asyncio.to_thread(self.git.changed, before, after)
            again = moved(revealed, changed, self.git.view(after))
            if again:
                first = again[0]
                where = f"{first.test}: " if first.test else ""
                raise Refusal(f"the failure only moves: what it hid now fails in these lines: {where}{first.message}")

    async def _narrow_passes(self, targets: list[CIError], before: str, after: str, strict: bool) -> None:
        """The narrowed checks exit 0, tests twice. Where one can't tell a target from errors of the same kind in the
        same file, those may stay if they were there before. Raises Refusal."""
        for check in self.narrowed(targets):
            old = await self.checker.run(check, await self.built(before))
            if self._tells_nothing(old, targets):
                continue
            for sample in range(runs_for(targets, strict)):
                new = await self.checker.run(check, await self.built(after), sample)
                mine = [e for e in targets if self._shows_any(old, e)]
                judgement = judge({check.key: old}, {check.key: new}, mine)
                fewer = len(new.errors) < len(old.errors) or bool(judgement.revealed)
                alike = judgement.harmless and not judgement.missing and fewer
                if not new.green and (not alike or any("::" in (e.test or "") for e in mine)):
                    raise Refusal(f"`{check.step.run}` exits {new.exit_code}: {clip(new.output, 4000)}")

    def _also_gone(self, after: Results, fixed_errors: list[CIError], taken: frozenset[str]) -> list[CIError]:
        """Errors that the same edits fix, though nobody named them: other tools' words for the same slip."""
        left = {identity(e) for r in after.values() for e in r.errors} | {identity(e) for e in fixed_errors}
        shown = frozenset[str]().union(*self.shown_by.values())
        return [e for i, e in self.errors.items() if i in shown and i not in taken and identity(e) not in left]

    async def evidence(self, targets: list[CIError], base: str, tree: str, strict: bool) -> tuple[Evidence, ...]:
        """The narrowed checks first, then the whole steps that showed the errors."""
        before, after = await self.built(base), await self.built(tree)
        looked = [(c, await self.checker.run(c, before)) for c in self.narrowed(targets)]
        telling = [c for c, seen in looked if not seen.green and not self._tells_nothing(seen, targets)]
        alone = [c for c, seen in looked if seen.green and not ran_nothing(seen)]
        whole = self.whole_checks_of(targets)
        if alone:
            await self._fails_with_others(alone[0], whole, before, targets)
        narrowed = [await self.shown(check, before, after, runs_for(targets, strict)) for check in telling]
        runs = runs_for(targets, strict=True) if alone else 1
        return (*narrowed, *[await self.shown(check, before, after, runs) for check in whole])

    async def _fails_with_others(self, alone: Check, whole: list[Check], before: str, targets: list[CIError]) -> None:
        """What passes alone may fail only after other tests: then it does so again and again, and the whole steps
        judge, strictly, for it may be luck after all. Raises Refusal where it passes."""
        for check, sample in product(whole, FURTHER):
            again = await self.checker.run(check, before, sample)
            if again.green or not any(self._shows_any(again, e) for e in targets):
                raise Unfit(f"`{alone.step.run.strip()}` passes without the change too: the failure is flaky")

    async def shows_any(self, tree: str, before: str, targets: list[CIError]) -> bool:
        """Whether `tree` still shows one of the errors that `before` shows, by their checks; True where that can't be
        told. Both are as CI builds them."""
        shown: set[str] = set()
        for check in [*self.narrowed(targets), *self.whole_checks_of(targets)]:
            then = {identity(e) for e in (await self.checker.run(check, before)).errors}
            now = await self.checker.run(check, tree)
            marks = {identity(e) for e in now.errors}
            if not now.green and (now.problem or now.exit_code is None or not marks):
                return True
            mine = {identity(e) for e in targets} & then
            if mine & marks:
                return True
            shown |= mine
        return not shown >= {identity(e) for e in targets}

    def narrowed(self, targets: Iterable[CIError]) -> list[Check]:
        """The narrowed checks of the targets, each from the check whose baseline shows them."""
        found = []
        for check in self.checks:
            mine = [e for e in targets if self._shows(check, e)]
            narrowed = self._narrow(check, mine)
            if narrowed is not None:
                found.append(narrowed)
        return found

    def narrowed_in_full(self, targets: Iterable[CIError]) -> list[Check]:
        """Narrowed checks that print all they can of the targets, each target in the first check that shows it."""
        found, left = [], list(targets)
        for check in self.checks:
            mine = [e for e in left if self._shows(check, e)]
            narrowed = self._narrow(check, mine)
            full = in_full(narrowed) if narrowed else None
            if full is not None:
                found.append(full)
                left = [e for e in left if e not in mine]
        return found

    def _narrow(self, check: Check, errors: list[CIError]) -> Check | None:
        return narrow(check, errors, self.checker.rules.limits, self.git.view(self.trees.head).read)

    def _shows(self, check: Check, error: CIError) -> bool:
        return error.id in self.shown_by.get(check.key, frozenset())

    def _tells_nothing(self, before: CheckResult, targets: list[CIError]) -> bool:
        """Whether a narrowed check fails by itself, whatever it was to show: it can't be run so. Then the whole step
        judges alone."""
        return not before.green and not any(self._shows_any(before, e) for e in targets)

    @staticmethod
    def _shows_any(result: CheckResult, error: CIError) -> bool:
        return identity(error) in {identity(e) for e in result.errors}


def tests_in_words(before: CheckResult, after: CheckResult) -> str:
    """Which tests a green check ran; where no runner reported them, that they were counted by its output."""
    if after.tests is not None:
        return in_words(before.tests, after.tests)
    return BY_OUTPUT if counts(after.output) else ""


def _what_is_left(before: CheckResult, after: CheckResult) -> str:
    """How many errors a check has that is red without the fix and with it: `11 → 10 errors`."""
    hidden = len(judge({before.check_key: before}, {after.check_key: after}, ()).revealed)
    known = len(after.errors) - hidden
    hid = f", and {hidden} new that were hidden before" if hidden else ""
    return f"{len(before.errors)} → {known} errors{hid}"


def runs_for(targets: Iterable[CIError], strict: bool) -> int:
    """How often the narrowed check has to pass: tests twice, three times where it is strict; all else once."""
    tests = any(e.category in (Category.TEST, Category.RUNTIME) or e.test for e in targets)
    return TEST_RUNS[strict] if tests else 1
