"""Runs the checks of a run on trees: whether a change fixes an error, what it breaks, and the evidence for it."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import NamedTuple

from healing.checks.check import Check, CheckResult
from healing.checks.in_full import in_full
from healing.checks.narrow import narrow, ran_nothing
from healing.checks.running import Checker, clip
from healing.checks.unreadable import with_an_error
from healing.failed_jobs import Trees
from healing.git import Git
from healing.logs.fingerprint import identity
from healing.model import Category, CIError, Evidence
from healing.policy.unsent import UnsentFiles
from healing.sandbox.promises import NO_WRITE_OUTSIDE
from healing.testruns.comparing import in_words
from healing.verify.built import built_from
from healing.verify.guard.counts import counts
from healing.verify.judging import Judgement, Results, judge, not_reached, unread_errors
from healing.verify.moved import (
    errors_for_want_of,
    errors_on_written_lines,
    form_errors_on_written_lines,
    is_of_another_file,
    only_layout,
)
from healing.verify.refusing import CandidateBreaks, CandidateUnfit, Refusal, refusal_of

EVIDENCE_OUTPUT = 3_000  # characters of output kept on each side of a proposal's evidence
TEST_RUNS = {False: 2, True: 3}  # by strictness: a test has to pass at least twice, since once may be chance
BY_OUTPUT = "tests counted by what the command printed"  # the test runner itself reported none
MORE = (1, 2, 3, 4)  # samples without the change, for a test that may be flaky
FURTHER = (1, 2)  # further samples of whole steps, to tell a flaky test from one that always fails


class Narrowed(NamedTuple):
    """A check narrowed to some errors, its result without the change, and how often it has to pass with the change."""

    check: Check
    before: CheckResult
    runs: int


@dataclass
class TreeEvaluator:
    """Evaluates trees with the checks of one run. Trees are those of the branch; what is run is what CI builds from
    them."""

    git: Git
    checker: Checker
    trees: Trees
    checks: tuple[Check, ...]
    errors: dict[str, CIError]
    shown_by: dict[str, frozenset[str]] = field(default_factory=dict)  # check key → ids of the errors it showed
    unsent: UnsentFiles = field(default_factory=UnsentFiles)  # files that no model is shown
    unreached: frozenset[str] = frozenset()  # identities of errors that checks came to only after others were fixed

    @cached_property
    def closes_files(self) -> bool:
        """Whether there are files in the trees of this run that no model is shown."""
        return any(self._open_tree(tree) != tree for tree in {self.trees.head, self.trees.built})

    def _open_tree(self, tree: str) -> str:
        return self.git.without(tree, self.unsent.__contains__)

    @cached_property
    def _apart(self) -> Checker:
        """The checker for checks whose output a model is shown: git in its worktrees can read nothing but their own
        tree."""
        return self.checker.isolated()

    async def for_models(self, built: str) -> tuple[Checker, str]:
        """The checker for a check whose output a model is shown, and the tree to run it on: `built` without the files
        that are closed to models."""
        tree = await asyncio.to_thread(self._open_tree, built)
        if tree == built:
            return self.checker, built
        checker, base = self._apart, await asyncio.to_thread(self._open_tree, self.trees.built)
        kept = NO_WRITE_OUTSIDE in checker.sandbox.promises
        await checker.worktrees.base(checker.run_id, checker.git, base, kept)
        return checker, tree

    async def results(self, head_tree: str, sample: int = 0) -> dict[str, CheckResult]:
        """The result of every check on the tree that CI would build from `head_tree`; with another `sample` it is run
        again."""
        built = await self.built(head_tree)
        results = await asyncio.gather(*(self.checker.run(check, built, sample) for check in self.checks))
        return {check.key: self._known(check, result) for check, result in zip(self.checks, results, strict=True)}

    def _known(self, check: Check, result: CheckResult) -> CheckResult:
        """The result, with a stand-in error if the check is red without a readable error and was so at the start.
        Otherwise no change could be seen to fix such a check. A check that had readable errors before gets none: its
        silent failure is for the judge to see."""
        if result.problem or result.exit_code is None:
            return result
        completed = with_an_error(check, result)
        return completed if all(error.id in self.errors for error in completed.errors) else result

    async def built(self, head_tree: str) -> str:
        """The tree that CI builds for a branch with this tree. Raises Refusal where the merge conflicts."""
        built = await asyncio.to_thread(built_from, self.git, self.trees, head_tree)
        if built is None:
            raise CandidateUnfit("with it, the branch no longer merges with its base")
        return built

    def checks_of(self, targets: Iterable[CIError]) -> list[Check]:
        """The checks that show these errors: narrowed ones if possible, otherwise the whole steps."""
        targets = list(targets)
        return self.narrowed(targets) or self.whole_checks_of(targets)

    def whole_checks_of(self, targets: Iterable[CIError]) -> list[Check]:
        """The whole steps that show one of these errors."""
        targets = list(targets)
        return [c for c in self.checks if any(self._shows(c, e) for e in targets)]

    async def shown(self, check: Check, before: str, after: str, runs: int) -> Evidence:
        """The evidence of a check on two trees. Raises Refusal if it passes on the first."""
        old = await self.checker.run(check, before)
        if old.green:
            raise CandidateUnfit(f"`{check.step.run.strip()}` passes without the change too: the failure is flaky")
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
            note=tests_in_words(old, last) if last.green else _what_is_left(old, last, self.unreached),
            check=check.model_dump(mode="json"),
        )

    async def fixed_errors(
        self, before: str, after: str, targets: list[CIError], strict: bool, taken: frozenset[str], by_tool: bool
    ) -> list[CIError]:
        """The errors that the change fixes: at least one target, plus others that are not `taken` (ids) by another fix;
        nothing may break. `by_tool`: the repository's own tool made the change. Cheap checks run first. Raises
        Refusal."""
        await self._rule_out_early(before, after, targets)
        old, results = await self.results(before), await self.results(after)
        judgement = judge(old, results, targets, self.unreached)
        changed = await asyncio.to_thread(self.git.changed, before, after) if judgement.new else {}
        layout_only = bool(changed) and await asyncio.to_thread(only_layout, changed, by_tool)
        # What such a change can't be to blame for was there, and a check failed before it came to it.
        others = judgement.new if layout_only else tuple(e for e in judgement.new if is_of_another_file(e, changed))
        if others:
            self.unreached |= _not_reached(old, results, others)
            judgement = judge(old, results, targets, self.unreached)
        fixed_errors = judgement.fixed_errors(targets)
        if not fixed_errors or not (
            judgement.harmless or await self._by_chance(judgement, before, old, after, fixed_errors)
        ):
            raise refusal_of(judgement, old, results)
        await self._refuse_moved(judgement.revealed, before, after, layout_only)
        await self._narrow_passes(fixed_errors, before, after, strict)
        also_gone = self._also_gone(results, fixed_errors, taken)
        return [*fixed_errors, *await self._staying_gone(also_gone, fixed_errors, before, after, strict)]

    async def _by_chance(
        self, judgement: Judgement, before: str, old: Results, after: str, fixed: list[CIError]
    ) -> bool:
        """Whether what fails besides the fixed errors is flaky. Run again, it passes twice, or once if it sometimes
        fails without the change too. Costs two further runs."""
        if not judgement.new or not all(error.test for error in judgement.new):
            return False
        passes = [await self._harmless(old, after, fixed, sample) for sample in FURTHER]
        return all(passes) or (any(passes) and await self._fails_before(judgement.new, before))

    async def _harmless(self, old: Results, after: str, fixed: list[CIError], sample: int) -> bool:
        again = judge(old, await self.results(after, sample), fixed, self.unreached)
        return again.harmless and not again.missing

    async def _fails_before(self, errors: tuple[CIError, ...], before: str) -> bool:
        """Whether the same tests fail without the change in one of a few runs."""
        names = {error.test for error in errors}
        for sample in MORE:
            results = (await self.results(before, sample)).values()
            if names <= {error.test for result in results for error in result.errors}:
                return True
        return False

    async def _rule_out_early(self, before: str, after: str, targets: list[CIError]) -> None:
        """Raises Refusal if the narrowed checks already show that no target is fixed."""
        narrowed = self.narrowed(targets)
        if not all(any(self._shows(c, e) and self._narrow(c, [e]) for c in self.checks) for e in targets):
            return
        old = await self._run_all(narrowed, await self.built(before))
        if any(self._is_inconclusive(result, targets) for result in old.values()):
            return
        new = await self._run_all(narrowed, await self.built(after))
        judgement = judge(old, new, targets)
        if not judgement.fixed_errors(targets):
            shown = "\n".join(f"`{c.step.run}` exits {new[c.key].exit_code}: {new[c.key].output}" for c in narrowed)
            raise refusal_of(judgement, old, new, f"\n{clip(shown, 4000)}")

    async def _refuse_moved(
        self, revealed: tuple[CIError, ...], before: str, after: str, layout_only: bool = False
    ) -> None:
        """Raises Refusal if revealed errors fail in the lines that the change wrote, or miss what it took away. Of
        changes of the layout alone only errors about that count."""
        if revealed:
            changed = await asyncio.to_thread(self.git.changed, before, after)
            if layout_only:
                moved_errors = form_errors_on_written_lines(revealed, changed)
            else:
                moved_errors = errors_on_written_lines(revealed, changed, self.git.view(after))
            missed = errors_for_want_of(revealed, changed)
            if missed:
                raise CandidateBreaks(f"it takes away what is used elsewhere: {missed[0].message}")
            if moved_errors:
                first = moved_errors[0]
                where = f"{first.test}: " if first.test else ""
                raise Refusal(f"the failure only moves: what it hid now fails in these lines: {where}{first.message}")

    async def _narrow_passes(self, targets: list[CIError], before: str, after: str, strict: bool) -> None:
        """Requires the narrowed checks to exit 0, tests more than once. Where a check can't distinguish a target from
        errors of the same kind in the same file, those may stay if they were there before. Raises Refusal."""
        narrowed, built = await self._conclusive(targets, await self.built(before), strict), await self.built(after)
        await self._run_samples(narrowed, built)
        for check, old, runs in narrowed:
            for sample in range(runs):
                new = await self.checker.run(check, built, sample)
                shown_targets = [e for e in targets if self._shows_any(old, e)]
                judgement = judge({check.key: old}, {check.key: new}, shown_targets)
                fewer = len(new.errors) < len(old.errors) or bool(judgement.revealed)
                alike = judgement.harmless and not judgement.missing and fewer
                if not new.green and (not alike or any("::" in (e.test or "") for e in shown_targets)):
                    raise Refusal(f"`{check.step.run}` exits {new.exit_code}: {clip(new.output, 4000)}")

    def _also_gone(self, after: Results, fixed_errors: list[CIError], taken: frozenset[str]) -> list[CIError]:
        """Errors that the same edits fix although the candidate doesn't name them, such as other tools' reports of the
        same mistake."""
        remaining = {identity(e) for r in after.values() for e in r.errors} | {identity(e) for e in fixed_errors}
        shown = frozenset[str]().union(*self.shown_by.values())
        unknown = taken | unread_errors(after, self.shown_by)
        return [e for i, e in self.errors.items() if i in shown - unknown and identity(e) not in remaining]

    async def _staying_gone(
        self, gone: list[CIError], fixed_errors: list[CIError], before: str, after: str, strict: bool
    ) -> list[CIError]:
        """Those of `gone` that the narrowed checks, which are the evidence, don't show again: a test that fails by
        chance isn't fixed by what happens to be changed when it passes."""
        if not any(error.test for error in gone):
            return gone
        narrowed = await self._conclusive([*fixed_errors, *gone], await self.built(before), strict)
        built = await self.built(after)
        await self._run_samples(narrowed, built)
        again = {
            identity(error)
            for check, _, runs in narrowed
            for sample in range(runs)
            for error in (await self.checker.run(check, built, sample)).errors
        }
        return [error for error in gone if identity(error) not in again]

    async def evidence(self, targets: list[CIError], base: str, tree: str, strict: bool) -> tuple[Evidence, ...]:
        """The narrowed checks first, then the whole steps that showed the errors."""
        before, after = await self.built(base), await self.built(tree)
        narrowed = await self._conclusive(targets, before, strict)
        failing = [one for one in narrowed if not one.before.green]
        alone = [one.check for one in narrowed if one.before.green and not ran_nothing(one.before)]
        whole_checks = self.whole_checks_of(targets)
        if alone:
            await self._fails_with_others(alone[0], whole_checks, before, targets)
        await self._run_samples(failing, after)
        runs = runs_for(targets, strict=True) if alone else 1
        every = {one.check.key: (one.check, one.runs) for one in failing}  # a step may be its own narrowed check
        every |= {check.key: (check, max(runs, every.get(check.key, (check, 0))[1])) for check in whole_checks}
        return tuple([await self.shown(check, before, after, runs) for check, runs in every.values()])

    async def _conclusive(self, targets: list[CIError], before: str, strict: bool) -> list[Narrowed]:
        """The narrowed checks that can be judged by, with their results on `before`."""
        results = await self._run_all(checks := self.narrowed(targets), before)
        return [
            Narrowed(check, result, runs_for([e for e in targets if self._shows_any(result, e)] or targets, strict))
            for check, result in ((check, results[check.key]) for check in checks)
            if not self._is_inconclusive(result, targets)
        ]

    async def _run_all(self, checks: list[Check], built: str) -> Results:
        """The results of checks that run at the same time, by check key."""
        results = await asyncio.gather(*(self.checker.run(check, built) for check in checks))
        return {check.key: result for check, result in zip(checks, results, strict=True)}

    async def _run_samples(self, narrowed: Iterable[Narrowed], built: str) -> None:
        """Runs the checks at the same time, as often as they have to pass; each result is then asked for at no cost."""
        await asyncio.gather(
            *(self.checker.run(one.check, built, sample) for one in narrowed for sample in range(one.runs))
        )

    async def _fails_with_others(self, alone: Check, whole: list[Check], before: str, targets: list[CIError]) -> None:
        """Requires the whole steps to fail again and again without the change. A test that passes alone may fail only
        after other tests; then the whole steps judge it, strictly, for it may be flaky after all. Raises Refusal if a
        step passes."""
        for check, sample in product(whole, FURTHER):
            again = await self.checker.run(check, before, sample)
            if again.green or not any(self._shows_any(again, e) for e in targets):
                raise CandidateUnfit(f"`{alone.step.run.strip()}` passes without the change too: the failure is flaky")

    async def shows_any(self, tree: str, before: str, targets: list[CIError]) -> bool:
        """Whether `tree` still shows one of the errors that `before` shows, by their checks; True if that can't be
        determined. Both are as CI builds them."""
        shown: set[str] = set()
        for check in [*self.narrowed(targets), *self.whole_checks_of(targets)]:
            keys_before = {identity(e) for e in (await self.checker.run(check, before)).errors}
            now = await self.checker.run(check, tree)
            marks = {identity(e) for e in now.errors}
            if not now.usable:
                return True
            expected = {identity(e) for e in targets} & keys_before
            if expected & marks:
                return True
            shown |= expected
        return not shown >= {identity(e) for e in targets}

    def narrowed(self, targets: Iterable[CIError]) -> list[Check]:
        """The narrowed checks of the targets, each from a check whose baseline shows them."""
        narrowed_checks = []
        for check in self.checks:
            shown = [e for e in targets if self._shows(check, e)]
            narrowed = self._narrow(check, shown)
            if narrowed is not None:
                narrowed_checks.append(narrowed)
        return narrowed_checks

    def narrowed_in_full(self, targets: Iterable[CIError]) -> list[Check]:
        """Narrowed checks that print all they can about the targets, each target in the first check that shows it."""
        full_checks, remaining = [], list(targets)
        for check in self.checks:
            shown = [e for e in remaining if self._shows(check, e)]
            narrowed = self._narrow(check, shown)
            full = in_full(narrowed) if narrowed else None
            if full is not None:
                full_checks.append(full)
                remaining = [e for e in remaining if e not in shown]
        return full_checks

    def _narrow(self, check: Check, errors: list[CIError]) -> Check | None:
        return narrow(check, errors, self.checker.rules.limits, self.git.view(self.trees.head).read)

    def _shows(self, check: Check, error: CIError) -> bool:
        return error.id in self.shown_by.get(check.key, frozenset())

    def _is_inconclusive(self, before: CheckResult, targets: list[CIError]) -> bool:
        """Whether a narrowed check fails without showing any target, so it can't be run narrowed. Then the whole step
        alone judges."""
        return not before.green and not any(self._shows_any(before, e) for e in targets)

    @staticmethod
    def _shows_any(result: CheckResult, error: CIError) -> bool:
        return identity(error) in {identity(e) for e in result.errors}


def _not_reached(before: Results, after: Results, errors: Iterable[CIError]) -> frozenset[str]:
    """The identities of those errors that no check came to before."""
    return frozenset(
        identity(error)
        for error in errors
        if all(not_reached(before[key], error) for key, result in after.items() if error in result.errors)
    )


def tests_in_words(before: CheckResult, after: CheckResult) -> str:
    """Which tests a green check ran; if no runner reported them, a note that they were counted by its output."""
    if after.tests is not None:
        return in_words(before.tests, after.tests)
    return BY_OUTPUT if counts(after.output) else ""


def _what_is_left(before: CheckResult, after: CheckResult, unreached: frozenset[str]) -> str:
    """How many errors a check has that is red both without the fix and with it: `11 → 10 errors`."""
    hidden = len(judge({before.check_key: before}, {after.check_key: after}, (), unreached).revealed)
    visible = len(after.errors) - hidden
    note = f", and {hidden} new that were hidden before" if hidden else ""
    return f"{len(before.errors)} → {visible} errors{note}"


def runs_for(targets: Iterable[CIError], strict: bool) -> int:
    """How often the narrowed check has to pass: tests twice, or three times if `strict`; everything else once."""
    tests = any(e.category in (Category.TEST, Category.RUNTIME) or e.test for e in targets)
    return TEST_RUNS[strict] if tests else 1
