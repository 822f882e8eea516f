"""How every error was resolved: computed from proposals, reports and what is left, so that none is silently dropped."""

from typing import Literal

from healing.logs.fingerprint import identity
from healing.model import CIError, Proposal, Resolution, Unfixable
from healing.pipeline.baseline import RED_BEFORE, Baseline
from healing.pipeline.remaining import Remaining
from healing.pipeline.second_look import AGAIN
from healing.policy.fixes import POLICY
from healing.verify.verifier import Verifier


async def settle(
    baseline: Baseline,
    verifier: Verifier,
    reports: tuple[Unfixable, ...],
    left: tuple[CIError, ...],
    remaining: Remaining,
) -> None:
    """Adds a resolution for every healable error to the baseline, and the reports on what is left."""
    still_left = {e.id: e for e in left}
    by_id = {p.id: p for p in verifier.accepted}
    fixed_by = {i: by_id[p] for i, p in verifier.fixed_by.items() if p in by_id}
    fixed_by |= {i: p for p in verifier.accepted for i in p.error_ids}
    gone = [e for i, e in remaining.healable.items() if i not in still_left and i not in fixed_by and e.test]
    flaky = await _coming_back(verifier, gone)
    baseline.unfixables += [r for r in reports if set(r.error_ids) & set(still_left)]
    reported = {i: r for r in reports for i in r.error_ids}
    for ident in remaining.healable:
        if ident in still_left and ident in reported:
            how = f"unfixable:{reported[ident].id}"
            baseline.resolutions.append(Resolution(error_id=ident, how=how))
        elif ident not in still_left:
            fixed = _fixed(ident, fixed_by.get(ident), remaining)
            baseline.resolutions.append(Resolution(error_id=ident, how="flaky") if ident in flaky else fixed)
    baseline.errors += tuple(remaining.of_base.values())
    baseline.resolutions += [Resolution(error_id=e.id, how="preexisting") for e in remaining.of_base.values()]
    known = {identity(e) for e in baseline.errors}
    baseline.only_report(verifier.policy, (e for mark, e in remaining.left_alone.items() if mark not in known))
    unreported = [e for e in left if e.id not in reported]
    baseline.give_up(unreported, "given-up", "no attempt fixed it", _tried(unreported, verifier))


async def _coming_back(verifier: Verifier, gone: list[CIError]) -> frozenset[str]:
    """The ids of those errors of tests, which no fix claims, that are gone by chance: nothing was changed, or they are
    there again when all fixes are checked once more."""
    if not gone or not verifier.accepted:
        return frozenset(error.id for error in gone)
    again = await verifier.results(verifier.integration, AGAIN)
    shown = {identity(error) for result in again.values() for error in result.errors}
    return frozenset(error.id for error in gone if identity(error) in shown)


def _fixed(ident: str, proposal: Proposal | None, remaining: Remaining) -> Resolution:
    if proposal is None:
        return Resolution(error_id=ident, how=f"cascade:{remaining.gone_in.get(ident, 'free')}")
    return Resolution(error_id=ident, how=how_resolved(proposal), proposal_id=proposal.id)


def how_resolved(proposal: Proposal) -> str:
    """How a proposal's errors are resolved once it is accepted: free fixes by their own name, agents' as `fix:`."""
    if proposal.source.startswith("search:"):
        return "fixer:search"
    free = proposal.source.startswith(("autofix:", "fixer:", "memory:"))
    return proposal.source if free else f"fix:{proposal.id}"


def _tried(errors: list[CIError], verifier: Verifier) -> str:
    wanted = {e.id for e in errors}
    tried = [f"{c.source} ({c.title})" for c, _ in verifier.refused if wanted & set(c.error_ids)]
    return ", ".join(dict.fromkeys(tried)) or "the tools' own fixes that Heal knows, and all its rules"


def verdict_of(
    baseline: Baseline, verifier: Verifier, left: tuple[CIError, ...]
) -> Literal["healed", "partly", "not-healed", "could-not-look"]:
    """The verdict: `healed` only if every failing check is green with all proposals on the tree that CI would build."""
    if not left and verifier.accepted:
        excluded = any(report.reason in (POLICY, RED_BEFORE) for report in baseline.unfixables)
        unread = any("log of" in entry.what for entry in baseline.not_looked)
        return "partly" if excluded or unread else "healed"
    return "partly" if verifier.accepted else "not-healed"
