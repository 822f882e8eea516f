"""Worktrees: one base per run, a copy for every try, confined, owned by the sandbox's user, and always removed."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from healing.files.removal import remove_tree
from healing.git import DiskFull, Git, GitError, UnsafePath
from healing.git.objects import Objects
from healing.process.owner import Owner
from healing.worktrees import Worktrees
from tests.git.oracle import git

RUN = "0123456789abcdef"
FILES = {"a.py": b"x = 1\n", "d/run.sh": b"#!/bin/sh\n", "d/e/f": b""}


@pytest.fixture
def trees(tmp_path: Path) -> Iterator[Worktrees]:
    worktrees = Worktrees(tmp_path / "data", min_free=0)
    yield worktrees
    worktrees.close()
    assert list((tmp_path / "data" / "trees").iterdir()) == [], "a worktree was left behind"


@pytest.fixture
def mirror(trees: Worktrees) -> Iterator[Git]:
    with trees.mirror("o/r") as git:
        yield git


@pytest.fixture
def tree(mirror: Git) -> str:
    return mirror.write_tree(_empty(mirror), FILES, {"d/run.sh": "100755"})


def _empty(git: Git) -> str:
    with Objects(git.path) as objects:
        return objects.add_tree({})


def inside(root: Path) -> dict[str, bytes]:
    """Every file by its path, but git's own."""
    files = {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    return {path: data for path, data in files.items() if not path.startswith(".git/")}


# WT-2
async def test_a_base_is_made_once_and_a_worktree_starts_from_it(trees: Worktrees, mirror: Git, tree: str) -> None:
    bases = await asyncio.gather(*(trees.base(RUN, mirror, tree) for _ in range(4)))
    assert len(set(bases)) == 1
    (bases[0] / ".venv").mkdir()
    (bases[0] / ".venv" / "installed").write_bytes(b"dependency")
    async with trees.worktree(RUN, "agent/1", mirror, tree) as one:
        assert inside(one.root) == FILES | {".venv/installed": b"dependency"}
        assert os.access(one.root / "d" / "run.sh", os.X_OK)
        assert (one.tree, one.snapshot()) == (tree, tree)
        root = one.root
    assert not root.exists()


# WT-3
async def test_worktrees_that_are_made_at_the_same_time_are_all_layers(
    trees: Worktrees, mirror: Git, tree: str
) -> None:
    await trees.base(RUN, mirror, tree)
    async with AsyncExitStack() as held:
        asked = (held.enter_async_context(trees.worktree(RUN, f"t{n}", mirror, tree, layered=True)) for n in range(40))
        made = await asyncio.gather(*asked)
    assert len({bool(one.layers) for one in made}) == 1, "some of them were copied"


async def test_a_worktree_of_another_tree_is_its_base_plus_the_difference(
    trees: Worktrees, mirror: Git, tree: str
) -> None:
    await trees.base(RUN, mirror, tree)
    after = mirror.write_tree(tree, {"a.py": b"x = 2\n", "d/e/f": None, "new/n.sh": b"n"}, {"new/n.sh": "100755"})
    async with trees.worktree(RUN, "verify", mirror, after) as worktree:
        assert worktree.snapshot() == worktree.tree == after
        assert not (worktree.root / "d" / "e").exists()


async def test_a_worktree_needs_no_base_and_takes_a_commit(trees: Worktrees, mirror: Git, tree: str) -> None:
    commit = mirror.commit(tree, [], "m", "A <a@x>", datetime(2026, 1, 1, tzinfo=UTC))
    async with trees.worktree(RUN, "x", mirror, commit) as worktree:
        assert worktree.tree == tree
        assert inside(worktree.root) == FILES


async def test_edits_are_written_read_and_taken_as_a_tree(trees: Worktrees, mirror: Git, tree: str) -> None:
    async with trees.worktree(RUN, "x", mirror, tree) as worktree:
        changes = {"a.py": None, "a.py/b": b"1", "d/run.sh": b"#!/bin/bash\n", "n/m/o": b"new"}
        worktree.write(changes, {"n/m/o": "100755"})
        assert worktree.read("d/run.sh") == b"#!/bin/bash\n"
        assert worktree.read("a.py") is None
        assert worktree.snapshot() == mirror.write_tree(tree, changes, {"n/m/o": "100755"})


# WT-4
async def test_no_path_leads_out_of_a_worktree(trees: Worktrees, mirror: Git, tree: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"s")
    async with trees.worktree(RUN, "x", mirror, tree) as worktree:
        (worktree.root / "out").symlink_to(tmp_path)
        (worktree.root / "direct").symlink_to(tmp_path / "secret")
        os.mkfifo(worktree.root / "pipe")
        assert worktree.read("out/secret") is None
        assert worktree.read("direct") is None
        assert worktree.read("pipe") is None
        for path in ("out/secret", "direct", "pipe", "d"):
            with pytest.raises(UnsafePath):
                worktree.write({path: b"overwritten"})
        with pytest.raises(UnsafePath):
            worktree.write({"direct": None})
        for path in ("../secret", "/etc/passwd", ".git/config", "d/../../secret"):
            with pytest.raises(UnsafePath):
                worktree.read(path)
        os.link(tmp_path / "secret", worktree.root / "hard")
        worktree.write({"hard": b"mine"})
    assert (tmp_path / "secret").read_bytes() == b"s"


@pytest.mark.parametrize("how", ["error", "cancelled"])
async def test_a_worktree_goes_on_every_way_out(trees: Worktrees, mirror: Git, tree: str, how: str) -> None:
    ready = asyncio.Event()
    roots: list[Path] = []

    async def agent() -> None:
        async with trees.worktree(RUN, "x", mirror, tree) as worktree:
            roots.append(worktree.root)
            ready.set()
            if how == "error":
                raise ValueError
            await asyncio.sleep(60)

    task = asyncio.create_task(agent())
    await ready.wait()
    task.cancel() if how == "cancelled" else None
    with pytest.raises((ValueError, asyncio.CancelledError)):
        await task
    assert not roots[0].exists()


async def test_a_worktree_cancelled_while_it_is_made_leaves_nothing(trees: Worktrees, mirror: Git, tree: str) -> None:
    async def agent() -> None:
        async with trees.worktree(RUN, "x", mirror, tree):
            await asyncio.sleep(60)

    for steps in range(12):
        task = asyncio.create_task(agent())
        for _ in range(steps):
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    session = next(path for path in (trees.data / "trees").iterdir() if path.is_dir())
    assert list(session.iterdir()) == []


def test_what_a_stranger_made_undeletable_is_deleted(tmp_path: Path) -> None:
    keep = tmp_path / "keep"
    keep.write_bytes(b"k")
    root = tmp_path / "w"
    (root / "locked" / "in").mkdir(parents=True)
    (root / "locked" / "in" / "f").write_bytes(b"")
    (root / "link").symlink_to(tmp_path)
    (root / "locked" / "in").chmod(0)
    (root / "locked").chmod(0)
    fd = os.open(root, os.O_RDONLY)
    for _ in range(3000):  # deeper than recursion, and than any path can say
        os.mkdir("d", dir_fd=fd)
        below = os.open("d", os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    os.close(fd)
    remove_tree(root)
    assert [path.name for path in tmp_path.iterdir()] == ["keep"]
    remove_tree(root)


CHILD = """
import asyncio, sys, time
from pathlib import Path
from healing.worktrees import Worktrees

async def main():
    trees = Worktrees(Path(sys.argv[1]), min_free=0)
    with trees.mirror("o/r") as git:
        await trees.base("run2", git, sys.argv[2])
        async with trees.worktree("run2", "agent", git, sys.argv[2]) as worktree:
            print(worktree.root, flush=True)
            await asyncio.sleep(60)

asyncio.run(main())
"""


# WT-2
# MQ-4
def test_what_a_killed_process_left_is_swept_and_what_a_living_one_uses_stays(
    trees: Worktrees, mirror: Git, tree: str
) -> None:
    command = [sys.executable, "-c", CHILD, str(trees.data), tree]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        roots = [Path((child.stdout.readline() if child.stdout else "").strip()) for child in children]
        assert all(inside(root) == FILES for root in roots)
        assert trees.sweep() == ()
        children[0].send_signal(signal.SIGKILL)
        children[0].wait()
        assert roots[0].exists(), "it stays for a look until the sweep"
        assert len(trees.sweep()) == 1
        assert not roots[0].exists()
        assert inside(roots[1]) == FILES
    finally:
        for child in children:
            child.kill()
            child.wait()
            if child.stdout:
                child.stdout.close()
    assert len(trees.sweep()) == 1
    assert trees.sweep() == ()


# WT-2
async def test_bases_are_cleaned_by_age_then_by_size(trees: Worktrees, mirror: Git, tree: str) -> None:
    now = datetime(2026, 6, 1, tzinfo=UTC)
    for days, run in enumerate(["r0", "r1", "r2", "r9"]):
        base = await trees.base(run, mirror, mirror.write_tree(tree, {"big": bytes([days]) * 100_000}))
        used = now - timedelta(days=int(run[1:]))
        os.utime(base.parent / "used", (used.timestamp(), used.timestamp()))
    removed = trees.clean(timedelta(days=7), 10**9, now)
    assert [name[:2] for name in removed] == ["r9"]
    removed = trees.clean(timedelta(days=7), 150_000, now)
    assert [name[:2] for name in removed] == ["r2", "r1"]
    assert (await trees.base("r1", mirror, tree)).exists()


async def test_what_two_bases_of_a_repository_have_in_common_is_on_disk_once(
    trees: Worktrees, mirror: Git, tree: str
) -> None:
    other = mirror.write_tree(tree, {"a.py": b"x = 2\n", "new/b": b""}, {"d/e/f": "100755"})
    first = await trees.base("r1", mirror, tree, apart=True)
    second = await trees.base("r2", mirror, other, apart=True)
    assert inside(second) == FILES | {"a.py": b"x = 2\n", "new/b": b""}
    same = [path for path in FILES if (first / path).samefile(second / path)]
    assert same == ["d/run.sh", "d/e/f"]
    async with trees.worktree("r2", "w", mirror, other) as worktree:
        worktree.write({"d/run.sh": b"changed"})
        assert git(second, "status", "--short") == b"", "git takes what is shared for changed"
    assert inside(first) == FILES
    os.utime(first.parent / "used", (0, 0))
    assert len(trees.clean(timedelta(days=7), 10**9, datetime.now(UTC))) == 1
    assert inside(second) == FILES | {"a.py": b"x = 2\n", "new/b": b""}


async def test_a_base_shares_nothing_with_what_commands_could_write_to(
    trees: Worktrees, mirror: Git, tree: str, tmp_path: Path
) -> None:
    reached = await trees.base("r1", mirror, tree, apart=False)
    with trees.mirror("o/other") as others:
        theirs = await trees.base("r2", others, others.write_tree(_empty(others), FILES), apart=True)
    alone = await trees.base("r3", mirror, tree, apart=True)
    assert not any((alone / path).samefile(base / path) for path in FILES for base in (reached, theirs))
    (alone / "a.py").chmod(0o666)  # something went wrong with it
    (alone / "d" / "e" / "f").unlink()
    fresh = await trees.base("r4", mirror, tree, apart=True)
    assert inside(fresh) == FILES
    assert [path for path in FILES if os.stat(fresh / path).st_nlink > 1] == ["d/run.sh"]


async def test_room_is_made_where_bases_share_most_of_theirs(trees: Worktrees, mirror: Git, tree: str) -> None:
    now = datetime(2026, 10, 1, tzinfo=UTC)
    shared = mirror.write_tree(tree, {"big": os.urandom(400_000)})
    for days, run in enumerate(("r0", "r1", "r2")):
        own = mirror.write_tree(shared, {f"own{run}": os.urandom(100_000)})
        base = await trees.base(run, mirror, own, apart=True)
        used = (now - timedelta(days=days)).timestamp()
        os.utime(base.parent / "used", (used, used))
    assert trees.clean(timedelta(days=7), 900_000, now) == ()
    assert [name[:2] for name in trees.clean(timedelta(days=7), 700_000, now)] == ["r2"]
    assert [name[:2] for name in trees.clean(timedelta(days=7), 400_000, now)] == ["r1", "r0"]


async def test_too_little_disk_is_said_before_anything_is_written(tmp_path: Path, mirror: Git, tree: str) -> None:
    full = Worktrees(tmp_path / "full", min_free=1 << 60)
    with pytest.raises(DiskFull, match="Free some"):
        await full.base(RUN, mirror, tree)
    with pytest.raises(DiskFull):
        async with full.worktree(RUN, "x", mirror, tree):
            pass
    full.close()


def test_repositories_of_any_name_have_folders_of_their_own(trees: Worktrees) -> None:
    slugs = ["o/r", "o%2fr", "../../x", "o/.git", "O" * 300 + "/r", "O" * 300 + "/s"]
    paths = []
    for slug in slugs:
        with trees.mirror(slug) as git:
            paths.append(git.path)
    assert len(set(paths)) == len(slugs)
    assert {path.parent for path in paths} == {trees.data / "mirrors"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
async def test_the_sandboxes_user_owns_its_worktree_and_sees_nothing_else() -> None:
    data = Path("/tmp") / f"heal-test-{os.getpid()}"
    owner = Owner(uid=65534, gid=65534)
    trees = Worktrees(data, owner, min_free=0)
    try:
        with trees.mirror("o/r") as git:
            with Objects(git.path) as objects:
                tree = git.write_tree(objects.add_tree({}), FILES)
            await trees.base(RUN, git, tree)
            async with trees.worktree(RUN, "x", git, git.write_tree(tree, {"n/n": b"1"})) as worktree:
                worktree.write({"m/k": b"2"})
                assert {path.stat().st_uid for path in [worktree.root, *worktree.root.rglob("*")]} == {65534}
                assert as_user(owner, "ls", "-R", str(worktree.root)) == 0
                assert as_user(owner, "touch", str(worktree.root / "m" / "new")) == 0
                for closed in (data / "mirrors", data / "trees", data / "bases", worktree.root.parent):
                    assert as_user(owner, "ls", str(closed)) != 0
                assert as_user(owner, "cat", str(git.path / "HEAD")) != 0
                assert as_user(owner, "touch", str(worktree.root.parent / "x")) != 0
        trees.close()
    finally:
        remove_tree(data)


def as_user(owner: Owner, *command: str) -> int:
    done = subprocess.run(
        command, user=owner.uid, group=owner.gid, extra_groups=[], cwd="/", capture_output=True, check=False
    )
    return done.returncode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has another user to shut out")
def test_data_that_the_sandboxes_user_cannot_reach_is_reported(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o700)
    with pytest.raises(GitError, match="chmod o"):
        Worktrees(tmp_path / "closed" / "data", Owner(uid=65534, gid=65534))
