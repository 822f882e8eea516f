"""What the cases come to: rows, counts, shares with their intervals, and the goals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.heal.tally import share
from benchmarks.repos.judge import COULD_NOT_LOOK, FALSE_GREEN, HEALED, OUTCOMES, WRONG, Played, Untouched
from benchmarks.repos.tool import Mode
from benchmarks.shape import Goal

REPRODUCED: dict[Mode, float] = {"laptop": 5.0, "workflow": 20.0}  # percent that may not be reproduced
FREE_PERCENT = 85.0
SHARES = {
    "free": "of breakages marked `free: yes`, fixed without a model %",
    "could_not_look": "could not be reproduced %",
    "identical": "rollback identical %",
    "agreement": "verdicts that agree with the command by hand %",
    "healed": "healed %",
}


@dataclass(frozen=True)
class Tally:
    """All that was measured in one mode."""

    mode: Mode
    played: Sequence[Played]
    untouched: Sequence[Untouched]

    def count(self, outcome: str) -> int:
        """The breakages that ended so."""
        return sum(one.outcome == outcome for one in self.played)

    @property
    def agreement(self) -> tuple[int, int]:
        """(verdicts that agree with the command by hand, verdicts): green on the untouched commit, where it is green by
        hand, red on the breakage, where it is red by hand. Where Heal gave no verdict there is nothing to compare."""
        green = [one.red is False for each in self.untouched for one in each.reported.values() if one.red is not None]
        red = [one.seen.reported.red for one in self.played if one.seen.reported.red is not None]
        return sum(green) + sum(red), len(green) + len(red)

    def counts(self) -> dict[str, int]:
        """The counts: how cases ended, and what must never be."""
        return {
            "cases": len(self.played),
            **{outcome.replace("-", "_"): self.count(outcome) for outcome in OUTCOMES},
            "misread": sum(one.misread for one in self.played),
            "told_check_green": sum(one.seen.named not in one.seen.after for one in self.played),
            "changed_other_files": sum(bool(one.beyond) for one in self.played),
            "changed_by_run_itself": sum(one.touched for one in self.played),
            "rollback_not_identical": sum(not one.identical for one in self.played),
            "repositories": len(self.untouched),
            "false_red": sum(one.false_red for one in self.untouched),
            "healthy_could_not_look": sum(one.could_not_look for one in self.untouched),
        }

    def shares(self) -> dict[str, float | None]:
        """Percentages, each with the ends of its 95 % interval after Wilson (`_low`, `_high`)."""
        free = [one for one in self.played if one.breakage.free == "yes"]
        cases = len(self.played)
        return {
            **share("free", sum(one.outcome == HEALED for one in free), len(free)),
            **share("could_not_look", self.count(COULD_NOT_LOOK), cases),
            **share("identical", sum(one.identical for one in self.played), cases),
            **share("agreement", *self.agreement),
            **share("healed", self.count(HEALED), cases),
        }

    def goals(self) -> list[Goal]:
        """The goals. What could not be measured is not met."""
        shares = self.shares()
        false_red = sum(one.false_red for one in self.untouched)
        return [
            _none("false green", self.count(FALSE_GREEN), self.played),
            _none("false red on the untouched commit", false_red, self.untouched),
            _none("wrong", self.count(WRONG), self.played),
            _percent("rollback identical %", shares["identical_pct"], at_least=100.0),
            _percent("could not be reproduced %", shares["could_not_look_pct"], at_most=REPRODUCED[self.mode]),
            _percent(SHARES["free"], shares["free_pct"], at_least=FREE_PERCENT),
            _percent(SHARES["agreement"], shares["agreement_pct"], at_least=100.0),
            *(self._goals_of_time() if self.mode == "laptop" else ()),
        ]

    def _goals_of_time(self) -> tuple[Goal, Goal]:
        times = tuple(one.times for one in self.untouched if one.times is not None and one.times.stored is not None)
        slow = sum(one.slow(one.stored) is True for one in times)
        again = sum(one.slow(one.again) is True for one in times)
        return (
            _none("repositories whose second `heal check` takes over 1.15 x the command + 1 s", slow, times),
            _none("the same with `--fresh`, which runs the command again", again, times),
        )

    def rows(self) -> list[dict[str, Any]]:
        """A row for each breakage, one for each untouched commit, one for each share."""
        reported = self.shares()
        shares = (
            {
                "case": words,
                "percent": reported[f"{name}_pct"],
                "from": reported[f"{name}_low"],
                "to": reported[f"{name}_high"],
            }
            for name, words in SHARES.items()
        )
        return [*map(_case, self.played), *map(_healthy, self.untouched), *shares]


def _case(one: Played) -> dict[str, Any]:
    return {
        "case": one.breakage.id,
        "kind": one.breakage.kind,
        "free": one.breakage.free,
        "red": ", ".join(sorted(one.seen.before)),
        "outcome": one.outcome,
        "misread": "yes" if one.misread else "",
        "sources": ", ".join(one.seen.reported.sources),
        "still red": ", ".join(sorted(one.seen.after)),
        "other files": ", ".join(one.beyond),
        "rollback": "identical" if one.identical else "NOT identical",
        "seconds": round(one.seconds, 1),
    }


def _healthy(one: Untouched) -> dict[str, Any]:
    outcome = "false-red" if one.false_red else COULD_NOT_LOOK if one.could_not_look else "green"
    times = one.times
    return {
        "case": one.repository,
        "kind": "untouched",
        "outcome": outcome,
        "by hand": times and round(times.by_hand, 2),
        "heal check": times and times.stored and round(times.stored, 2),
        "with --fresh": times and times.again and round(times.again, 2),
    }


def _none(name: str, count: int, of: Sequence[object]) -> Goal:
    return Goal(name, "0", count if of else None, bool(of) and count == 0)


def _percent(name: str, value: float | None, at_least: float = 0.0, at_most: float = 100.0) -> Goal:
    bound = f">= {at_least:g} %" if at_least else f"<= {at_most:g} %"
    return Goal(name, bound, value, value is not None and at_least <= value <= at_most)
