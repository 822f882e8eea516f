"""One case from end to end: break, see CI turn red, let Heal work, read what GitHub shows, and judge it."""

import contextlib
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from handlers.model import Run, StoredProposal
from healing.model import Outcome, Proposal
from lab.localhub.state import HubEvent, Pull
from lab.localhub.suggestions import suggested_lines
from tests.model_standin import Brain
from tests.realworld.brains import cures, oracle
from tests.realworld.catalogue import candidates
from tests.realworld.judge import Verdict, applied, judge
from tests.realworld.sites import Breakage
from tests.realworld.stage import Heal, Home, Stage

OFFERS = (("pull_request_review_comment", "created"), ("pull_request", "opened"))
TRIES = 12  # breakages of a kind that are tried until one turns CI red
PROPOSAL = re.compile(r"<!-- heal:v1 proposal=([0-9a-f]{12}) ")


@dataclass(frozen=True)
class Healing:
    """What one Heal made of one pull request. `seconds` from CI's end to Heal's end, `first` to the first that it
    offered."""

    pull: Pull
    verdict: Verdict
    outcome: Outcome
    offered: tuple[StoredProposal, ...]
    seconds: float
    first: float | None
    shown: str  # the title of Heal's check run

    @property
    def sources(self) -> tuple[str, ...]:
        """Who made the offered proposals, in order."""
        return tuple(dict.fromkeys(one.proposal.source for one in self.offered))


@dataclass(frozen=True)
class Broken:
    """A pull request whose CI is red by one slip. `green` is how many slips before it CI did not mind."""

    breakage: Breakage
    pull: Pull
    red: tuple[str, ...]
    green: int


async def break_it(stage: Stage, home: Home, name: str, prefix: str = "") -> Broken:
    """Opens pull requests until CI is red. Raises AssertionError where no slip of this kind turns it red."""
    for number, breakage in enumerate(candidates(home.project, name, home.files)[:TRIES]):
        pull, red = await stage.open(stage.free, home, f"{prefix}{name}-{number}", breakage.files, breakage.what)
        if red:
            return Broken(breakage, pull, tuple(sorted(red)), number)
        await stage.close(stage.free, pull)
    raise AssertionError(f"{home.project.title}: no {name} turns CI red")


async def heal(stage: Stage, heal: Heal, home: Home, broken: Broken, pull: Pull) -> Healing:
    """Lets Heal work on the pull request and judges what it offers."""
    offers: list[float] = []
    began = time.monotonic()
    with _watched(stage, offers):
        await stage.heal(heal)
    seconds = time.monotonic() - began
    store = heal.machine.contexts.store(home.repo.id)
    run = await store.run(pull.head_sha, 1)
    check = next(
        (r for r in stage.hub.check_runs.values() if r.head_sha == pull.head_sha and r.app_slug == "heal"), None
    )
    assert run is not None
    assert run.outcome is not None, f"Heal did not look at {broken.breakage.what}"
    assert check is not None
    assert check.status == "completed", "Heal's check run was not ended"
    assert run.state == "done"
    assert check.conclusion in ("neutral", "success")
    offered = tuple(p for p in await store.proposals(pull.number) if p.status == "offered" and p.delivery != "none")
    head = stage.tree(home.repo, pull.head_sha)
    assert head == home.files | broken.breakage.files
    healed = applied(head, [one.proposal.edits for one in offered])
    _shown_is_stored(stage, home, pull, offered, head)
    claimed = {i for one in offered for i in one.proposal.error_ids}
    verdict = await judge(
        stage.bench, home.project, home.files, head, healed, [e for e in run.outcome.errors if e.id in claimed]
    )
    first = offers[0] - began if offers else None
    return Healing(pull, verdict, run.outcome, offered, seconds, first, str(check.title))


@contextlib.contextmanager
def _watched(stage: Stage, offers: list[float]) -> Iterator[None]:
    """Notes when Heal shows a suggestion or opens a pull request."""

    def received(happening: HubEvent) -> None:
        offer = (happening.event, happening.action) in OFFERS
        if offer and happening.sender.login == "heal[bot]":
            offers.append(time.monotonic())

    stage.hub.listeners.append(received)
    try:
        yield
    finally:
        stage.hub.listeners.remove(received)


async def heal_with(stage: Stage, home: Home, broken: Broken, name: str, brain: Brain | None = None) -> Healing:
    """The same slip in another pull request, for the Heal that has a model: the oracle unless told otherwise."""
    stage.standin.brain = brain or oracle(cures(home.files | broken.breakage.files, home.files))
    pull, red = await stage.open(stage.paid, home, name, broken.breakage.files, broken.breakage.what)
    assert set(red) == set(broken.red)
    healing = await heal(stage, stage.paid, home, broken, pull)
    await stage.close(stage.paid, pull)
    return healing


def _shown_is_stored(
    stage: Stage, home: Home, pull: Pull, offered: tuple[StoredProposal, ...], head: Mapping[str, bytes]
) -> None:
    """GitHub shows exactly the proposals that the store calls offered, and with the same bytes."""
    comments = [c for c in stage.hub.review_comments_of(pull) if c.author.login == "heal[bot]"]
    by_proposal = {ident: [c for c in comments if ident in PROPOSAL.findall(c.body)] for ident in _ids(comments)}
    suggested = {one.proposal.id: one.proposal for one in offered if one.delivery == "suggestion"}
    assert set(by_proposal) == set(suggested), f"shown {sorted(by_proposal)}, stored {sorted(suggested)}"
    for ident, parts in by_proposal.items():
        files = {path: data.decode().splitlines(True) for path, data in head.items() if path in {c.path for c in parts}}
        for part in sorted(parts, key=lambda c: -(c.line or 0)):
            lines = suggested_lines(part.body)
            assert lines is not None
            assert part.line is not None
            files[part.path][(part.start_line or part.line) - 1 : part.line] = [f"{line}\n" for line in lines]
        wanted = applied(head, [suggested[ident].edits])
        for path, text in files.items():
            assert "".join(text).encode() == wanted[path], f"the suggestion {ident} says something else than the store"
    _fixups_are_stored(stage, home, offered, head)


def _ids(comments: list) -> set[str]:  # type: ignore[type-arg]
    return {ident for comment in comments for ident in PROPOSAL.findall(comment.body)}


def _fixups_are_stored(
    stage: Stage, home: Home, offered: tuple[StoredProposal, ...], head: Mapping[str, bytes]
) -> None:
    """A fixup pull request holds the bytes of its proposals, and nothing else."""
    numbers = {one.fixup_number for one in offered if one.delivery == "fixup"}
    assert None not in numbers
    for number in numbers:
        fixup = stage.hub.pulls[home.repo.id, number or 0]
        assert fixup.state == "open"
        mine: list[Proposal] = [one.proposal for one in offered if one.fixup_number == number]
        wanted = applied(head, [proposal.edits for proposal in mine])
        assert stage.tree(home.repo, fixup.head_sha) == wanted, "the fixup pull request is not what was proven"


def run_of(healing: Healing) -> str:
    """Why something was left, in one line."""
    left = [f"{u.reason}: {u.why}" for u in healing.outcome.unfixables]
    gaps = [f"not looked at {n.what}: {n.why}" for n in healing.outcome.not_looked]
    return "; ".join([*left, *gaps])


__all__ = ["Broken", "Healing", "Run", "break_it", "heal", "heal_with", "run_of"]
