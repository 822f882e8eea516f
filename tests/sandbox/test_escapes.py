"""Every attempt to escape, on every back end that promises to hold: as root that drops to another user, as an ordinary
user, in a container as either."""

import json
import os
import shutil
from pathlib import Path
from signal import SIGKILL, SIGSYS
from typing import Any

import pytest

from healing.sandbox.owner import Owner, sandbox_owner
from tests.sandbox.escapes.attempt import BESIEGER, Attempt
from tests.sandbox.escapes.catalogue import CATALOGUE
from tests.sandbox.escapes.left_over import PLANT
from tests.sandbox.escapes.scene import SYSTEM_PYTHON, Ground, scene
from tests.sandbox.host import alive

ORDINARY = Owner(61185, 61185)
NO_USER_NAMESPACES = ("bwrap", "--dev-bind", "/", "/", "--unshare-user", "--disable-userns", "--")
CONTAINER = (SYSTEM_PYTHON, str(Path(__file__).with_name("escapes") / "container.py"))
GROUNDS = {
    "bubblewrap": Ground("bubblewrap"),
    "landlock": Ground("landlock"),
    "bubblewrap, ordinary user": Ground("bubblewrap", ORDINARY),
    "landlock, ordinary user": Ground("landlock", ORDINARY),
    "best there is, user namespaces off": Ground("auto", ORDINARY, NO_USER_NAMESPACES),
    "best there is, root in a container": Ground("auto", None, CONTAINER),
}


def jobs(only_controls: bool = False) -> list[dict[str, Any]]:
    """One job for each theme; what is to be left over is planted before somebody looks for it."""
    planting = {"name": "plant", "program": BESIEGER, "attempts": [["plant", "", PLANT]]}
    made = [
        {
            "name": theme,
            "program": BESIEGER,
            "attempts": [_told(one) for one in table.values() if _wanted(one, only_controls)],
        }
        for theme, table in CATALOGUE.items()
    ]
    return [planting, *made]


def _wanted(one: Attempt, only_controls: bool) -> bool:
    return one.control or not only_controls


def _told(one: Attempt) -> list[str]:
    return [one.name, one.promise, one.script]


def outcomes(said: dict[str, Any]) -> dict[str, tuple[list[str], int]]:
    """By name of the attempt what its process said, and the signal that it died of."""
    found: dict[str, tuple[list[str], int]] = {}
    for result in said["results"]:
        assert (result["exit"], result["why"]) == (0, ""), result
        for line in result["output"].splitlines():
            if line.startswith('{"name"'):
                one = json.loads(line)
                found[one["name"]] = one["said"], one["signal"]
    return found


def usable(ground: Ground) -> None:
    if ground.heal and os.geteuid() != 0:
        pytest.skip("we are an ordinary user already, and can't become another")
    if (ground.heal or ground.inside_of) and not os.path.exists(SYSTEM_PYTHON):
        pytest.skip(f"no {SYSTEM_PYTHON} that an ordinary user can start")
    if ground.inside_of and not shutil.which(ground.inside_of[0]):
        pytest.skip(f"no {ground.inside_of[0]} here")


# WT-5
@pytest.mark.parametrize("name", GROUNDS)
def test_no_attempt_to_escape_succeeds(name: str, probed: dict[str, Any]) -> None:
    ground = GROUNDS[name]
    usable(ground)
    if (ground.back_end if ground.back_end != "auto" else "landlock") not in probed:
        pytest.skip(f"{ground.back_end} does not work on this machine")
    with scene(ground, ground.heal or sandbox_owner()) as where:
        said = where.besiege(jobs())
        found = outcomes(said)
        assert [(name, said) for name, (said, signal) in found.items() if said or signal not in (0, SIGSYS)] == []
        assert alive(f"97.{where.host.marker}") == []
        assert where.harm() == []
    expected = {one.name for table in CATALOGUE.values() for one in table.values() if one.promise in said["promises"]}
    assert expected <= set(found)
    assert len(expected) >= 60
    assert said["back_end"] == ("landlock" if ground.back_end == "auto" else ground.back_end)


def test_the_attempts_succeed_where_nothing_is_kept_apart() -> None:
    """Those that any machine lets through to a bare subprocess; the others take one that is badly set up."""
    ground = Ground("unsafe")
    with scene(ground, sandbox_owner()) as where:
        found = outcomes(where.besiege(jobs(only_controls=True), everything=True))
        escaped = {name for name, (said, _) in found.items() if any(line.startswith("escaped") for line in said)}
        assert set(found) - escaped - {"plant"} == set()
        assert [line for said, _ in found.values() for line in said if line.startswith("broken")] == []
        left = alive(f"97.{where.host.marker}")
        for pid in left:
            os.kill(pid, SIGKILL)
        assert left
        harm = where.harm()
    assert {"shared memory of another is gone", "named queue of another is gone", "changed: file"} <= set(harm)
