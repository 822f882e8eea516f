"""Git works inside of a worktree, and what is done to it there ends there."""

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from healing.files.removal import remove_tree
from healing.git import Git
from healing.git.transport import open_local
from healing.sandbox.job import Job, Sandbox
from healing.sandbox.probe import Choice, probe
from healing.sandbox.promises import NO_MODE_CHANGE_OUTSIDE
from healing.worktrees import Worktree, Worktrees
from tests.git.oracle import commit_files, git, new_clone

RUN = "0123456789abcdef"
pytestmark = pytest.mark.skipif(shutil.which("git", path="/usr/bin:/bin") is None, reason="git is not in /usr/bin")


@dataclass
class Scene:
    """A repository whose packed commit has a base, in a data folder that the sandbox's user can pass through."""

    trees: Worktrees
    mirror: Git
    sandbox: Sandbox
    tree: str
    form: str

    async def said(self, worktree: Worktree, script: str) -> str:
        done = await self.sandbox.run(worktree.adapt_job(Job(("bash", "-ec", script), worktree.root)))
        assert done.exit_code == 0, (done.why, done.output.decode())
        return done.output.decode()


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="heal-private-"))
    made.chmod(0o711)
    yield made
    remove_tree(made)


FORMS: list[tuple[Choice, str]] = [
    ("bubblewrap", "layers"),
    ("bubblewrap", "whole"),
    ("landlock", "whole"),
    ("bubblewrap", "no base"),
]


@pytest.fixture(params=FORMS, ids=" ".join)
async def scene(request: pytest.FixtureRequest, folder: Path) -> AsyncIterator[Scene]:
    name, form = request.param
    looked = await probe(folder, name)
    if looked.sandbox is None or (form == "layers" and not looked.sandbox.layered):
        pytest.skip(f"{name} does not work here, or has no overlay: {looked.tried}")
    clone = folder / "clone"
    new_clone(clone, {"a.py": b"x = 1\n", "d/e": b"e\n", "d/run.sh": b"#!/bin/sh\n", ".gitignore": b"*.pyc\n"})
    (clone / "link").symlink_to("d/e")
    (clone / "out").symlink_to("/etc/passwd")
    (clone / "d/run.sh").chmod(0o755)
    head = commit_files(clone, {"big": bytes(range(256)) * 4000})
    trees = Worktrees(folder / "data", looked.sandbox.owner, min_free=0)
    with trees.mirror("o/r") as mirror:
        mirror.fetch(open_local(clone), [head])
        if form != "no base":
            await trees.base(RUN, mirror, head)
        yield Scene(trees, mirror, looked.sandbox, mirror.tree_of(head), form)
    trees.close()


# WT-2
async def test_git_finds_a_fresh_worktree_clean_and_knows_its_files(scene: Scene) -> None:
    async with scene.trees.worktree(RUN, "x", scene.mirror, scene.tree, scene.form == "layers") as worktree:
        assert bool(worktree.layers) == (scene.form == "layers")
        output = await scene.said(
            worktree, "git status --porcelain; git diff --exit-code; git ls-files; git fsck --no-dangling"
        )
        assert output.split() == [".gitignore", "a.py", "big", "d/e", "d/run.sh", "link", "out"]
        output = await scene.said(worktree, "git rev-parse HEAD^{tree}; git log --format=%s; git cat-file -s HEAD:big")
        assert output == f"{scene.tree}\nWhat was checked out\n1024000\n"


async def test_git_sees_what_a_command_changes(scene: Scene) -> None:
    async with scene.trees.worktree(RUN, "x", scene.mirror, scene.tree, scene.form == "layers") as worktree:
        await scene.said(worktree, "sleep 1; echo 'x = 2' > a.py; rm d/e; touch n")
        assert await scene.said(worktree, "git status --porcelain") == " M a.py\n D d/e\n?? n\n"
        assert "-x = 1\n+x = 2\n" in await scene.said(worktree, "git diff")
        who = "git -c user.name=n -c user.email=e"
        await scene.said(worktree, f"git add -A; {who} commit -qm two; git checkout -q HEAD~1; git checkout -q -b new")
        assert worktree.snapshot() == scene.tree


# The generated files of a fix are committed, so that `git diff --exit-code` in a check asks what CI will ask.
async def test_a_worktree_of_another_tree_is_clean_too(scene: Scene) -> None:
    after = scene.mirror.write_tree(scene.tree, {"a.py": b"x = 2\n", "d/e": None, "n/n.sh": b"n"}, {"n/n.sh": "100755"})
    async with scene.trees.worktree(RUN, "x", scene.mirror, after, scene.form == "layers") as worktree:
        script = (
            "git status --porcelain; git diff --exit-code HEAD; git ls-files d n; git rev-parse HEAD^{tree};"
            "git fsck --no-dangling"
        )
        assert await scene.said(worktree, script) == f"d/run.sh\nn/n.sh\n{after}\n"
        assert await scene.said(worktree, "git show HEAD:a.py; git cat-file -t HEAD:big") == "x = 2\nblob\n"
    async with scene.trees.worktree(RUN, "y", scene.mirror, scene.tree, scene.form == "layers") as worktree:
        assert await scene.said(worktree, "git status --porcelain; cat a.py") == "x = 1\n", "the base was changed"


# WT-4
async def test_the_store_and_other_worktrees_can_not_be_written_to_through_git(scene: Scene) -> None:
    async with scene.trees.worktree(RUN, "x", scene.mirror, scene.tree, scene.form == "layers") as worktree:
        before = state(scene.mirror.path)
        script = """
          objects=$(cat .git/objects/info/alternates)
          for file in $(find "$objects" -type f) "$objects/new" "$objects/pack/new"; do
            if echo bad >> "$file"; then echo "wrote $file"; fi
            if chmod 777 "$file"; then echo "opened $file"; fi
            if [ -f "$file" ] && rm -f "$file"; then echo "removed $file"; fi
          done 2>/dev/null
          git config core.fsmonitor 'touch /tmp/x'; echo bad > .git/hooks 2>/dev/null; echo bad > .git/HEAD
        """
        output = (await scene.said(worktree, script)).split()
        done = {word for word in output if word in ("wrote", "opened", "removed")}
        if os.geteuid() != 0 and NO_MODE_CHANGE_OUTSIDE not in scene.sandbox.promises:
            done.discard("opened")  # Landlock guards contents only, and here the files are the user's own
        assert done == set()
        assert state(scene.mirror.path) == before
        worktree.snapshot()
    async with scene.trees.worktree(RUN, "y", scene.mirror, scene.tree, scene.form == "layers") as worktree:
        assert await scene.said(worktree, "git status --porcelain; git config core.fsmonitor || echo none") == "none\n"
    git(scene.mirror.path, "fsck", "--strict")


def state(store: Path) -> dict[str, tuple[int, int]]:
    found = {path: path.lstat() for path in store.rglob("*") if path.is_file()}
    return {str(path): (status.st_size, status.st_mtime_ns) for path, status in found.items()}


async def test_no_credential_and_no_hook_is_in_it(scene: Scene) -> None:
    async with scene.trees.worktree(RUN, "x", scene.mirror, scene.tree, scene.form == "layers") as worktree:
        output = await scene.said(worktree, "git remote -v; git config --local --list; find .git -type f | sort")
        assert "remote" not in output
        assert "hooks/" not in output


def test_the_same_tree_has_the_same_head(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    head = new_clone(clone)
    heads = set()
    for name in ("one", "two"):
        with Git.open(tmp_path / name) as store:
            store.fetch(open_local(clone), [head])
            store.checkout(head, tmp_path / f"{name}-files")
            assert store.share(head, tmp_path / f"{name}-objects")
            store.add_git(head, tmp_path / f"{name}-files", tmp_path / f"{name}-objects")
        heads.add((tmp_path / f"{name}-files/.git/HEAD").read_text())
        git(tmp_path / f"{name}-files", "fsck")
    assert len(heads) == 1
