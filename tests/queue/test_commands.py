"""Two agents as shell scripts, each in its own worktree, merge through the served queue; one after a conflict."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.git.oracle import git, word
from tests.queue.served import Served, until

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="agents from outside have git; install Debian's git")


@pytest.fixture
def served() -> Iterator[Served]:
    room = Path(tempfile.mkdtemp(prefix="heal-queue-"))  # tmp_path is too private for the sandbox's user
    room.chmod(0o711)
    one = Served(room, {"shop.py": b"PRICE = 1\nNAME = 'shop'\n", "notes.txt": b"note\n"})
    yield one
    one.stop()
    shutil.rmtree(room)


ALICE = """
cd "$(heal queue join alice --session till)"
sed -i s/1/2/ shop.py
git commit -qam 'Raise the price

It was too low.'
heal queue done
"""
BOB = """
tree=$(heal queue join bob --session till)
cd "$tree"
echo note two > notes.txt
sed -i 's/1/3/' shop.py
touch "$1/ready"
while [ ! -e "$1/go" ]; do sleep 0.05; done
if heal queue done -m 'Raise it more'; then exit 9; else [ $? = 1 ]; fi
git merge -q heal/till && exit 8
sed -i '/^<<<<<<</,/^=======/d;/^>>>>>>>/d' shop.py
git add shop.py
heal queue done -m 'Settle on two'
"""


# MQ-5
def test_two_shell_scripts_in_worktrees_merge_through_it_one_of_them_after_a_conflict(served: Served) -> None:
    served.start()
    words = ["bash", "-euo", "pipefail", "-c", BOB, "bob", str(served.room)]
    with subprocess.Popen(words, cwd=served.clone, env=served.env, stdout=subprocess.PIPE) as bob:
        until((served.room / "ready").exists)
        alice = served.script(ALICE)
        assert alice.returncode == 0, alice.stderr
        (served.room / "go").touch()
        output = bob.communicate(timeout=60)[0].decode()
    assert bob.returncode == 0, output
    for shown in ("--- shop.py, the base\nPRICE = 1", "branch\nPRICE = 2", "yours\nPRICE = 3", "git merge heal/till"):
        assert shown in output
    assert git(served.clone, "show", "heal/till:shop.py") == b"PRICE = 2\nNAME = 'shop'\n"
    assert git(served.clone, "show", "heal/till:notes.txt") == b"note two\n"
    log = word(served.clone, "log", "--first-parent", "--format=%s", "main..heal/till").splitlines()
    assert log == ["Settle on two", "Raise the price"]
    assert word(served.clone, "worktree", "list").count("\n") == 0, "merged work leaves no worktree"
    assert word(served.clone, "branch", "--list", "agent/*") == ""
    assert git(served.clone, "fsck", "--strict", "--no-dangling") == b""
    assert word(served.clone, "status", "--porcelain") == ""


# MQ-5
def test_join_makes_a_real_registered_worktree_and_branch(served: Served) -> None:
    served.start()
    output = json.loads(served.run("join", "ann", "--session", "s", "--json").stdout)
    assert word(Path(output["worktree"]), "symbolic-ref", "HEAD") == "refs/heads/agent/s/ann"
    assert output["worktree"] in word(served.clone, "worktree", "list", "--porcelain")
    again = json.loads(served.run("join", "ann", "--session", "s", "--json").stdout)
    assert again == output, "who joins twice has joined once"


# MQ-5
def test_status_has_the_published_states_also_when_nobody_serves(served: Served) -> None:
    served.start()
    tree = Path(served.run("join", "ann", "--session", "s").stdout.strip())
    served.run("join", "ben", "--session", "s")
    (tree / "new.txt").write_text("new")
    served.run("done", "-m", "New", cwd=tree)
    for serving in (True, False):
        reported = json.loads(served.run("status", "--json").stdout)
        assert reported["serving"] is serving
        (session,) = reported["sessions"]
        assert (session["state"], session["feature_branch"]) == ("WORKING", "heal/s")
        assert {a["agent_id"]: a["status"] for a in session["agents"]} == {"ann": "MERGED", "ben": "WORKING"}
        assert served.stop() == 0


def test_an_agent_that_changed_nothing_leaves_without_a_merge(served: Served) -> None:
    served.start()
    tree = Path(served.run("join", "ann").stdout.strip())
    done = served.run("done", cwd=tree)
    assert (done.returncode, done.stdout) == (0, "nothing was changed; nothing to merge\n")
    assert not tree.exists()


def test_done_without_a_server_says_what_to_start_and_loses_nothing(served: Served) -> None:
    served.start()
    tree = Path(served.run("join", "ann").stdout.strip())
    (tree / "new.txt").write_text("new")
    served.stop()
    done = served.run("done", cwd=tree)
    assert done.returncode == 3
    assert "heal queue serve" in done.stderr
    served.start()
    assert served.run("done", cwd=tree).returncode == 0


def test_done_refuses_what_is_still_in_conflict(served: Served) -> None:
    served.start()
    tree = Path(served.run("join", "ann", "--session", "s").stdout.strip())
    (tree / "notes.txt").write_text("mine\n")
    git(tree, "commit", "-qam", "mine")
    git(served.clone, "checkout", "-q", "-b", "theirs")
    (served.clone / "notes.txt").write_text("theirs\n")
    git(served.clone, "commit", "-qam", "theirs")
    git(tree, "merge", "-q", "theirs", ok=(1,))
    done = served.run("done", cwd=tree)
    assert done.returncode == 2
    assert "notes.txt" in done.stderr
    assert b"UU notes.txt" in git(tree, "status", "--porcelain")


def test_a_second_server_for_the_same_clone_is_refused(served: Served) -> None:
    served.start()
    second = served.run("serve")
    assert second.returncode == 2
    assert "already" in second.stderr


# MQ-4
@pytest.mark.slow
def test_sweep_removes_what_crashed_agents_left_once_their_session_has_ended(served: Served) -> None:
    served.start()
    tree = Path(served.run("join", "ann", "--session", "s").stdout.strip())
    (tree / "half.txt").write_text("half done")
    assert served.run("end").returncode == 2, "somebody is at work"
    assert served.run("end", "--force").returncode == 0
    assert tree.exists(), "kept for a look"
    assert "stop that one first" in served.run("sweep", "--hours", "0").stderr
    served.stop()
    assert served.run("sweep").stdout == "nothing to remove\n"
    assert served.run("sweep", "--hours", "0").stdout == "removed s/ann\n"
    assert not tree.exists()
    assert json.loads(served.run("status", "--json").stdout)["sessions"] == []
    assert "agent/s/ann" in word(served.clone, "branch", "--list", "agent/*")


# MQ-3
@pytest.mark.slow
def test_a_session_ends_as_a_branch_that_the_sandbox_has_validated(served: Served) -> None:
    served.start("--tests", "grep -q 'PRICE = 2' shop.py", "--lint", "true")
    tree = Path(served.run("join", "ann", "--session", "s").stdout.strip())
    (tree / "shop.py").write_text("PRICE = 3\n")
    served.run("done", cwd=tree)
    red = served.run("end", "s")
    assert (red.returncode, "repair round 1" in red.stdout) == (1, True)
    tree = Path(served.run("join", "ben", "--session", "s").stdout.strip())
    (tree / "shop.py").write_text("PRICE = 2\n")
    served.run("done", cwd=tree)
    green = served.run("end", "s", "--pull-request")
    assert green.returncode == 0, green.stderr
    assert "green" in green.stdout
    assert "git push origin heal/s" in green.stdout
    assert json.loads(served.run("status", "--json").stdout)["sessions"][0]["state"] == "COMPLETE"


# MQ-5
def test_a_session_that_ends_well_leaves_no_branch_of_its_agents_but_those_that_are_in_use(served: Served) -> None:
    served.start()
    trees = {}
    for name in ("ann", "ben", "cleo"):
        trees[name] = Path(served.run("join", name, "--session", "s").stdout.strip())
        (trees[name] / f"{name}.txt").write_text("work\n")
        assert served.run("done", "--keep", cwd=trees[name]).returncode == 0
    git(served.clone, "worktree", "remove", str(trees["ann"]))
    git(served.clone, "worktree", "remove", str(trees["cleo"]))
    git(served.clone, "branch", "-f", "agent/s/cleo", "main")
    assert served.run("end", "--label", "x").returncode == 2, "a label needs a pull request"
    ended = served.run("end")
    assert ended.returncode == 0, ended.stderr
    assert "deleted, because their work was merged: agent/s/ann\n" in ended.stdout
    there = word(served.clone, "branch", "--list", "agent/*", "--format=%(refname:short)").split()
    assert there == ["agent/s/ben", "agent/s/cleo"], "a worktree is on one, and the other moved"
    assert "heal/s" in word(served.clone, "branch", "--list", "heal/*"), "nobody else has it"
    again = json.loads(served.run("end", "--json").stdout)
    assert again["deleted_branches"] == []
