"""What became of a breakage: Heal's words beside what the same commands say in the person's own environment."""

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.repos.cases import Breakage, CaseError
from benchmarks.repos.clone import Clone, changed
from benchmarks.repos.registries import end_of
from benchmarks.repos.tool import Heal, Mode, Reported

HEALED, PARTLY, WRONG, UNFIXABLE = "healed", "partly", "wrong", "unfixable"
FALSE_GREEN, COULD_NOT_LOOK, CRASHED = "false-green", "could-not-look", "crashed"
OUTCOMES = (HEALED, PARTLY, WRONG, FALSE_GREEN, COULD_NOT_LOOK, UNFIXABLE, CRASHED)
REPEATS = 3  # of calls that are timed
ALLOWED_FACTOR, ALLOWED_SECONDS = 1.15, 1.0  # of `heal check --run CMD` over CMD
Open = Callable[[Clone, Path], Heal]


@dataclass(frozen=True)
class Seen:
    """What is red by hand before Heal and after all that it offered was applied, and what Heal reported. `named` is the
    check it was asked about; `applied`: its proposals changed files."""

    named: str
    before: frozenset[str]
    after: frozenset[str]
    applied: bool
    reported: Reported


def outcome_of(seen: Seen, mode: Mode) -> str:
    """One of OUTCOMES.

    healed: every red check is green again, and no other turned red. partly: something was offered and a red check is
    still red, without a claim to the contrary. wrong: a green check turned red, or Heal claims success and the check it
    was asked about is red (by workflow it was asked about none by name: then nothing is green that was red).
    false-green: exit code 0 and nothing offered, though the check is red. could-not-look: it said so. unfixable: errors
    are reported and nothing is offered. crashed: any other end.
    """
    if seen.after - seen.before:
        return WRONG
    reported = seen.reported
    if seen.applied:
        if not seen.after:
            return HEALED
        red = seen.named in seen.after if mode == "laptop" else seen.after == seen.before
        return WRONG if red and reported.exit_code == 0 else PARTLY
    if reported.could_not_look:
        return COULD_NOT_LOOK
    if reported.exit_code not in (0, 1) or not reported.verdict:
        return CRASHED
    return FALSE_GREEN if reported.exit_code == 0 else UNFIXABLE


@dataclass(frozen=True)
class Played:
    """One breakage, from its commit to the rollback. `touched`: `heal run` itself changed files. `beyond`: files that
    Heal changed and the breakage had not. `misread`: it is unfixable to Heal, which sees errors on the untouched commit
    too."""

    breakage: Breakage
    outcome: str
    seen: Seen
    identical: bool
    touched: bool = False
    beyond: tuple[str, ...] = ()
    misread: bool = False
    seconds: float = 0.0
    note: str = ""
    why: str = ""


@dataclass(frozen=True)
class Times:
    """Seconds of a command by hand, of a second `heal check --run` of it, and of one that runs it again (`--fresh`);
    None where that was not green."""

    by_hand: float
    stored: float | None
    again: float | None

    def slow(self, seconds: float | None) -> bool | None:
        """Whether a `heal check` takes longer than it may over the command alone."""
        return None if seconds is None else seconds > ALLOWED_FACTOR * self.by_hand + ALLOWED_SECONDS


@dataclass(frozen=True)
class Untouched:
    """Heal on the commit where everything is green by hand: what it reported of each check that it was asked about,
    and the time of the first one. A command takes the same in both modes: it is timed in laptop mode alone."""

    repository: str
    reported: Mapping[str, Reported]
    times: Times | None

    @property
    def false_red(self) -> bool:
        """Whether errors are reported where there are none."""
        return any(one.exit_code == 1 or one.errors for one in self.reported.values())

    @property
    def could_not_look(self) -> bool:
        """Whether Heal could not say that a green check is green."""
        return any(one.exit_code not in (0, 1) or one.could_not_look for one in self.reported.values())

    def sees_red(self, check: str) -> bool:
        """Whether the check, or by workflow anything, was reported as red."""
        one = self.reported.get(check) or self.reported.get("")
        return one is not None and (one.exit_code == 1 or one.errors > 0)


@dataclass(frozen=True)
class Judge:
    """`open_heal` gives the tool for a clone, with a store of its own."""

    open_heal: Open
    mode: Mode

    async def untouched(self, clone: Clone) -> Untouched:
        """Asks Heal about every check on the untouched commit."""
        await clone.reset()
        first, reported = next(iter(clone.repository.checks)), {}
        for check in clone.repository.checks if self.mode == "laptop" else ("",):
            with _store() as data:
                reported[check] = await self.open_heal(clone, data).run(check or first)
        command = clone.repository.checks[first]
        times = await self.timed(clone, command) if self.mode == "laptop" else None
        return Untouched(clone.repository.name, reported, times)

    async def timed(self, clone: Clone, command: str) -> Times:
        """The command alone and through Heal. The first call of each, which prepares what later ones find, is not
        counted; of the others the shortest, since others work on the machine."""
        with _store() as data:
            heal = self.open_heal(clone, data)
            by_hand, stored, again = [], [], []
            for _ in range(1 + REPEATS):
                began = time.monotonic()
                await clone.call(command, heal.seconds, clone.env())
                by_hand.append(time.monotonic() - began)
                again.append(await heal.check_seconds(command, "--fresh"))
                stored.append(await heal.check_seconds(command))
        return Times(min(by_hand[1:]), _least(stored[1:]), _least(again[1:]))

    async def play(self, clone: Clone, breakage: Breakage, untouched: Untouched | None) -> Played:
        """Breaks, heals, applies, looks by hand and rolls back. Raises CaseError where nothing is red."""
        await clone.break_with(breakage)
        before = await clone.red()
        if not before:
            raise CaseError("nothing is red after the breakage")
        named = next(check for check in clone.repository.checks if check in before)
        original = await clone.digests()
        with _store() as data:
            heal = self.open_heal(clone, data)
            began = time.monotonic()
            reported = await heal.run(named)
            seconds = time.monotonic() - began
            left = await clone.digests()
            applied = await heal.apply()
            offered = changed(original, await clone.digests())
            touched = left != original
            applies = bool(offered) and not touched
            after = await clone.red() if applies else before
            rolled_back = await heal.roll_back()
            identical = not changed(original, await clone.digests())
        seen = Seen(named, frozenset(before), frozenset(after), applies, reported)
        outcome = outcome_of(seen, self.mode)
        expected = (
            "" if set(before) == breakage.red_checks else f"expected red: {', '.join(sorted(breakage.red_checks))}"
        )
        return Played(
            breakage=breakage,
            outcome=outcome,
            seen=seen,
            identical=identical,
            touched=touched,
            beyond=tuple(sorted(offered - breakage.change.paths)),
            misread=outcome == UNFIXABLE and untouched is not None and untouched.sees_red(named),
            seconds=seconds,
            note=expected,
            why=_why(outcome, identical, reported, end_of(applied), end_of(rolled_back)),
        )


def _least(found: list[float | None]) -> float | None:
    return min((seconds for seconds in found if seconds is not None), default=None)


def _why(outcome: str, identical: bool, reported: Reported, applied: str, rolled_back: str) -> str:
    """What a reader needs to find out why a case did not end well."""
    parts = [] if identical else [f"rollback: {rolled_back}"]
    if outcome == UNFIXABLE:
        parts += [f"{one.get('why', '')}" for one in reported.outcome.get("unfixables", ())]
    elif outcome == COULD_NOT_LOOK:
        found = [f"{one.get('what', '')}: {one.get('why', '')}" for one in reported.outcome.get("not_looked", ())]
        parts += found or [reported.printed]
    elif outcome in (CRASHED, FALSE_GREEN, WRONG):
        parts += [f"exit code {reported.exit_code}, verdict {reported.verdict or 'none'}: {reported.printed[-300:]}"]
        parts += [f"apply: {applied}"] if applied else []
    return "; ".join(dict.fromkeys(part for part in parts if part))


@contextmanager
def _store() -> Iterator[Path]:
    """A data folder of one case. What a program that was ended still writes there is nobody's concern."""
    with tempfile.TemporaryDirectory(prefix="heal-data-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
