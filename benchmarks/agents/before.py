"""What the same healings took at commit c59c08c4, before open errors were judged again after each accepted fix, and
before second opinions: measured once by playing these repositories and this model through it."""

from typing import Any

from benchmarks.agents.shared import Told
from benchmarks.agents.solving import Solved
from benchmarks.shape import Goal

CALLS_AN_ERROR, TOKENS_AN_ERROR = 2.67, 11_906  # of the solvable repositories
CALLS_OF_A_SPARING, TOKENS_OF_A_SPARING = 2.17, 9_556  # of a model that reads only what it isn't shown
SHARED: dict[str, dict[str, Any]] = {  # many errors of one slip
    "a wrong constant": {
        "errors": 84, "cured": 84, "clusters": 12, "calls": 37, "input tokens": 230_138, "dollars": 0.1541,
        "first request, bytes": 16_767,
    },
    "a wrong key": {
        "errors": 84, "cured": 84, "clusters": 1, "calls": 3, "input tokens": 154_041, "dollars": 0.146,
        "first request, bytes": 138_319,
    },
}  # fmt: skip


def shared_before(name: str, now: Told) -> tuple[dict[str, Any], list[Goal]]:
    """The row of before beside that of now, and the goals: half of the tokens, and no more calls of agents."""
    before = SHARED[name]
    row = now.row(name)
    tokens = row["input tokens"] / before["input tokens"]
    calls = (row["calls"] - now.opinions) / before["calls"]
    return {"measured": f"{row['errors']} errors of {name}, before"} | before, [
        Goal(f"input tokens about {name}, of before", "≤ 0.5", round(tokens, 2), tokens <= 0.5),
        Goal(f"agents' calls about {name}, of before", "≤ 1", round(calls, 2), calls <= 1),
    ]


def solvable_before(now: Solved, sparing: Solved) -> tuple[list[dict[str, Any]], list[Goal]]:
    """The same for repositories of one or two errors each, where what every request says weighs most: `now` of a model
    that reads every file, `sparing` of one that reads only what it isn't shown, as strong models do."""
    tokens = now.tokens / now.errors / TOKENS_AN_ERROR
    fewer = sparing.tokens / sparing.errors / TOKENS_OF_A_SPARING
    calls = (now.calls - now.opinions) / now.errors / CALLS_AN_ERROR
    sparing_calls = (sparing.calls - sparing.opinions) / sparing.errors / CALLS_OF_A_SPARING
    rows: list[dict[str, Any]] = [
        {"measured": "solvable repositories, before", "calls per error": CALLS_AN_ERROR,
         "tokens per error": TOKENS_AN_ERROR},
        {"measured": "the same, a model that reads only what it isn't shown, before",
         "calls per error": CALLS_OF_A_SPARING, "tokens per error": TOKENS_OF_A_SPARING},
    ]  # fmt: skip
    return rows, [
        Goal("tokens of solvable errors, of before", "≤ 0.8", round(tokens, 2), tokens <= 0.8),
        Goal("the same, a model that reads only what it isn't shown", "≤ 0.8", round(fewer, 2), fewer <= 0.8),
        Goal("agents' calls of solvable errors, of before", "≤ 1", round(calls, 2), round(calls, 2) <= 1),
        Goal("the same, reading only what isn't shown", "≤ 1", round(sparing_calls, 2), round(sparing_calls, 2) <= 1),
    ]
