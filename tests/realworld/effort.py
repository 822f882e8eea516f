"""What healing some cases took, until the first offer and in calls, tokens and dollars, beside the naive way's bill.

The naive way: one agent for each error that was found, nothing cached. Its calls and tokens are those of the published
profile (benchmarks/cost.py), through the real agent loop; the same profile prices what Heal asks a model about, in its
clusters. What the oracle really took is less, since it knows the answer, and stands beside them.
"""

import math
from dataclasses import replace

from benchmarks.cost import LINT, MAIN, TEST, Bill, Profile, price_clusters
from healing.llm.prices import MILLION
from tests.realworld.report import Row

PHASES = {"fast": LINT, "slow": TEST}
_PRICED: dict[tuple[str, int, bool], Bill] = {}


async def effort(rows: list[Row]) -> dict[str, object]:
    """Seconds, counts, millions of tokens and dollars of these cases together; `peer` is the naive way."""
    asked = [await _price(PHASES[phase], errors) for row in rows for phase, errors in row.clusters]
    naive = [await _price(kind, 1, cached=False) for row in rows for kind in _kinds(row)]
    return {
        "first p50": _quantile(rows, 0.5),
        "first p95": _quantile(rows, 0.95),
        "errors": sum(row.errors for row in rows),
        "oracle calls": sum(row.calls for row in rows),
        "oracle tokens": sum(row.tokens_in + row.tokens_out for row in rows),
        "oracle $": round(sum(row.dollars for row in rows), 2),
        **_told("", asked),
        **_told("peer ", naive),
    }


async def page_part(rows: list[Row]) -> list[str]:
    """The same by language as a part of docs/realworld.md."""
    languages = dict.fromkeys(row.language for row in rows)
    reported = {language: await effort([row for row in rows if row.language == language]) for language in languages}
    reported["all"] = await effort(rows)
    keys = list(reported["all"])
    lines = ["## Time, calls, tokens and money", "", ABOUT, ""]
    lines += [f"| language | {' | '.join(keys)} |", "|---|" + "---:|" * len(keys)]
    for language, values in reported.items():
        cells = ["" if values[key] is None else str(values[key]) for key in keys]
        lines.append(f"| {language} | {' | '.join(cells)} |")
    return [*lines, ""]


ABOUT = """`first` are seconds from the end of CI to the first offer, at the load that is named above. `peer` is the
naive way: one agent for each error, nothing cached, by the published call profile; without a prefix are Heal's own
clusters by the same profile, in millions of tokens. `oracle` is what was really asked and paid of the stand-in here."""


def _told(prefix: str, bills: list[Bill]) -> dict[str, object]:
    return {
        f"{prefix}calls": sum(bill.calls for bill in bills),
        f"{prefix}Mtok": round(sum(bill.prompt for bill in bills) / MILLION, 2),
        f"{prefix}$": round(sum(bill.dollars for bill in bills), 2),
    }


def _kinds(row: Row) -> list[Profile]:
    """For each error of a case the kind of agent that it would get."""
    return [*[TEST] * row.failing, *[LINT] * (row.errors - row.failing)]


def _quantile(rows: list[Row], share: float) -> float | None:
    firsts = sorted(row.first for row in rows if row.first is not None)
    return firsts[math.ceil(share * len(firsts)) - 1] if firsts else None


async def _price(profile: Profile, errors: int, cached: bool = True) -> Bill:
    """One agent for so many errors; without a cache also the call in which it finds its files."""
    key = (profile.name, errors, cached)
    if key not in _PRICED:
        one = replace(profile, errors=errors, clusters=1, calls=profile.calls + (not cached))
        _PRICED[key] = await price_clusters(MAIN, one, cached=cached)
    return _PRICED[key]
