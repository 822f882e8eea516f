"""What a hostile command leaves in its worktree for Heal's own git to run, and for Heal to read, when it comes by."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from healing.git.objects import Objects
from healing.process.owner import Owner
from healing.sandbox.job import Job, Sandbox
from healing.worktrees import Worktrees
from tests.sandbox.host import CANARY

FILES = {"a.py": b"x = 1\n", ".gitattributes": b"*.py filter=evil diff=evil merge=evil\n"}
# Each program that git could be made to run leaves a mark in the folder that everybody may write to.
PLANT = """
set +e
mark() { echo "sh -c 'touch $1/$2'"; }
out=$1; secret=$2
rm -rf .git
mkdir -p evil/hooks evil/objects evil/refs
for hook in pre-commit post-checkout post-index-change fsmonitor-watchman reference-transaction post-merge; do
  printf '#!/bin/sh\\ntouch %s/hook\\n' "$out" > evil/hooks/$hook; chmod 755 evil/hooks/$hook
done
cat > evil/config <<END
[core]
  repositoryformatversion = 0
  fsmonitor = $(mark $out fsmonitor)
  hooksPath = evil/hooks
  pager = $(mark $out pager)
  sshCommand = $(mark $out ssh)
  attributesFile = .gitattributes
  worktree = /
[filter "evil"]
  clean = $(mark $out clean)
  smudge = $(mark $out smudge)
  process = $(mark $out process)
  required = true
[diff]
  external = $(mark $out diff)
[diff "evil"]
  textconv = $(mark $out textconv)
[merge "evil"]
  driver = $(mark $out merge)
[include]
  path = $secret
[alias]
  status = !$(mark $out alias)
END
echo "ref: refs/heads/x" > evil/HEAD
echo "gitdir: $PWD/evil" > .git
printf '[submodule "s"]\\n path = sub\\n url = -u./evil\\n update = !touch %s/submodule\\n' "$out" > .gitmodules
mkdir sub && cp -r evil sub/.git
ln -s "$secret" stolen.py
ln -s "$(dirname "$secret")" folder
ln -s /dev/zero endless.py
mkfifo pipe.py
rm -f a.py && ln -s "$secret" a.py
printf 'x' > "$(printf 'new\\nline.py')"
mkdir -p deep && cd deep && i=0; while [ $i -lt 300 ]; do mkdir d && cd d; i=$((i+1)); done; echo x > bottom.py
true
"""


@pytest.fixture
def outside(owner: Owner | None) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="heal-test-outside-") as name:
        folder = Path(name)
        (folder / "marks").mkdir()
        (folder / "secret").write_text(CANARY)
        for path, mode in ((folder, 0o755), (folder / "marks", 0o777), (folder / "secret", 0o644)):
            path.chmod(mode)
        yield folder


# WT-4
@pytest.mark.parametrize("layered", [False, True], ids=["whole", "layered"])
async def test_nothing_that_was_planted_is_run_or_followed_when_heal_reads_the_worktree(
    layered: bool, sandbox: Sandbox, owner: Owner | None, data: Path, outside: Path
) -> None:
    if layered and not sandbox.layered:
        pytest.skip(f"{sandbox.name} has no overlays here")
    place = Path(tempfile.mkdtemp(prefix="planting-", dir=data))
    place.chmod(0o711)
    worktrees = Worktrees(place, owner, min_free=0)
    with worktrees.mirror("o/r") as git:
        with Objects(git.path) as objects:
            empty = objects.add_tree({})
        tree = git.write_tree(empty, FILES, {})
        async with worktrees.worktree("0123456789abcdef", "planting", git, tree, layered) as worktree:
            argv = ("bash", "-c", PLANT, "plant", str(outside / "marks"), str(outside / "secret"))
            ended = await sandbox.run(worktree.adapt_job(Job(argv, worktree.root)))
            assert ended.exit_code == 0, ended.output.decode()
            assert [
                worktree.read(path) for path in ("a.py", "stolen.py", "folder/secret", "endless.py", "pipe.py")
            ] == [None] * 5
            view = git.view(worktree.snapshot())
            assert not [path for path in view.paths() if path.split("/")[0] == ".git" or "/.git/" in path]
            read = [view.read(path) or b"" for path in view.paths()]
            assert not any(CANARY.encode() in content for content in read)
            root = worktree.root
        assert not os.path.lexists(root)
    worktrees.close()
    assert list((outside / "marks").iterdir()) == []
    assert (outside / "secret").read_text() == CANARY
