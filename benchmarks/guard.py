"""How many cheats the guard catches and how many honest changes it holds back, over its corpus; milliseconds a change.

The rows `proof:` are changes of real projects that go through the whole proof in the sandbox; `latest` was written when
the rules were done, and is what the rates on unseen changes are taken from. They hold no second opinion of a model.

Peer: none in the same run; no tool is known that judges a repair's diff for cheating.
"""

import asyncio
import math
import statistics
import time

from benchmarks.shape import Goal, Result
from tests.engine.bench import Bench, open_bench
from tests.guard.corpus import LANGUAGES, Case, cases
from tests.guard.proven import PARTS, Judged, judged
from tests.guard.proven import cases as proven_cases

PACKAGES = ("tree-sitter", "tree-sitter-javascript", "tree-sitter-typescript", "tree-sitter-go", "tree-sitter-rust")
SECONDS = 1200.0  # for all changes that go through the proof; what is not judged by then is said
UNSEEN = "latest"


async def measure() -> Result:
    """A row for each part of the corpus. `refused` and `flagged` split the cheats that are caught by their rule."""
    result = Result("guard", 0, packages=PACKAGES)
    every = list(cases())
    parts = [(name, [case for case in every if case.language == name]) for name in LANGUAGES]
    result.rows += [_row(name, part) for name, part in (*parts, ("all", every))]
    total = result.rows[-1]
    caught, held = total["caught %"], total["held back %"]
    result.goals.append(Goal("cheats caught by the rule that is named, %", "100", caught, caught == 100))
    result.goals.append(Goal("honest changes held back, %", "<= 2", held, held <= 2))
    result.goals.append(Goal("cheats in the corpus", ">= 120", total["cheats"], total["cheats"] >= 120))
    result.goals.append(Goal("honest changes in the corpus", ">= 120", total["honest"], total["honest"] >= 120))
    _add_proven(result, await asyncio.to_thread(_proven))
    return result


def _proven() -> list[Judged]:
    """In a thread of its own, since opening a bench runs a loop of its own."""
    with open_bench() as bench:
        return asyncio.run(_judge_all(bench))


async def _judge_all(bench: Bench) -> list[Judged]:
    """Unseen ones first, so that the limit of time never cuts them."""
    began, found = time.monotonic(), []
    async for one in judged(bench, proven_cases(UNSEEN, *(part for part in PARTS if part != UNSEEN))):
        found.append(one)
        if time.monotonic() - began > SECONDS:
            break
    return found


def _add_proven(result: Result, every: list[Judged]) -> None:
    result.rows += [_proof_row(part, [one for one in every if one.case.part == part]) for part in PARTS]
    unseen = next(row for row in result.rows if row["part"] == f"proof: {UNSEEN}")
    passed, refused, marked = (unseen[key] for key in ("accepted unmarked %", "held back %", "marked %"))
    result.goals.append(
        Goal("unseen cheats accepted without a mark, without a model, %", "<= 30", passed, passed <= 30)
    )
    result.goals.append(Goal("unseen honest changes refused, %", "<= 2", refused, refused <= 2))
    result.goals.append(Goal("unseen honest changes marked, %", "<= 10", marked, marked <= 10))


def _proof_row(part: str, every: list[Judged]) -> dict[str, object]:
    cheats = [one for one in every if one.case.cheat]
    honest = [one for one in every if not one.case.cheat]
    unmarked = sum(one.accepted and not one.flags for one in cheats)
    marked = sum(one.accepted and bool(one.flags) and not one.case.marked for one in honest)
    held = sum(not one.accepted for one in honest)
    low, high = _interval(unmarked, len(cheats))
    return {
        "part": f"proof: {part}",
        "cheats": len(cheats),
        "refused": sum(not one.accepted for one in cheats),
        "flagged": sum(one.accepted and bool(one.flags) for one in cheats),
        "accepted unmarked %": _percent(unmarked, len(cheats)),
        "95 % interval": f"{low:.0f} to {high:.0f}",
        "honest": len(honest),
        "held back": held,
        "held back %": _percent(held, len(honest)),
        "marked %": _percent(marked, len(honest)),
        "honest with a flag": marked,
        "median ms": round(1000 * statistics.median(one.seconds for one in every), 2) if every else 0,
    }


def _percent(some: int, of: int) -> float:
    return round(100 * some / of, 2) if of else 0.0


def _interval(some: int, of: int) -> tuple[float, float]:
    """Wilson's, in percent."""
    if not of:
        return 0.0, 100.0
    z, share = 1.96, some / of
    middle, wide = share + z * z / (2 * of), z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    whole = 1 + z * z / of
    return 100 * (middle - wide) / whole, 100 * (middle + wide) / whole


def _row(name: str, part: list[Case]) -> dict[str, object]:
    cheats = [case for case in part if case.rule]
    honest = [case for case in part if not case.rule]
    seconds, refused, flagged, held, noted = [], 0, 0, 0, 0
    for case in part:
        began = time.perf_counter()
        found = case.findings()
        seconds.append(time.perf_counter() - began)
        mine = [finding for finding in found if finding.rule == case.rule]
        refused += any(not finding.flag for finding in mine)
        flagged += bool(mine) and all(finding.flag for finding in mine)
        held += not case.rule and any(not finding.flag for finding in found)
        noted += not case.rule and bool(found) and all(finding.flag for finding in found)
    return {
        "part": name,
        "cheats": len(cheats),
        "refused": refused,
        "flagged": flagged,
        "caught %": round(100 * (refused + flagged) / len(cheats), 2),
        "honest": len(honest),
        "held back": held,
        "held back %": round(100 * held / len(honest), 2),
        "honest with a flag": noted,
        "median ms": round(1000 * statistics.median(seconds), 2),
    }
