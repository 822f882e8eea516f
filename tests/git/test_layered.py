"""A worktree in layers: what Heal writes and what the kernel's overlay writes are read back as the same tree."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from healing.files.overlay import KERNEL, PLAIN, Marks, marks_work
from healing.files.removal import remove_tree
from healing.git import Git, UnsafePath
from healing.git.folder import opened
from healing.git.layered import Folder
from healing.git.objects import Objects
from healing.sandbox.job import Job, Sandbox
from healing.sandbox.probe import probe
from healing.worktrees import Worktree, Worktrees
from tests.git.oracle import git as run_git
from tests.git.oracle import word

RUN = "0123456789abcdef"
FILES = {
    ".gitignore": b"*.log\nbuild/\n",
    "a.py": b"x = 1\n",
    "d/run.sh": b"#!/bin/sh\n",
    "d/e/f": b"",
    "d/e/g": b"g\n",
    "gone/one": b"1",
    "gone/two": b"2",
    "turned/into/a/file": b"t",
    "plain": b"becomes a folder",
}


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="heal-layered-"))
    made.chmod(0o711)
    yield made
    remove_tree(made)


@pytest.fixture
async def sandbox(folder: Path) -> Sandbox:
    looked = await probe(folder, "bubblewrap")
    if looked.sandbox is None or not looked.sandbox.layered:
        pytest.skip(f"no overlay can be mounted here: {looked.tried}")
    return looked.sandbox


@pytest.fixture
def trees(folder: Path, sandbox: Sandbox) -> Iterator[Worktrees]:
    worktrees = Worktrees(folder / "data", sandbox.owner, min_free=0)
    yield worktrees
    worktrees.close()
    assert not list((folder / "data" / "trees").iterdir()), "a worktree was left behind"
    assert str(folder) not in Path("/proc/self/mountinfo").read_text(), "a mount was left behind"


@pytest.fixture
def mirror(trees: Worktrees) -> Iterator[Git]:
    with trees.mirror("o/r") as git:
        yield git


@pytest.fixture
def tree(mirror: Git) -> str:
    with Objects(mirror.path) as objects:
        empty = objects.add_tree({})
    return mirror.write_tree(empty, FILES, {"d/run.sh": "100755"})


@pytest.fixture
async def worktree(trees: Worktrees, mirror: Git, tree: str) -> AsyncIterator[Worktree]:
    await trees.base(RUN, mirror, tree)
    async with trees.worktree(RUN, "agent", mirror, tree, layered=True) as made:
        assert made.layers
        yield made
    assert not made.root.exists()


async def shell(sandbox: Sandbox, worktree: Worktree, script: str) -> str:
    done = await sandbox.run(worktree.adapt_job(Job(("bash", "-ec", script), worktree.root)))
    output = done.output.decode()
    assert done.exit_code == 0, (done.why, output)
    return output


CHANGES = """
rm a.py; rm -r gone; rm -r turned; echo file > turned
rm plain; mkdir plain; echo x > plain/x
chmod +x d/e/g; chmod -x d/run.sh; touch d/e/f
rm -r d/e/f; mkdir d/new; ln -s ../d d/new/link; echo n > 'd/new/a name with "quotes" and ü'
echo log > d/x.log; mkdir build; echo out > build/out; mv .gitignore .kept; mv .kept .gitignore
mkdir -p again/deep; echo 1 > again/deep/1; rm -r again; mkdir -p again/deep; echo 2 > again/deep/2
"""


# WT-2
async def test_what_a_command_changes_in_an_overlay_is_the_tree_that_git_would_make_of_it(
    sandbox: Sandbox, worktree: Worktree, mirror: Git, folder: Path
) -> None:
    await shell(sandbox, worktree, CHANGES)
    found = worktree.snapshot()
    plain = folder / "plain"
    mirror.checkout(worktree.tree, plain)
    run_git(plain, "init", "-q")
    subprocess.run(["bash", "-ec", CHANGES], cwd=plain, check=True)  # noqa: ASYNC221 - nothing else waits
    run_git(plain, "add", "-A")
    assert found == word(plain, "write-tree")


async def test_the_base_is_never_written_to(sandbox: Sandbox, worktree: Worktree, mirror: Git, tree: str) -> None:
    assert worktree.layers
    await shell(sandbox, worktree, "for f in $(git ls-files); do echo changed > $f; done; chmod -R 777 .; rm -rf .git")
    assert worktree.snapshot() != tree
    assert mirror.snapshot(tree, worktree.layers.lower) == tree


async def test_heal_and_commands_take_turns_on_the_same_files(sandbox: Sandbox, worktree: Worktree, tree: str) -> None:
    worktree.write({"d/e/f": None, "d/e/g": None, "a.py": b"x = 2\n", "gone/one": None, "n/m": b"new"})
    output = await shell(sandbox, worktree, "cat a.py n/m; ls d gone; rm n/m; mkdir d/e; echo back > d/e/f; rm -r gone")
    assert output == "x = 2\nnew" + "d:\nrun.sh\n\ngone:\ntwo\n"
    assert worktree.read("d/e/f") == b"back\n"
    assert (worktree.read("d/e/g"), worktree.read("n/m"), worktree.read("gone/two")) == (None, None, None)
    assert worktree.read("d/run.sh") == FILES["d/run.sh"]
    worktree.write({"gone/two": b"again", "n/m": b"again", "d/e/g": b"g\n", "d/e/f": b""})
    assert await shell(sandbox, worktree, "cat gone/two; ls gone") == "againtwo\n"
    worktree.write({"gone/two": b"2", "gone/one": b"1", "a.py": b"x = 1\n", "n/m": None})
    assert worktree.snapshot() == tree


# WT-4
async def test_no_path_leads_out_of_layers(sandbox: Sandbox, worktree: Worktree, folder: Path) -> None:
    (folder / "secret").write_bytes(b"s")
    await shell(sandbox, worktree, f"ln -s {folder} out; ln -s {folder}/secret direct; rm -r d; ln -s {folder} d")
    for path in ("out/secret", "direct", "d/secret"):
        assert worktree.read(path) is None
        with pytest.raises(UnsafePath):
            worktree.write({path: b"overwritten"})
    for path in ("../secret", "/etc/passwd", ".git/config", "a/../../secret"):
        with pytest.raises(UnsafePath):
            worktree.read(path)
    assert (folder / "secret").read_bytes() == b"s"


async def test_a_command_can_not_make_the_marks_of_an_overlay_itself(sandbox: Sandbox, worktree: Worktree) -> None:
    script = (
        "import os\n"
        "for act in (lambda: os.mknod('w', 0o20000, 0), lambda: os.setxattr('d', 'trusted.overlay.opaque', b'y')):\n"
        "    try: act(); print('made')\n"
        "    except OSError as error: print('refused')\n"
        "try: os.setxattr('d', 'user.overlay.opaque', b'y')\n"  # newer kernels store it under another name
        "except OSError: pass\n"
    )
    done = await sandbox.run(worktree.adapt_job(Job(("/usr/bin/python3", "-c", script), worktree.root)))
    if done.exit_code == 127:
        pytest.skip("no python3 in /usr/bin")
    assert done.output == b"refused\nrefused\n"
    assert worktree.read("d/run.sh") == FILES["d/run.sh"]
    assert worktree.snapshot() == worktree.tree


NAMES = st.sampled_from(["a", "b", "c"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
Acts = list[tuple[str, bytes | None, bool | None]]
ACTS = st.lists(st.tuples(PATHS, st.none() | st.binary(max_size=3), st.none() | st.booleans()), max_size=12)


def attempt(folder: Folder, path: str, data: bytes | None, executable: bool | None) -> str:
    try:
        if data is None:
            folder.remove(path)
        else:
            folder.write(path, data, executable)
    except UnsafePath:
        return "unsafe"
    return ""


def memory() -> str | None:
    """A disk in memory, which is much faster; None where there is none that takes an overlay's marks."""
    shm = "/dev/shm"
    if not os.access(shm, os.W_OK):
        return None
    with opened(shm) as fd:
        return shm if marks_work(fd) else None


# WT-2
@pytest.mark.parametrize("marks", [KERNEL, PLAIN], ids=["kernel", "plain"])
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(before=ACTS, after=ACTS)
def test_layers_behave_like_a_copy(marks: Marks, before: Acts, after: Acts) -> None:
    room = Path(tempfile.mkdtemp(prefix="heal-layers-", dir=memory()))
    try:
        (room / "lower").mkdir()
        for act in before:
            attempt(Folder(room / "lower"), *act)
        shutil.copytree(room / "lower", room / "copy")
        (room / "upper").mkdir()
        layered, copy = Folder(room / "upper", None, room / "lower", marks), Folder(room / "copy")
        for act in after:
            assert attempt(layered, *act) == attempt(copy, *act)
        with Git.open(room / "store") as git:
            with Objects(git.path) as objects:
                empty = objects.add_tree({})
            tree = git.snapshot(empty, room / "lower")
            seen = git.snapshot(tree, room / "upper", lower=room / "lower", marks=marks)
            assert seen == git.snapshot(tree, room / "copy")
        for path, _, _ in after:
            assert layered.read(path) == copy.read(path)
    except OSError as error:
        if error.errno in (1, 95):  # EPERM, EOPNOTSUPP
            pytest.skip(f"this disk takes no overlay marks: {error}")
        raise
    finally:
        remove_tree(room)
