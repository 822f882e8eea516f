"""On a disk that takes no overlay marks, as a container's own, agents' worktrees hold only what they change."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from healing.files.overlay import PLAIN
from healing.files.removal import remove_tree
from healing.sandbox.job import Job
from healing.sandbox.layers import Layers, mounting

FILES = 300
SCRIPT = """
import asyncio, json, os, sys
from pathlib import Path
from healing.git.objects import Objects
from healing.files.overlay import PLAIN
from healing.worktrees import Worktrees

async def main(data, files):
    trees = Worktrees(data, min_free=0)
    with trees.mirror("o/r") as git:
        with Objects(git.path) as objects:
            empty = objects.add_tree({})
        tree = git.write_tree(empty, {f"d{n % 9}/f{n}": b"x" * n for n in range(files)})
        await trees.base("run", git, tree)
        changes = {"d1/f1": b"new", "d2/f2": None, "d3/more": b"more"}
        other = git.write_tree(tree, {"d4/f4": None})
        found = {}
        for name, start in (("same", tree), ("other", other)):
            async with trees.worktree("run", name, git, start, True) as worktree:
                assert worktree.layers.marks is PLAIN
                worktree.write(changes)
                assert worktree.read("d2/f2") is None and worktree.read("d5/f5") == b"x" * 5
                own = [p for p in worktree.root.rglob("*") if ".git" not in p.parts]
                found[name] = [worktree.snapshot() == git.write_tree(start, changes), len(own)]
        async with trees.worktree("run", "whole", git, tree) as worktree:
            found["whole"] = [worktree.snapshot() == tree, len(list(worktree.root.rglob("d*/f*")))]
    trees.close()
    print(json.dumps(found))

asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
"""


@pytest.fixture
def room() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="heal-container-"))
    yield made
    remove_tree(made)


# WT-2
def test_an_agents_worktree_on_a_containers_disk_is_its_changes_and_nothing_else(room: Path) -> None:
    for name in ("lower", "upper", "work", "joined"):
        (room / name).mkdir()
    mount = (
        'mount -t overlay none -o "lowerdir=$0/lower,upperdir=$0/upper,workdir=$0/work,userxattr" "$0/joined"'
        ' && exec "$@"'
    )
    unshare = ("unshare", "--user", "--map-root-user", "--mount", "--", "sh", "-c", mount, str(room))
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no overlay can be mounted here (user namespaces are off)")
    argv = [*unshare, sys.executable, "-c", SCRIPT, str(room / "joined" / "data"), str(FILES)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["same"] == [True, 6], "a file changed, one deleted, one new, and their folders"
    assert found["other"] == [True, 8]
    assert found["whole"] == [True, FILES]


def test_what_can_only_be_edited_is_never_mounted_for_a_command(room: Path) -> None:
    layers = Layers(room / "base", room / "work", room / "joined", marks=PLAIN)
    with pytest.raises(ValueError, match="not for commands"):
        mounting(*Job(("true",), room, layers=layers).overlays())
