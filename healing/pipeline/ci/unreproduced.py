"""Proof by the repository's own CI of fixes for errors that the sandbox can't reproduce (`verify: auto`).

Fixers, which run nothing, propose fixes for errors that CI reported and no check here could show; CI proves them. What
the sandbox did prove stays as it is, and so do jobs that failed for other reasons.
"""

from collections.abc import Collection
from dataclasses import replace

from healing.model import CIError, NotChecked, Outcome, Resolution, Unfixable
from healing.pipeline.baseline import unfixable
from healing.pipeline.ci.by_ci import ByCi, resolved_by
from healing.pipeline.reproducing import read

UNREPRODUCED = "could-not-look"


async def prove_unreproduced(by_ci: ByCi, outcome: Outcome) -> Outcome:
    """The outcome with what CI proved for errors that could not be reproduced here. CI runs only if there is a fix to
    test."""
    left_ids = {id_ for report in outcome.unfixables if report.reason == UNREPRODUCED for id_ in report.error_ids}
    if not left_ids:
        return outcome
    _, _, reported = await read(by_ci.failure, by_ci.git)
    pairs = zip(by_ci.failure.jobs, reported.jobs, strict=False)  # errors only in report files belong to no job
    asked_jobs = [job for job, errors in pairs if left_ids & {e.id for e in errors}]
    errors = {e.id: e for e in reported.open_errors() if e.id in left_ids}
    proposals = await by_ci.propose(tuple(errors.values()), outcome.proposals) if asked_jobs else ()
    if not proposals:
        return outcome
    others = tuple(job for job in by_ci.failure.jobs if job not in asked_jobs)
    narrowed = replace(by_ci, failure=replace(by_ci.failure, jobs=tuple(asked_jobs)), others=others)
    targets = {id_: proposal for proposal in proposals for id_ in proposal.error_ids if id_ in errors}
    untested = outcome.model_copy(
        update={
            "errors": tuple(errors[id_] for id_ in targets),
            "proposals": proposals,
            "unfixables": (),
            "resolutions": tuple(resolved_by(proposal, id_) for id_, proposal in targets.items()),
            "not_looked": (),
        }
    )
    proven = await narrowed.prove(untested)
    names = [
        job.name
        for job, errors_ in zip(by_ci.failure.jobs, reported.jobs, strict=False)
        if job in asked_jobs and {e.id for e in errors_} & left_ids <= _fixed(proven)
    ]
    return _joined(outcome, proven, set(targets), names)


def _fixed(proven: Outcome) -> set[str]:
    return {r.error_id for r in proven.resolutions if r.proposal_id is not None}


def _joined(outcome: Outcome, proven: Outcome, settled: Collection[str], healed_jobs: Collection[str]) -> Outcome:
    """Both outcomes together: errors that CI has tested end with CI's result."""
    unfixables: list[Unfixable] = []
    resolutions: dict[str, Resolution] = {r.error_id: r for r in outcome.resolutions}
    by_id: dict[str, CIError] = {e.id: e for e in outcome.errors}
    for report in outcome.unfixables:
        kept = [by_id[id_] for id_ in report.error_ids if id_ not in settled]
        if len(kept) == len(report.error_ids):
            unfixables.append(report)
        elif kept:
            adjusted = unfixable(kept, report.reason, report.why, report.tried, report.advice)
            unfixables.append(adjusted)
            resolutions |= {e.id: Resolution(error_id=e.id, how=f"unfixable:{adjusted.id}") for e in kept}
    unfixables += proven.unfixables
    not_looked = [n for n in outcome.not_looked if not _about(n, healed_jobs)] + list(proven.not_looked)
    proposals = (*outcome.proposals, *proven.proposals)
    verdict = "partly" if proposals else "not-healed" if proven.verdict == "not-healed" else outcome.verdict
    if proven.proposals and not unfixables and not not_looked:
        verdict = "healed"
    return outcome.model_copy(
        update={
            "verdict": verdict,
            "proposals": proposals,
            "unfixables": tuple(unfixables),
            "resolutions": tuple((resolutions | {r.error_id: r for r in proven.resolutions}).values()),
            "not_looked": tuple(not_looked),
        }
    )


def _about(one: NotChecked, jobs: Collection[str]) -> bool:
    return any(one.what == name or one.what.startswith(f"{name} / ") for name in jobs)
