"""A signal to end: its own exit code, what ran in the sandbox is dead, and no worktree is left."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Heal, make_clone
from tests.cli.shop import GREEN

POLL = "sleep 86399.5"  # as nobody else would


def sleepers() -> list[str]:
    """Living processes that nap like that."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            continue
        if words == POLL:
            found.append(place.parent.name)
    return found


def until(seconds: float, true: object) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if callable(true) and true():
            return True
        time.sleep(0.05)
    return False


# CLI-1
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_during_a_run_leaves_nothing_behind(heal: Heal, room: Path, sent: signal.Signals, code: int) -> None:
    clone = make_clone(room / f"interrupted-{code}", GREEN, {"shop/prices.py": "broken(\n"})
    process: subprocess.Popen[bytes] = heal.start("run", "--run", POLL, cwd=clone)
    assert until(60, sleepers), "the check never began"
    assert list((heal.data / "trees").glob("*/*")), "it runs in a worktree"
    process.send_signal(sent)
    out, err = process.communicate(timeout=30)
    assert process.returncode == code, err.decode()
    assert out == b""
    assert err.decode().splitlines()[-1] == (
        "heal: interrupted. Finished work is kept: the same command continues from there"
    )
    assert b"Traceback" not in err
    assert until(5, lambda: not sleepers())
    assert list((heal.data / "trees").iterdir()) == []
