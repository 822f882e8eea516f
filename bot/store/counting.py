"""The counter increments of an event: a model call, a check, the end of a run."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bot.store import metric_names as names
from bot.store.counters import Count

if TYPE_CHECKING:
    from healing.llm.usage_records import Booking
    from healing.model import Outcome

NAMED = {"autofix", "fixer", "suggested", "memory", "agent", "search", "cascade", "preexisting", "flaky", "superseded"}


def of_call(booking: "Booking") -> Iterator[Count]:
    """Yields the counts of one answered model call."""
    model, usage = booking.model[:100], booking.usage
    kinds = {
        "input": usage.input_tokens,
        "cache_write": usage.write_5m_tokens + usage.write_1h_tokens,
        "cache_read": usage.cache_read_tokens,
        "output": usage.output_tokens,
    }
    yield Count(names.CALLS, (model,))
    yield from (Count(names.TOKENS, (model, kind), tokens) for kind, tokens in kinds.items() if tokens)
    yield Count(names.DOLLARS, (model,), booking.dollars)
    yield Count(names.LATENCY, (model,), booking.seconds)
    if booking.lost:
        yield Count(names.LOST, (model,), booking.lost)


def of_step(kind: str, result: Any) -> Iterator[Count]:
    """Yields the counts of one durable step that was executed, not read back. Only checks count."""
    if kind == "check" and isinstance(result, dict):
        exit_code = result.get("exit_code")
        ended = "not looked" if result.get("problem") or exit_code is None else "green" if exit_code == 0 else "red"
        yield Count(names.CHECKS, (ended,), float(result.get("seconds") or 0.0))


def of_outcome(outcome: "Outcome") -> Iterator[Count]:
    """Yields the counts of a finished run."""
    yield Count(names.ENDED, (outcome.verdict,))
    if total := outcome.seconds.get("total"):
        yield Count(names.RUN, (outcome.verdict,), total)
    reasons = {report.id: report.reason for report in outcome.unfixables}
    for resolution in outcome.resolutions:
        word, _, rest = resolution.how.partition(":")
        yield Count(names.ERRORS, (f"unfixable: {reasons.get(rest, 'other')}" if word == "unfixable" else word,))
    for proposal in outcome.proposals:
        yield Count(names.OFFERED, (_source(proposal.source),))
    if outcome.regressions_prevented:
        yield Count(names.PREVENTED, (), outcome.regressions_prevented)


def _source(source: str) -> str:
    """Shortens `fixer:missing_import` to `fixer`; a name chosen by a repository never becomes a label."""
    word = source.partition(":")[0]
    return word if word in NAMED else "other"
