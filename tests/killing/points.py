"""Where Heal is killed: by its peers, before or after what they do for it, or by the time; never by itself."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.killing.stage import Stage
from tests.model_standin.replies import Body

REPO = "/repos/corner-shop/till"
GIT = r"^/corner-shop/till\.git/git-upload-pack"
DOOR = "^/to-heal$"
FAILED, SETTLED = '"conclusion": "failure"', '{"action": "completed", "check_suite"'


@dataclass(frozen=True)
class Point:
    """One instant. `in_flight`: whether a model is being asked just then; None: nobody knows. `cold`: even the tools
    are still to be made. `quiet`: how long Heal waits for more failures; longer than it is dead where some are still to
    come."""

    name: str
    arm: Callable[[Stage], Any]
    in_flight: bool | None = False
    cold: bool = False
    quiet: float = 0.5


def before(method: str, path: str, **which: Any) -> Callable[[Stage], Any]:
    """Killed when the request has arrived; it is never performed."""
    return lambda stage: stage.github.faults.hang(method, path, callback=stage.kill, **which)


def after(method: str, path: str, **which: Any) -> Callable[[Stage], Any]:
    """Killed when the request was performed; Heal never gets the answer."""
    return lambda stage: stage.github.faults.after(method, path, stage.kill, **which)


def at_the_door(performed: bool, acknowledged: bool) -> Callable[[Stage], Any]:
    """Killed while GitHub delivers the first failed check. `performed`: Heal has answered; `acknowledged`: and GitHub
    has got the answer."""
    if acknowledged:
        return after("POST", DOOR, contains=FAILED)
    return lambda stage: stage.github.faults.answer(
        "POST", DOOR, 502, after=performed, callback=stage.kill, contains=FAILED
    )


def asked(number: int, answered: bool) -> Callable[[Stage], None]:
    """Killed while the model's reply `number` (from 0) is being made, or when it is on its way."""

    def arm(stage: Stage) -> None:
        async def strike(_: Body, n: int) -> None:
            if n == number:
                await stage.kill()

        setattr(stage.model, "after" if answered else "before", strike)

    return arm


def during(word: str, delay: float) -> Callable[[Stage], None]:
    """Killed while a command runs in the sandbox."""
    return lambda stage: stage.kill_when(lambda: stage.sandboxed(word), delay)


def sometime(seed: int) -> Point:
    """Killed at a time that only the seed knows."""
    seconds = random.Random(seed).uniform(1.0, 8.0)
    return Point(f"{seconds:.1f} s after CI failed", lambda stage: stage.kill_in(seconds), in_flight=None)


CHECK, DONE = "/check-runs", '"completed"'
STICKY, ANSWER = "heal:v1 sticky", "heal:v1 answer="

HEALING = (
    Point("a webhook arrives", at_the_door(performed=False, acknowledged=False), quiet=20),
    Point("a webhook is stored, unacknowledged", at_the_door(performed=True, acknowledged=False), quiet=20),
    Point("a webhook is stored and acknowledged", at_the_door(performed=True, acknowledged=True), quiet=20),
    Point("failures are gathered", after("POST", DOOR, contains=SETTLED)),
    Point("the first token is minted", after("POST", "/access_tokens$"), quiet=20),
    Point("before the check run is made", before("POST", f"{REPO}{CHECK}"), quiet=20),
    Point("the check run is made", after("POST", f"{REPO}{CHECK}"), quiet=20),
    Point("a log is downloaded", before("GET", "^/blobs/")),
    Point("git has fetched", after("POST", GIT, nth=2)),
    Point("the tools are laid out", lambda stage: stage.kill_when(lambda: making(stage), 0.3), cold=True),
    Point("the baseline runs in the sandbox", during("pytest", 0.3)),
    Point("the model thinks", asked(0, answered=False), in_flight=True),
    Point("the model has answered", asked(0, answered=True), in_flight=True),
    Point("the model thinks, after some rounds", asked(3, answered=False), in_flight=True),
    Point("before the review", before("POST", f"{REPO}/pulls/1/reviews")),
    Point("after the review", after("POST", f"{REPO}/pulls/1/reviews")),
    Point("after the fixup's branch", after("POST", f"{REPO}/git/refs")),
    Point("after the fixup's commit", after("POST", f"{REPO}/git/commits$")),
    Point("after the fixup pull request", after("POST", f"{REPO}/pulls$")),
    Point("before the summary comment", before("POST", f"{REPO}/issues/1/comments", contains=STICKY)),
    Point("after the summary comment", after("POST", f"{REPO}/issues/1/comments", contains=STICKY)),
    Point("before the check run's end", before("PATCH", f"{REPO}{CHECK}/", contains=DONE)),
    Point("after the check run's end", after("PATCH", f"{REPO}{CHECK}/", contains=DONE)),
    *(sometime(seed) for seed in (2, 3)),
)

APPLYING = (
    Point("after the eyes", after("POST", "/reactions$")),
    Point("before the commit", before("POST", "/graphql$", contains="createCommitOnBranch")),
    Point("after the commit", after("POST", "/graphql$", contains="createCommitOnBranch")),
    Point("before the answer", before("POST", f"{REPO}/issues/1/comments", contains=ANSWER)),
    Point("after the answer", after("POST", f"{REPO}/issues/1/comments", contains=ANSWER)),
    Point("another fix is verified on the new head", during("ruff", 0.0)),
    Point("before the used fixup is closed", before("PATCH", f"{REPO}/pulls/2")),
    Point("after the used fixup is closed", after("PATCH", f"{REPO}/pulls/2")),
    Point("after the used branch is deleted", after("DELETE", f"{REPO}/git/refs/")),
    Point("after the summary comment's edit", after("PATCH", f"{REPO}/issues/comments/", contains=STICKY)),
)


def making(stage: Stage) -> bool:
    """Whether the base environment is half there."""
    return any((stage.data / "toolchains").glob(".making-*"))
