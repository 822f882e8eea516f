"""kill -9, between any two steps and at any time: nothing is lost, nothing is merged twice."""

import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.git.oracle import git, word
from tests.queue.conftest import Clone
from tests.queue.served import ROOT, Served

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("git"), reason="the clone is made with git; install Debian's git"),
]


# MQ-4
def test_a_kill_between_any_two_steps_loses_nothing_and_merges_nothing_twice(clone: Clone) -> None:
    for name in ("one", "two", "three"):
        clone.commit(name, {f"{name}.txt": b"x"}, name)
    words = [sys.executable, "-m", "tests.queue.dying", str(clone.at)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=250, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    plays = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(plays) > 20
    for play in plays:
        assert play["log"] == ["one", "two", "three"], play
        assert play["states"] == {"one": "MERGED", "two": "MERGED", "three": "MERGED"}, play
        assert {"one.txt", "two.txt", "three.txt"} < set(play["paths"]), play
        assert (play["books"], play["verdict"]) == (True, "unvalidated"), play


# MQ-4
def test_a_served_queue_that_is_killed_at_any_time_goes_on_where_it_stopped() -> None:
    room = Path(tempfile.mkdtemp(prefix="heal-queue-"))
    served = Served(room, {"a.txt": b"a\n"})
    names = [f"n{number:02}" for number in range(12)]
    for name in names:
        git(served.clone, "checkout", "-q", "-b", name, "main")
        (served.clone / f"{name}.txt").write_text(name)
        git(served.clone, "add", "-A")
        git(served.clone, "commit", "-q", "-m", name)
    git(served.clone, "checkout", "-q", "main")
    who = [{"agent_id": name, "session_id": "s", "branch": name} for name in names]
    chance = random.Random(7)
    try:
        for _ in range(8):
            served.start("--agents", "20")
            served.say(*({"type": "REGISTER", **one} for one in who))
            with subprocess.Popen(
                [sys.executable, "-c", SAY, str(served.socket), json.dumps([{"type": "ENQUEUE", **one} for one in who])]
            ):
                time.sleep(chance.uniform(0, 0.15))
                served.kill()
        served.start()
        served.say(*({"type": "ENQUEUE", **one} for one in who))
        results = served.say(*({"type": "WAIT", "agent_id": name} for name in names))
        assert [one.get("result") for one in results] == ["MERGED"] * len(names)
        log = word(served.clone, "log", "--first-parent", "--reverse", "--format=%s", "main..heal/s").splitlines()
        assert sorted(log) == names
        assert git(served.clone, "fsck", "--strict", "--no-dangling") == b""
    finally:
        served.stop()
        shutil.rmtree(room)


SAY = """
import json, socket, sys
with socket.socket(socket.AF_UNIX) as line:
    line.connect(sys.argv[1])
    try:
        for one in json.loads(sys.argv[2]):
            line.sendall(json.dumps(one).encode() + b"\\n")
        while line.recv(65536): pass
    except OSError:
        pass
"""
