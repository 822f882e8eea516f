"""Proof by the repository's own CI (`verify`): a fix is offered only if CI is green with it.

With a sandbox, fixes arrive here proven; without one they come from fixers, which run nothing, and CI alone proves
them. All fixes are tried in one CI run first. If it is red, those that turned a job green are kept; if they turned
none, each is tried by itself.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

from healing.causes import find_causes
from healing.checks.check import Check
from healing.checks.finding import find_checks
from healing.checks.running import Checker, clip
from healing.edits.exact import EditError, apply_edits, edits_between, modes_of, widen
from healing.failed_jobs import FailedJob
from healing.git import Git
from healing.graph import Cache, import_graph
from healing.graph.names import NameIndex
from healing.model import (
    Candidate,
    CIError,
    Evidence,
    NotChecked,
    Outcome,
    Proposal,
    Resolution,
    RootCause,
    content_id,
)
from healing.pipeline.baseline import Baseline, unfixable
from healing.pipeline.ci.by_job import healed_jobs, limited_to_errors, named, new_failure
from healing.pipeline.ci.by_tools import ToolFixes
from healing.pipeline.ci.chain import Chain, Write
from healing.pipeline.failure import Failure
from healing.pipeline.head_lines import head_lines
from healing.pipeline.reproducing import read
from healing.pipeline.resolving import how_resolved
from healing.pipeline.tool_errors import deferred_to_fixers
from healing.repair.fixers import FIXERS
from healing.repair.fixers.fixer import Repo
from healing.verify.applying import applied
from healing.verify.built import built_from
from healing.verify.guard import flags
from healing.verify.guard.counts import counts
from healing.verify.parts import Parts, parts_of
from healing.verify.refusing import Refusal
from healing.verify.tree_evaluator import BY_OUTPUT, EVIDENCE_OUTPUT
from healing.verify.trial import InCi, Progress, Trial, TrialVerdict, judge_trial, text_of

MAX_TRIALS = 10  # of one run: each is a run of CI
NO_SANDBOX = NotChecked(
    what="autofix, agents and the checks here",
    why="no sandbox works on this machine, so only rule-based fixes that run nothing were tried, and CI judged them",
    advice="heal doctor says what to install",
)


@dataclass
class ByCi:
    """Proves one run's fixes by CI. `others` are further failed jobs that these proofs don't cover; `checker`, where
    there is a sandbox, runs tools that need nothing of the repository's environment."""

    git: Git
    failure: Failure
    ci: InCi
    progress: Progress
    checker: Checker | None = None
    others: tuple[FailedJob, ...] = ()
    _trials: int = 0

    async def prove(self, outcome: Outcome) -> Outcome:
        """The outcome with only those proposals with which CI is green."""
        if not outcome.proposals:
            return outcome
        verdict, trial = await self._judged(outcome.proposals)
        if verdict.green:
            return outcome.model_copy(update={"proposals": self._shown(outcome.proposals, trial)})
        if verdict.looked and (by_job := await self._by_job(outcome, verdict, trial)):
            return by_job
        if not verdict.looked or len(outcome.proposals) == 1:
            return _without(outcome, dict.fromkeys((p.id for p in outcome.proposals), verdict))
        return await self._one_by_one(outcome)

    async def _by_job(self, outcome: Outcome, verdict: TrialVerdict, trial: Trial) -> Outcome | None:
        """The outcome with the fixes that turned a job green, for the errors of such jobs; None where they turned none.
        A job that stays red must not fail for any further reason."""
        healed = healed_jobs(trial, self.failure.jobs, self.others)
        if not healed:
            return None
        _, _, reported = await read(self.failure, self.git)
        pairs = zip(self.failure.jobs, reported.jobs, strict=False)  # errors only in report files belong to no job
        ids = {error.id for job, errors in pairs if job in healed for error in errors}
        kept = limited_to_errors(outcome.proposals, ids, self.failure.trees.head)
        if not kept:
            return None
        red_jobs = tuple(job for job in self.failure.jobs if job not in healed)
        narrowed_run = replace(self, failure=replace(self.failure, jobs=healed), others=(*self.others, *red_jobs))
        if await asyncio.to_thread(self._built, kept) != trial.tree:
            new_verdict, trial = await narrowed_run._judged(kept)
        else:
            new_verdict = narrowed_run._verdict(trial)
        if not new_verdict.green:
            return None
        shown = narrowed_run._shown(kept, trial)
        fixed_ids = {id_ for proposal in kept for id_ in proposal.error_ids}
        settled = tuple(r for r in outcome.resolutions if r.proposal_id is None or r.error_id in fixed_ids)
        left = [r.error_id for r in outcome.resolutions if r not in settled]
        return _left(outcome.model_copy(update={"proposals": shown}), dict.fromkeys(left, verdict))

    async def _one_by_one(self, outcome: Outcome) -> Outcome:
        kept: list[Proposal] = []
        refused: dict[str, TrialVerdict] = {}
        for proposal in outcome.proposals:
            chain = (*(p for p in outcome.proposals if p.id in proposal.needs), proposal)
            verdict, trial = await self._judged(chain)
            if verdict.green:
                kept.append(self._shown(chain, trial)[-1])
            else:
                refused[proposal.id] = verdict
        kept_ids = {p.id for p in kept}
        missing_needs = [p for p in kept if not set(p.needs) <= kept_ids]
        refused |= {p.id: TrialVerdict(green=False, why="what it needs is red in CI") for p in missing_needs}
        return _without(outcome.model_copy(update={"proposals": (*kept,)}), refused)

    async def heal(self) -> Outcome:
        """A whole run where nothing can be run here: CI reports the errors, fixers propose, CI proves."""
        baseline, _, reported = await read(self.failure, self.git)
        baseline.only_report(self.failure.policy, reported.open_errors())
        left_alone = {id_ for report in baseline.unfixables for id_ in report.error_ids}
        open_errors = [error for error in reported.open_errors() if error.id not in left_alone]
        proposals = await self.propose(tuple(open_errors))
        fix_of = {id_: p for p in proposals for id_ in p.error_ids}
        baseline.errors += tuple(e for e in open_errors if e.id in fix_of)
        baseline.resolutions += [resolved_by(p, id_) for id_, p in fix_of.items()]
        why = "no sandbox works on this machine, and no rule has a fix"
        baseline.give_up([e for e in open_errors if e.id not in fix_of], "could-not-look", why)
        return await self.prove(self._outcome(baseline, proposals, bool(open_errors)))

    def _outcome(self, baseline: Baseline, proposals: tuple[Proposal, ...], any_error: bool) -> Outcome:
        whole = proposals and not baseline.unfixables and not baseline.not_looked
        return Outcome(
            verdict="healed" if whole else "partly" if proposals else "could-not-look",
            run_id=self.failure.run_id,
            errors=baseline.errors,
            proposals=proposals,
            unfixables=tuple(baseline.unfixables),
            resolutions=tuple(baseline.resolutions),
            not_looked=(*baseline.not_looked, NO_SANDBOX),
            sightings=baseline.sightings,
            reporting_jobs=baseline.reporting_jobs,
            retryable=baseline.retryable_runs(),
        )

    # Trials ----------------------------------------------------------------------------------------------------------

    async def _judged(self, proposals: tuple[Proposal, ...]) -> tuple[TrialVerdict, Trial]:
        built = await asyncio.to_thread(self._built, proposals)
        none = Trial(tree=built or "")
        if built is None:
            return TrialVerdict(green=False, why="with it, the branch no longer merges with its base"), none
        if self._trials >= MAX_TRIALS:
            return TrialVerdict(
                green=False, looked=False, why=f"{MAX_TRIALS} runs of CI are the most for one run"
            ), none
        self._trials += 1
        await self.progress("The repository's own CI judges the fixes")
        trial = await self.ci.trial(built, self.failure.jobs)
        return self._verdict(trial), trial

    def _verdict(self, trial: Trial) -> TrialVerdict:
        verdict = judge_trial(trial, self.failure.jobs, [named(job) for job in self.others])
        why = new_failure(trial, self.others) if verdict.green else ""
        return TrialVerdict(green=False, why=why) if why else verdict

    def _built(self, proposals: tuple[Proposal, ...]) -> str | None:
        tree = self.failure.trees.head
        for proposal in proposals:
            base = proposal.base_tree
            changes = apply_edits(proposal.edits, self.git.view(base).read)
            merged = self.git.merge(base, tree, self.git.write_tree(base, changes, modes_of(proposal.edits))).tree
            if merged is None:
                return None
            tree = merged
        return built_from(self.git, self.failure.trees, tree)

    def _shown(self, proposals: tuple[Proposal, ...], trial: Trial) -> tuple[Proposal, ...]:
        """The proposals, each with CI's result as evidence."""
        wanted = [named(job) for job in self.failure.jobs]
        logs = [job.log or "" for job in trial.jobs if (job.workflow_path, job.name) in wanted]
        beside = "" if len(proposals) == 1 else f" with {len(proposals)} fixes together"
        counted = f" ({BY_OUTPUT})" if counts("\n".join(logs)) else ""
        evidence = Evidence(
            command="CI: " + ", ".join(dict.fromkeys(name for _, name in wanted)),
            before_tree=self.failure.trees.built,
            after_tree=trial.tree,
            before_exit=1,
            after_exit=0,
            before_output=clip("\n".join(text_of(job.log or b"") for job in self.failure.jobs), EVIDENCE_OUTPUT),
            after_output=clip("\n".join(logs), EVIDENCE_OUTPUT),
            note=f"Run by this repository's own CI{beside}{counted}, on the branch {trial.branch}: {trial.url}",
            alone=len(proposals) == 1,
            check={"ci": wanted, "others": [named(job) for job in self.others]},
        )
        return tuple(
            p.model_copy(update={"evidence": (*p.evidence, evidence), "flags": (*p.flags, *_judged_with(p, proposals))})
            for p in proposals
        )

    # What can't be run here ------------------------------------------------------------------------------------------

    async def propose(self, errors: tuple[CIError, ...], beside: tuple[Proposal, ...] = ()) -> tuple[Proposal, ...]:
        """What fixers, which run nothing, propose for errors that CI reported: not proven yet, and then only all
        together. `beside` is what is already offered."""
        wanted = tuple(error for error in errors if not self.failure.policy.why_only_reported(error))
        on_head = await asyncio.to_thread(self._on_head, wanted)
        chain = Chain(self.git, self.failure.trees.head, beside)
        waiting = {e.id for e in deferred_to_fixers(on_head)}
        fixed_ids = await self._by_tools(tuple(e for e in on_head if e.id not in waiting), chain)
        left = tuple(e for e in on_head if e.id not in fixed_ids)
        last = await asyncio.to_thread(self._by_rules, left, chain)
        fixed_ids |= {id_ for fix in chain.fixes for id_ in fix.error_ids}
        await self._by_tools(tuple(e for e in left if e.id not in fixed_ids), chain)
        for tree, write in last:
            await asyncio.to_thread(chain.add, tree, write)
        return tuple(chain.fixes)

    def _on_head(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        lines = head_lines(errors, self.git, self.failure.trees)
        return tuple(e.model_copy(update={"line": lines[e.id][0]}) if e.id in lines else e for e in errors)

    async def _by_tools(self, errors: tuple[CIError, ...], chain: Chain) -> set[str]:
        """Adds the changes that formatters and linters make, each on top of the previous one. Returns the ids of the
        errors that they may fix."""
        if self.checker is None:
            return set()
        tools = ToolFixes(self.checker, self.git, self.failure.policy, self._checks)
        fixed_ids: set[str] = set()
        for runner, wanted in tools.runners(errors, chain.head):
            on = chain.tip or chain.head
            proposed = await tools.candidate(runner, wanted, errors, on)
            divided = await asyncio.to_thread(self._divided, *proposed, on) if proposed else None
            if proposed is None or divided is None or divided[1].touched:
                continue
            write = partial(self._proposal, *proposed, divided[1])
            if await asyncio.to_thread(chain.add_on_tip, divided[0], write):
                fixed_ids |= {e.id for e in proposed[1]}
        return fixed_ids

    def _by_rules(self, errors: tuple[CIError, ...], chain: Chain) -> list[tuple[str, Write]]:
        """Adds, for each root cause, the likeliest candidate that applies, parses and passes the guard, beside the
        others. Returns the candidates that change tests or checks: they come last, so that no other fix needs them."""
        head = self.failure.trees.head
        view = self.git.view(head)
        before = self.failure.base_view_tree
        repo = Repo(view, NameIndex(view), import_graph(view, Cache()), self.git.view(before) if before else None)
        last: list[tuple[str, Write]] = []
        for cause in find_causes(errors, view):
            for candidate, targets in _candidates(cause, errors, repo):
                divided = self._divided(candidate, targets, head)
                if divided is None:
                    continue
                made, parts = divided
                write = partial(self._proposal, candidate, targets, parts)
                if parts.touched:
                    last.append((made, write))
                    break
                if chain.add(made, write):
                    break
        return last

    def _divided(self, candidate: Candidate, targets: tuple[CIError, ...], on: str) -> tuple[str, Parts] | None:
        """The tree `on` with those edits of a candidate that count, by the roles of its files as for a proof in the
        sandbox. None where no edit counts, where it can't be offered, or where it changes tests or checks for errors
        that lie elsewhere."""
        trees = self.failure.trees
        base = self.git.view(trees.merge_base) if trees.merge_base else None
        try:
            parts = parts_of(candidate, targets, self._checks, self.git.view(on), base)
            if not parts.counted or parts.judged_by_fault(targets):
                return None
            counted = candidate.model_copy(update={"edits": parts.counted})
            return applied(self.git, counted, on, targets, self.failure.policy, parts.files_at_fault), parts
        except (Refusal, EditError):
            return None

    @cached_property
    def _checks(self) -> tuple[Check, ...]:
        """The commands that failed, as far as they can be read; none is run."""
        view = self.git.view(self.failure.trees.built)
        return self.failure.checks or find_checks(self.failure.jobs, view).failing

    def _proposal(
        self, candidate: Candidate, targets: tuple[CIError, ...], parts: Parts, base: str, tree: str
    ) -> Proposal:
        view = self.git.view(base)
        changed = self.git.changed(base, tree)
        edits = tuple(
            edit
            for path, (old, new) in sorted(changed.items())
            for edit in edits_between(path, old, new, view.mode(path) or "100644")
        )
        both = widen(edits, view.read)
        return Proposal(
            **candidate.model_dump(include={"source", "phase", "title", "explanation", "confidence", "error_ids"}),
            id=content_id(candidate.source, [e.model_dump() for e in edits], length=12),
            edits=edits,
            wide=both.wide,
            reverse=both.reverse,
            evidence=(),
            base_tree=base,
            flags=(*parts.flags(), *flags(changed, targets, view.read, at_fault=parts.files_at_fault)),
            touches=parts.touched,
        )


def evidence_jobs(evidence: Evidence) -> tuple[FailedJob, ...]:
    """The jobs that CI's evidence is about; empty for other evidence."""
    return tuple(FailedJob(name, path) for path, name in evidence.check.get("ci", ()))


def other_failed_jobs(evidence: Evidence) -> tuple[tuple[str, str], ...]:
    """The further failed jobs, by workflow file and name, that CI's evidence does not cover."""
    return tuple((path, name) for path, name in evidence.check.get("others", ()))


def _judged_with(proposal: Proposal, together: tuple[Proposal, ...]) -> Iterator[str]:
    """Flags a fix that CI alone proved, if it was tested together with a fix that changed tests or checks."""
    if not proposal.evidence and not proposal.touches:
        for other in together:
            if other.touches:
                yield f"your CI tested it together with {other.id[:8]}, which changes the {other.touches}"


def _candidates(
    cause: RootCause, errors: tuple[CIError, ...], repo: Repo
) -> Iterator[tuple[Candidate, tuple[CIError, ...]]]:
    by_id = {e.id: e for e in errors}
    for fixer in FIXERS:
        for candidate in fixer.propose(cause, errors, repo):
            yield candidate, tuple(by_id[i] for i in candidate.error_ids if i in by_id)


def resolved_by(proposal: Proposal, error_id: str) -> Resolution:
    """The resolution of an error that the proposal fixes."""
    return Resolution(error_id=error_id, how=how_resolved(proposal), proposal_id=proposal.id)


def _without(outcome: Outcome, refused: dict[str, TrialVerdict]) -> Outcome:
    """The outcome without these proposals; their errors are left, with CI's verdict."""
    kept = tuple(p for p in outcome.proposals if p.id not in refused)
    proposal_of = {r.error_id: r.proposal_id for r in outcome.resolutions}
    left = {id_: refused[by] for id_, by in proposal_of.items() if by in refused}
    return _left(outcome.model_copy(update={"proposals": kept}), left, tuple(refused.values()))


def _left(outcome: Outcome, left: dict[str, TrialVerdict], verdicts: tuple[TrialVerdict, ...] = ()) -> Outcome:
    """The outcome with these errors left, each with CI's verdict; `verdicts` are further ones, about fixes whose errors
    are unknown."""
    verdicts = tuple(dict.fromkeys((*left.values(), *verdicts)))
    if not verdicts:
        return outcome
    by_id = {e.id: e for e in outcome.errors}
    resolutions = {r.error_id: r for r in outcome.resolutions}
    reports = list(outcome.unfixables)
    for verdict in verdicts:
        errors = [by_id[id_] for id_, why in left.items() if why == verdict and id_ in by_id]
        reason = "ci-red" if verdict.looked else "could-not-look"
        tried = "a fix was found; it is offered only where the repository's own CI is green with it"
        report = unfixable(errors, reason, verdict.why, tried, verdict.advice or "A person has to read CI's log.")
        if errors:
            reports.append(report)
            resolutions |= {e.id: Resolution(error_id=e.id, how=f"unfixable:{report.id}") for e in errors}
    not_judged = (NotChecked(what="the fixes in CI", why=v.why, advice=v.advice) for v in verdicts if not v.looked)
    looked = any(verdict.looked for verdict in verdicts)
    return outcome.model_copy(
        update={
            "verdict": "partly" if outcome.proposals else "not-healed" if looked else "could-not-look",
            "unfixables": tuple(dict.fromkeys(reports)),
            "resolutions": tuple(resolutions.values()),
            "not_looked": tuple(dict.fromkeys((*outcome.not_looked, *not_judged))),
        }
    )
