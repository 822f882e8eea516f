"""Routing to specialists against one generalist for everything, as far as a stand-in can tell: calls, tokens, cache and
money. It can't tell who repairs more: that takes a real model (`python -m benchmarks heal --model NAME`)."""

from typing import Any

from benchmarks.agents.designs import row_of
from benchmarks.agents.stage import Kind, clusters_of, shift
from healing.model import Category
from healing.repair.agents.profiles import GENERALIST, load_profile, registry
from healing.repair.agents.routing import route
from tests.pipeline.bench import Bench

KINDS = (
    Kind("ruff", "F401", Category.LINT, "`os` imported but unused"),
    Kind("ruff", "I001", Category.LINT, "Import block is un-sorted or un-formatted"),
    Kind("mypy", "attr-defined", Category.TYPE, '"None" has no attribute "strip"'),
    Kind("pytest", "", Category.TEST, "AssertionError: assert 3 == 4"),
    Kind("ruff", "D103", Category.LINT, "Missing docstring in public function"),
    Kind("black", "", Category.FORMAT, "would reformat"),
)
# Two agents have to find the same fix of these, which costs more than one agent does.
AGREED = (
    Kind("ruff", "S608", Category.SECURITY, "Possible SQL injection vector through string-based query construction"),
    Kind("bandit", "B602", Category.SECURITY, "subprocess call with shell=True identified, security issue"),
)
CAUSES = 4


async def routes(bench: Bench) -> tuple[list[dict[str, Any]], float]:
    """Both ways on the same clusters. Rows, and what routing costs of what the generalist costs."""
    rows, share = await _both(bench, KINDS, "routed")
    agreed, _ = await _both(bench, AGREED, "two that have to agree")
    return [*rows, *agreed], share


async def _both(bench: Bench, kinds: tuple[Kind, ...], name: str) -> tuple[list[dict[str, Any]], float]:
    clusters, errors = clusters_of(kinds, CAUSES)
    by_id = {error.id: error for error in errors}
    chosen = [route(c, [by_id[i] for i in c.error_ids], registry()).chosen[0] for c in clusters]
    routed = await shift(bench, clusters, errors)
    general = await shift(bench, clusters, errors, profiles=(load_profile(GENERALIST),))
    who = ", ".join(f"{name} {chosen.count(name)}" for name in dict.fromkeys(chosen))
    rows = [
        row_of(f"{name} ({who})", routed, len(errors)),
        row_of(f"the generalist always, instead of {name}", general, len(errors)),
    ]
    return rows, routed.spending.dollars / general.spending.dollars
