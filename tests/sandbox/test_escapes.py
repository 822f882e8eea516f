"""Every attempt to escape, on every back end that promises to hold: as root that drops to another user, as an ordinary
user, in a container as either."""

import ctypes
import os
from pathlib import Path
from signal import SIGKILL, SIGSYS
from typing import Any

import pytest

from healing.process.owner import sandbox_owner
from tests.sandbox.escapes.catalogue import CATALOGUE, GROUNDS, jobs, outcomes, unusable
from tests.sandbox.escapes.left_over import LEFT_KEY
from tests.sandbox.escapes.scene import Ground, scene
from tests.sandbox.host import alive


# WT-5
@pytest.mark.parametrize("name", GROUNDS)
def test_no_attempt_to_escape_succeeds(name: str, probed: dict[str, Any]) -> None:
    ground = GROUNDS[name]
    if why := unusable(ground):
        pytest.skip(why)
    if (ground.back_end if ground.back_end != "auto" else "landlock") not in probed:
        pytest.skip(f"{ground.back_end} does not work on this machine")
    with scene(ground, ground.heal or sandbox_owner()) as where:
        output = where.besiege(jobs())
        found = outcomes(output)
        assert [(name, output) for name, (output, signal) in found.items() if output or signal not in (0, SIGSYS)] == []
        assert alive(f"97.{where.host.marker}") == []
        assert where.harm() == []
    expected = {one.name for table in CATALOGUE.values() for one in table.values() if one.promise in output["promises"]}
    assert expected <= set(found)
    assert len(expected) >= 60
    assert output["layered"] == (ground.layered and probed["bubblewrap"].layered)
    assert output["back_end"] == ("landlock" if ground.back_end == "auto" else ground.back_end)


def clear(name: str) -> None:
    """Takes away what PLANT leaves where nothing holds it."""
    for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run"):
        Path(folder, name).unlink(missing_ok=True)
    libc = ctypes.CDLL(None)
    libc.mq_unlink(f"/{name}".encode())
    libc.shmctl(libc.shmget(LEFT_KEY, ctypes.c_size_t(0), 0), 0, None)
    libc.semctl(libc.semget(LEFT_KEY, 0, 0), 0, 0)
    libc.msgctl(libc.msgget(LEFT_KEY, 0), 0, None)


def test_the_attempts_succeed_where_nothing_is_kept_apart() -> None:
    """Those that any machine lets through to a bare subprocess; the others take one that is badly set up."""
    ground = Ground("unsafe")
    with scene(ground, sandbox_owner()) as where:
        found = outcomes(where.besiege(jobs(only_controls=True), everything=True))
        escaped = {name for name, (output, _) in found.items() if any(line.startswith("escaped") for line in output)}
        assert set(found) - escaped - {"plant"} == set()
        assert [line for output, _ in found.values() for line in output if line.startswith("broken")] == []
        left = alive(f"97.{where.host.marker}")
        for pid in left:
            os.kill(pid, SIGKILL)
        assert left
        harm = where.harm()
        clear(f"{where.host.marker}-left")
    assert {"shared memory of another is gone", "named queue of another is gone", "changed: file"} <= set(harm)
