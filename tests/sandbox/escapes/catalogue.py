"""All attempts to escape, by theme; those of one theme share one start of the sandbox."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

from healing.process.owner import Owner
from tests.sandbox.escapes.attempt import BESIEGER, Attempt
from tests.sandbox.escapes.left_over import LEFT_OVER, PLANT
from tests.sandbox.escapes.network import NETWORK, SOCKETS
from tests.sandbox.escapes.privileges import FILES, PRIVILEGES
from tests.sandbox.escapes.processes import PROCESSES
from tests.sandbox.escapes.scene import SYSTEM_PYTHON, Ground
from tests.sandbox.escapes.secrets import SECRETS
from tests.sandbox.escapes.writes import MODES, WRITES

CATALOGUE = {
    "secrets": SECRETS,
    "network": {**NETWORK, **SOCKETS},
    "privileges": {**PRIVILEGES, **FILES},
    "processes": PROCESSES,
    "writes": {**WRITES, **MODES},
    "left over": LEFT_OVER,
}
ORDINARY = Owner(61185, 61185)
NO_USER_NAMESPACES = ("bwrap", "--dev-bind", "/", "/", "--unshare-user", "--disable-userns", "--")
CONTAINER = (SYSTEM_PYTHON, str(Path(__file__).with_name("container.py")))
GROUNDS = {
    "bubblewrap": Ground("bubblewrap"),
    "landlock": Ground("landlock"),
    "bubblewrap, over a shared base": Ground("bubblewrap", layered=True),
    "bubblewrap, ordinary user": Ground("bubblewrap", ORDINARY, layered=True),
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


def outcomes(output: dict[str, Any]) -> dict[str, tuple[list[str], int]]:
    """By name of the attempt what its process said, and the signal that it died of."""
    found: dict[str, tuple[list[str], int]] = {}
    for result in output["results"]:
        assert (result["exit"], result["why"]) == (0, ""), result
        for line in result["output"].splitlines():
            if line.startswith('{"name"'):
                one = json.loads(line)
                found[one["name"]] = one["said"], one["signal"]
    return found


def unusable(ground: Ground) -> str:
    """Why there can be no siege on this ground here; empty where there can."""
    if ground.heal and os.geteuid() != 0:
        return "we are an ordinary user already, and can't become another"
    if (ground.heal or ground.inside_of) and not os.path.exists(SYSTEM_PYTHON):
        return f"no {SYSTEM_PYTHON} that an ordinary user can start"
    if ground.inside_of and not shutil.which(ground.inside_of[0]):
        return f"no {ground.inside_of[0]} here"
    return ""
