"""What a full disk, a kill at the worst moment, a hostile command and a clock that jumps leave behind: nothing."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from healing.files.removal import remove_tree
from healing.git import DiskFull, Git
from healing.git.objects import TREE, Objects
from healing.git.transport import open_http
from healing.sandbox.job import Job
from healing.sandbox.probe import Choice, probe
from healing.worktrees import Worktrees
from tests.git.http_git import HttpGit
from tests.git.oracle import git, new_clone, word

RUN = "0123456789abcdef"


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="heal-faults-"))
    made.chmod(0o711)
    yield made
    remove_tree(made)
    assert str(made) not in Path("/proc/mounts").read_text(), "a mount was left behind"


def left(data: Path) -> list[str]:
    """What there is of worktrees and bases; each base with its lock."""
    return sorted(path.name for part in ("trees", "bases") for path in (data / part).iterdir())


def mine(folder: Path) -> list[str]:
    """The processes that have something of this folder on their command line."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes()
        except OSError:
            continue
        if os.fsencode(folder) in words:
            found.append(words.decode(errors="replace"))
    return found


SMALL_DISK = """
import asyncio, json, os, shutil, sys
from pathlib import Path
from healing.git import DiskFull
from healing.git.objects import Objects
from healing.worktrees import Worktrees

async def main(data):
    trees, said = Worktrees(data, min_free=0), []
    with trees.mirror("o/r") as git:
        with Objects(git.path) as objects:
            empty = objects.add_tree({})
        tree = git.write_tree(empty, {f"zeros{n}": bytes(1 << 20) for n in range(12)})
        small = git.write_tree(empty, {"a": b"1"})
        free = shutil.disk_usage(data).free
        for layered in (False, True):
            try:
                async with trees.worktree("run", "x", git, tree, layered):
                    said.append("made")
            except DiskFull as error:
                said.append(str(error))
        try:
            await trees.base("run", git, tree)
        except DiskFull as error:
            said.append(str(error))
        await trees.base("small", git, small)
        async with trees.worktree("small", "x", git, small, True) as worktree:
            try:
                worktree.write({"b": bytes(16 << 20)})
            except OSError as error:
                said.append(error.strerror)
        left = sorted(p.name for p in (data / "bases").iterdir() if p.is_dir())
        lost = free - shutil.disk_usage(data).free
    trees.close()
    print(json.dumps({"said": said, "bases": left, "trees": os.listdir(data / "trees"), "lost": lost}))

asyncio.run(main(Path(sys.argv[1])))
"""


# WT-2
def test_a_disk_that_fills_up_while_a_worktree_is_made_is_said_and_leaves_nothing(folder: Path) -> None:
    mount = 'mount -t tmpfs -o size=8m none "$0" && exec "$@"'
    unshare = ("unshare", "--user", "--map-root-user", "--mount", "--", "sh", "-c", mount, str(folder))
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be mounted here (user namespaces are off)")
    done = subprocess.run(
        [*unshare, sys.executable, "-c", SMALL_DISK, str(folder / "data")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert ["filled up" in word for word in found["said"]] == [True, True, True, False], found["said"]
    assert found["said"][-1] == "No space left on device"
    assert found["trees"] == []
    assert [name.split("-")[0] for name in found["bases"]] == ["small"]
    assert found["lost"] < 256 << 10


FETCHING = """
import sys
from pathlib import Path
from healing.git import Git
from healing.git.transport import open_http
with Git.open(Path(sys.argv[1])) as git:
    git.fetch(open_http(sys.argv[2], lambda: ("x-access-token", "t")), [sys.argv[3]])
"""


# WT-2
def test_a_mirror_that_was_half_fetched_when_heal_was_killed_heals_with_the_next_fetch(tmp_path: Path) -> None:
    noise = {f"f{n}": os.urandom(100_000) for n in range(20)}
    store = tmp_path / "store.git"
    with HttpGit(tmp_path / "served", token="t") as server:
        head = new_clone(tmp_path / "clone", noise)
        server.add("r.git", tmp_path / "clone")
        server.stop_after = 1_000_000
        child = subprocess.Popen([sys.executable, "-c", FETCHING, str(store), f"{server.url}/r.git", head])
        assert server.stopped.wait(30)
        child.send_signal(signal.SIGKILL)
        child.wait()
        (store / "objects/pack/tmp_pack_of_the_dead").write_bytes(noise["f0"])  # as when it dies a little later
        (store / "shallow.lock").write_bytes(b"")
        server.stop_after = None
        server.let_go.set()
        with Git.open(store) as again:
            assert not again.has(head)
            again.fetch(open_http(f"{server.url}/r.git", server.auth), [head])
            assert again.view(head).read("f0") == noise["f0"]
    assert not list(store.rglob("tmp_*"))
    assert {path.name for path in store.rglob("*.lock")} <= {"heal.lock"}
    git(store, "fsck", "--strict")
    assert word(store, "for-each-ref", "--format=%(objectname)").splitlines() == [head]


def wait_for(truth: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not truth():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.01)


MERGING = """
import sys
from pathlib import Path
from healing.git import Git
base, *sides = sys.argv[2:]
with Git.open(Path(sys.argv[1])) as git:
    tree = base
    for number, side in enumerate(sides):
        tree = git.merge(base, tree, side).tree
        print(number, flush=True)
"""


# MQ-4
def test_a_merge_that_is_killed_leaves_a_whole_store_and_comes_to_the_same_end_again(tmp_path: Path) -> None:
    text = b"".join(b"%d\n" % n for n in range(100))
    with Git.open(tmp_path / "s") as store:
        with Objects(store.path) as objects:
            empty = objects.add_tree({})
        base = store.write_tree(empty, {f"d{n}/f": text for n in range(30)})
        sides = [
            store.write_tree(base, {f"d{n}/f": text.replace(b"%d\n" % n, b"-%d\n" % n) for n in range(30)} | {"n": b""})
            for n in range(10, 90, 10)
        ]
    refs = word(tmp_path / "s", "for-each-ref")
    for last in (0, 2, 5):
        command = [sys.executable, "-c", MERGING, str(tmp_path / "s"), base, *sides]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            for _ in range(last + 1):
                child.stdout.readline()
            child.send_signal(signal.SIGKILL)
        git(tmp_path / "s", "fsck", "--strict")
    with Git.open(tmp_path / "s") as store:
        tree = base
        for side in sides:
            merged = store.merge(base, tree, side).tree
            assert merged is not None
            tree = merged
        assert (store.view(tree).read("d15/f") or b"").count(b"-") == 1
    git(tmp_path / "s", "fsck", "--strict")
    assert word(tmp_path / "s", "for-each-ref") == refs


FORMS: tuple[tuple[Choice, bool], ...] = (("bubblewrap", True), ("bubblewrap", False), ("landlock", False))


@pytest.mark.parametrize(("name", "layered"), FORMS)
async def test_a_command_that_deletes_its_own_worktree_harms_nothing_else(
    folder: Path, name: Choice, layered: bool
) -> None:
    sandbox = (await probe(folder, name)).sandbox
    if sandbox is None or (layered and not sandbox.layered):
        pytest.skip(f"{name} does not work here, or has no overlay")
    trees = Worktrees(folder / "data", sandbox.owner, min_free=0)
    with trees.mirror("o/r") as store:
        with Objects(store.path) as objects:
            empty = objects.add_tree({})
        tree = store.write_tree(empty, {"a": b"1", "d/b": b"2"})
        base = await trees.base(RUN, store, tree)
        bases = list((trees.data / "bases").iterdir())
        script = 'rm -rf -- * .[!.]*; mkdir -m 0 closed; chmod 0 .; cd /; rm -rf -- "$PWD" "$OLDPWD"; exit 7'
        async with trees.worktree(RUN, "x", store, tree, layered) as worktree:
            done = await sandbox.run(worktree.adapt_job(Job(("bash", "-c", script), worktree.root)))
            assert (done.exit_code, done.why) == (7, "")
            os.chmod(worktree.root, 0o755) if worktree.root.exists() else None
            assert worktree.read("a") is None
        assert store.snapshot(tree, base) == tree
        async with trees.worktree(RUN, "y", store, tree, layered) as worktree:
            assert worktree.read("d/b") == b"2"
    trees.close()
    assert left(trees.data) == sorted(path.name for path in bases)
    assert mine(folder) == []


IN_A_COMMAND = """
import asyncio, sys
from pathlib import Path
from healing.sandbox.job import Job
from healing.sandbox.probe import probe
from healing.worktrees import Worktrees

async def main(data, tree):
    sandbox = (await probe(data, "bubblewrap")).sandbox
    trees = Worktrees(data, sandbox.owner, min_free=0)
    with trees.mirror("o/r") as git:
        await trees.base("run", git, tree)
        async with trees.worktree("run", "x", git, tree, True) as worktree:
            script = "echo more > a; echo started > /work/started; sleep 60"
            await sandbox.run(worktree.adapt_job(Job(("bash", "-c", script), worktree.root)))

asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
"""


# WT-2
# WT-5
async def test_heal_killed_while_a_command_runs_leaves_no_mount_and_no_process_and_the_sweep_takes_the_rest(
    folder: Path,
) -> None:
    sandbox = (await probe(folder, "bubblewrap")).sandbox
    if sandbox is None or not sandbox.layered:
        pytest.skip("no overlay can be mounted here")
    data = folder / "data"
    trees = Worktrees(data, sandbox.owner, min_free=0)
    with trees.mirror("o/r") as store, Objects(store.path) as objects:
        tree = store.write_tree(objects.add_tree({}), {"a": b"1"})
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", IN_A_COMMAND, str(data), tree)
    await asyncio.to_thread(wait_for, lambda: bool(list(data.glob("trees/*/*/files/started"))))
    assert str(data) not in Path("/proc/mounts").read_text(), "the overlay is seen by the whole machine"
    child.kill()
    await child.wait()
    await asyncio.to_thread(wait_for, lambda: mine(data) == [])
    assert str(data) not in Path("/proc/mounts").read_text()
    assert len(trees.sweep()) == 1
    assert not any(name for name in left(data) if not name.startswith("run-"))
    async with trees.worktree("run", "y", store, tree, True) as worktree:
        assert worktree.layers, "its base is still good"
        assert worktree.read("a") == b"1"
    trees.close()


@pytest.mark.parametrize("jump", [timedelta(days=-4000), timedelta(days=4000)])
async def test_a_clock_that_jumps_takes_no_base_from_under_a_worktree(tmp_path: Path, jump: timedelta) -> None:
    trees = Worktrees(tmp_path / "data", min_free=0)
    now = datetime.now(UTC) + jump
    with trees.mirror("o/r") as store:
        with Objects(store.path) as objects:
            tree = store.write_tree(objects.add_tree({}), {"a": b"1"})
        await trees.base(RUN, store, tree)
        async with trees.worktree(RUN, "x", store, tree, layered=True) as worktree:
            assert trees.clean(timedelta(days=1), 0, now) == ()
            assert trees.sweep() == ()
            assert worktree.read("a") == b"1"
        assert len(trees.clean(timedelta(days=1), 0, now)) == 1
        async with trees.worktree(RUN, "x", store, tree, layered=True) as worktree:
            assert worktree.read("a") == b"1"
    trees.close()
    assert [name for name in left(trees.data) if not name.endswith(".lock")] == []


# WT-2
async def test_waves_stop_with_words_when_the_disk_gets_full_between_them(tmp_path: Path) -> None:
    trees = Worktrees(tmp_path / "data", min_free=0)
    with trees.mirror("o/r") as store:
        with Objects(store.path) as objects:
            tree = store.write_tree(objects.add_tree({}), {"a": b"1"})
        await trees.base(RUN, store, tree)
        async with trees.worktree(RUN, "one", store, tree, layered=True):
            trees.min_free = 1 << 60
            with pytest.raises(DiskFull, match="Free some"):
                async with trees.worktree(RUN, "two", store, tree, layered=True):
                    pass
    trees.close()
    assert not list((tmp_path / "data/trees").iterdir())


# OP-3
@pytest.mark.parametrize("rest", ["branches/", "HEAD.lock", "refs/heads/", "making/HEAD", "making/refs/"])
def test_a_store_that_was_half_made_when_heal_was_killed_is_made_again(tmp_path: Path, rest: str) -> None:
    path = tmp_path / "1.git"
    half = path / rest
    half.mkdir(parents=True) if rest.endswith("/") else half.parent.mkdir(parents=True, exist_ok=True)
    if not rest.endswith("/"):
        half.write_text("")
    for _ in range(2):
        with Git.open(path) as store:
            tree = store.write_tree(store.add_object(TREE, b""), {"a.txt": b"1\n"})
            assert store.view(tree).read("a.txt") == b"1\n"
    assert not (path / "making").exists()
