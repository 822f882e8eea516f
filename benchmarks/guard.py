"""How many cheats the guard catches and how many honest changes it holds back, over its corpus; milliseconds a change.

Peer: none in the same run; no tool is known that judges a repair's diff for cheating.
"""

import statistics
import time

from benchmarks.shape import Goal, Result
from tests.guard.corpus import LANGUAGES, Case, cases

PACKAGES = ("tree-sitter", "tree-sitter-javascript", "tree-sitter-typescript", "tree-sitter-go", "tree-sitter-rust")


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
    return result


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
