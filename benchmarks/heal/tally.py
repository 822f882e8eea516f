"""What all cases come to: shares with the intervals that so few cases allow, and what a fix took."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.heal.cases import Case
from healing.logs.flakes import wilson

WAYS = ("healed", "partly", "wrong", "unfixable", "could_not_look")


@dataclass(frozen=True)
class Ended:
    """How one case ended: `healed`, `partly`, `wrong`, `unfixable` or `could_not_look`. `exact`: every file is what
    was released, byte for byte. Seconds are the engine's. `tampered`: fixes that agents handed in and the guard
    refused."""

    case: Case
    how: str
    why: str = ""
    sources: tuple[str, ...] = ()
    exact: bool = False
    seconds: float = 0.0
    tokens: int = 0
    dollars: float = 0.0
    calls: int = 0
    tampered: int = 0


def tally(ended: Sequence[Ended]) -> Mapping[str, float]:
    """The counts: cases by how they ended, and what was spent."""
    counts = {way: sum(e.how == way for e in ended) for way in WAYS}
    return {
        "cases": len(ended),
        **counts,
        "exact": sum(e.exact for e in ended),
        "tampered": sum(e.tampered for e in ended),
        "calls": sum(e.calls for e in ended),
        "tokens": sum(e.tokens for e in ended),
        "usd": round(sum(e.dollars for e in ended), 4),
        "minutes": round(sum(e.seconds for e in ended) / 60, 2),
    }


def shares(ended: Sequence[Ended]) -> dict[str, float | None]:
    """Percent of the cases that could be looked at, each with its 95 % interval after Wilson (`_low`, `_high`): fixes
    that are verified, fixes that are wrong; and of the reports `unfixable` those about cases that have no cure. None
    where there is nothing to take a share of."""
    looked = [e for e in ended if e.how != "could_not_look"]
    reported = [e for e in looked if e.how == "unfixable"]
    return {
        **share("healed", sum(e.how == "healed" for e in looked), len(looked)),
        **share("wrong", sum(e.how == "wrong" for e in looked), len(looked)),
        **share("unfixable_right", sum(not e.case.solvable for e in reported), len(reported)),
    }


def share(name: str, hits: int, of: int) -> dict[str, float | None]:
    """A share in percent, and its 95 % interval after Wilson; None where there is nothing to take a share of."""
    low, high = wilson(hits, of)
    ends = (hits / of, low, high) if of else (None, None, None)
    keys = (f"{name}_pct", f"{name}_low", f"{name}_high")
    return {key: None if end is None else round(100 * end, 1) for key, end in zip(keys, ends, strict=True)}


def of_a_fix(ended: Sequence[Ended]) -> dict[str, float | None]:
    """What one verified fix took on average, the tries that came to nothing included; None where there is none."""
    whole, fixes = tally(ended), sum(e.how == "healed" for e in ended)
    each = ("calls", "tokens", "usd", "minutes")
    return {f"{name}_a_fix": round(whole[name] / fixes, 4) if fixes else None for name in each}


def rows(ended: Sequence[Ended]) -> list[dict[str, Any]]:
    """A row for each kind of case, one for all, and one for each share and each cost of a fix."""
    kinds = sorted({e.case.category for e in ended})
    found: list[dict[str, Any]] = [
        {"category": kind, **tally([e for e in ended if e.case.category == kind])} for kind in kinds
    ]
    found.append({"category": "all", **tally(ended)})
    reported = shares(ended)
    for name, words in (
        ("healed", "verified fixes %"),
        ("wrong", "wrong fixes %"),
        ("unfixable_right", "reports `unfixable` that are right %"),
    ):
        percent, low, high = (reported[f"{name}_{end}"] for end in ("pct", "low", "high"))
        found.append({"category": words, "value": percent, "from": low, "to": high})
    found += [{"category": name.replace("_", " "), "value": value} for name, value in of_a_fix(ended).items()]
    return found
