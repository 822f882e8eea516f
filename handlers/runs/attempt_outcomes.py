"""Merges the outcomes of several attempts at one commit: a later attempt adds to the earlier ones. Pure."""

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple, TypeVar

from healing.model import Outcome, Spending

Item = TypeVar("Item")
Verdict = Literal["healed", "partly", "not-healed", "could-not-look"]


class AttemptOutcome(NamedTuple):
    """One attempt's outcome. `fresh`: it started from all known failures, so it could check all of them again."""

    outcome: Outcome
    fresh: bool


def merge_outcomes(ended_attempts: tuple[AttemptOutcome, ...]) -> Outcome:
    """Returns all errors, each with its last resolution, all fixes, and the total spending. `ended_attempts` must not
    be empty."""
    outcomes = [ended.outcome for ended in ended_attempts]
    if len(outcomes) == 1:
        return outcomes[0]
    resolutions = _last((r for o in outcomes for r in o.resolutions), lambda r: r.error_id)
    ends = {resolution.how for resolution in resolutions}
    since = max((index for index, ended in enumerate(ended_attempts) if ended.fresh), default=0)
    return outcomes[-1].model_copy(
        update={
            "verdict": _verdict(outcomes, since),
            "errors": _last((e for o in outcomes for e in o.errors), lambda e: e.id),
            "causes": _last((c for o in outcomes for c in o.causes), lambda c: c.fingerprint),
            "clusters": _last((c for o in outcomes for c in o.clusters), lambda c: c.id),
            "proposals": _last((p for o in outcomes for p in o.proposals), lambda p: p.id),
            "unfixables": _last(
                (u for o in outcomes for u in o.unfixables if f"unfixable:{u.id}" in ends), lambda u: u.id
            ),
            "resolutions": resolutions,
            "not_looked": _last((n for o in outcomes[since:] for n in o.not_looked), lambda n: n.what),
            "drifted": _last((id_ for o in outcomes[since:] for id_ in o.drifted), str),
            "retryable": _last((c for o in outcomes[since:] for c in o.retryable), lambda c: str(c.id)),
            "head_lines": {id_: span for o in outcomes for id_, span in o.head_lines.items()},
            "spending": _spent([o.spending for o in outcomes]),
            "seconds": {"total": sum(o.seconds.get("total", sum(o.seconds.values())) for o in outcomes)},
        }
    )


def _last(items: Iterable[Item], key: Callable[[Item], str]) -> tuple[Item, ...]:
    """Returns the last version of each item, in the order of their first versions."""
    return tuple({key(item): item for item in items}.values())


def _verdict(outcomes: list[Outcome], since: int) -> Verdict:
    counting = {outcome.verdict for outcome in outcomes[since:]}
    covered = {e.id for o in outcomes[since:] for e in o.errors} >= {e.id for o in outcomes[:since] for e in o.errors}
    if len(counting) == 1 and (covered or counting == {outcome.verdict for outcome in outcomes}):
        return outcomes[-1].verdict
    if not any(outcome.proposals for outcome in outcomes):
        return "not-healed" if "not-healed" in {outcome.verdict for outcome in outcomes} else outcomes[-1].verdict
    return "partly"


def _spent(all_: list[Spending]) -> Spending:
    fields = [spending.model_dump() for spending in all_]
    total = {name: sum(values[name] for values in fields) for name in fields[0]}
    return Spending.model_validate({**total, "estimate_dollars": all_[-1].estimate_dollars})
