"""What a worktree makes of the odd things that a tree can hold; docs/security.md says it in words."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from healing.edits.merge import TreeEntry
from healing.files.removal import remove_tree
from healing.git import Git, GitError
from healing.git.objects import Objects
from healing.sandbox.job import Job, Sandbox
from healing.sandbox.probe import probe
from healing.worktrees import Worktree, Worktrees

RUN = "0123456789abcdef"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n"
LONG = b"n" * 255
TOO_LONG = b"m" * 256
HUGE = 30 << 20
LEFT_OUT = {
    "out": "leads out",
    "far": "leads out",
    "new\nline": "control",
    ".GIT": "taken for .git",
    "git~1": "taken for .git",
    ".g\u200cit": "taken for .git",
    "m" * 256: "too long",
    "module": "submodule",
}


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="heal-odd-"))
    made.chmod(0o711)
    yield made
    remove_tree(made)


@pytest.fixture
async def sandbox(folder: Path) -> Sandbox:
    looked = await probe(folder, "bubblewrap")
    if looked.sandbox is None:
        pytest.skip(f"bubblewrap does not work here: {looked.tried}")
    return looked.sandbox


@pytest.fixture
def trees(folder: Path, sandbox: Sandbox) -> Iterator[Worktrees]:
    worktrees = Worktrees(folder / "data", sandbox.owner, min_free=0)
    yield worktrees
    worktrees.close()


def odd_tree(store: Git) -> str:
    with Objects(store.path) as objects:
        text, pointer = objects.add_blob(b"text\n"), objects.add_blob(POINTER)
        crlf, huge = objects.add_blob(b"a\r\nb\r\n"), objects.add_blob(b"x" * HUGE)
        rules = objects.add_blob(b"*.bin filter=lfs diff=lfs merge=lfs -text\n*.txt text eol=lf\n* ident\n")
        inner = objects.add_tree(
            {b"config": TreeEntry(0o100644, text), b"up": TreeEntry(0o120000, objects.add_blob(b"../a"))}
        )
        links = {name: objects.add_blob(to) for name, to in ((b"out", b"/etc/passwd"), (b"far", b"x/../../y"))}
        return objects.add_tree(
            {
                b"a": TreeEntry(0o100644, text),
                b"Clash": TreeEntry(0o100644, text),
                b"clash": TreeEntry(0o100755, text),
                b".gitattributes": TreeEntry(0o100644, rules),
                b"large.bin": TreeEntry(0o100644, pointer),
                b"dos.txt": TreeEntry(0o100644, crlf),
                b"huge": TreeEntry(0o100644, huge),
                b"caf\xe9": TreeEntry(0o100644, text),
                b'quo"te \\ $(x)': TreeEntry(0o100644, text),
                b"-rf": TreeEntry(0o100644, text),
                LONG: TreeEntry(0o100644, text),
                b"module": TreeEntry(0o160000, "1" * 40),
                b"inside": TreeEntry(0o120000, objects.add_blob(b"d/config")),
                b"dangling": TreeEntry(0o120000, objects.add_blob(b"nowhere")),
                b"d": TreeEntry(0o040000, inner),
                # never written:
                **{name: TreeEntry(0o120000, sha) for name, sha in links.items()},
                b"new\nline": TreeEntry(0o100644, text),
                b".GIT": TreeEntry(0o040000, inner),
                b"git~1": TreeEntry(0o100644, text),
                ".g\u200cit".encode(): TreeEntry(0o040000, inner),
                TOO_LONG: TreeEntry(0o100644, text),
            }
        )


# WT-2
# WT-4
@pytest.mark.parametrize("layered", [True, False])
async def test_odd_things_are_written_as_they_are_or_left_out_with_words_and_never_lost(
    trees: Worktrees, sandbox: Sandbox, layered: bool
) -> None:
    if layered and not sandbox.layered:
        pytest.skip("no overlay can be mounted here")
    with trees.mirror("o/r") as store:
        tree = odd_tree(store)
        await trees.base(RUN, store, tree)
        async with trees.worktree(RUN, "x", store, tree, layered) as worktree:
            assert {one.path: one.why for one in worktree.skipped if one.path not in LEFT_OUT} == {}
            for path, why in LEFT_OUT.items():
                assert why in next(one.why for one in worktree.skipped if one.path == path)
            assert worktree.snapshot() == tree
            assert await listed(sandbox, worktree) == sorted(
                [
                    *(
                        b"-rf",
                        b".gitattributes",
                        b"Clash",
                        b"a",
                        b"caf\xe9",
                        b"clash",
                        b"d/config",
                        b"d/up",
                        b"dangling",
                    ),
                    *(b"dos.txt", b"huge", b"inside", b"large.bin", LONG, b'quo"te \\ $(x)'),
                ]
            )
            assert (worktree.read("large.bin"), worktree.read("dos.txt")) == (POINTER, b"a\r\nb\r\n")
            assert (worktree.read("inside"), worktree.read("module/x"), worktree.read("out")) == (None, None, None)
            # A command's change is the only change.
            job = Job(("sh", "-c", "echo more >> a; echo new > module/new; rm ./-rf"), worktree.root)
            assert (await sandbox.run(worktree.adapt_job(job))).exit_code == 0
            assert worktree.snapshot() == store.write_tree(tree, {"a": b"text\nmore\n", "-rf": None})


async def listed(sandbox: Sandbox, worktree: Worktree) -> list[bytes]:
    """What a command finds, but git's own."""
    script = "find . -path ./.git -prune -o ! -type d -print0; git status --porcelain >&2 || true"
    done = await sandbox.run(worktree.adapt_job(Job(("sh", "-c", f"({script}) 2>/dev/null"), worktree.root)))
    assert done.exit_code == 0
    return sorted(name.removeprefix(b"./") for name in done.output.split(b"\0") if name)


async def test_a_file_over_the_largest_size_is_said_when_a_command_leaves_one(
    trees: Worktrees, sandbox: Sandbox
) -> None:
    with trees.mirror("o/r") as store:
        with Objects(store.path) as objects:
            tree = store.write_tree(objects.add_tree({}), {"a": b""})
        await trees.base(RUN, store, tree)
        async with trees.worktree(RUN, "x", store, tree, sandbox.layered) as worktree:
            job = Job(("truncate", "-s", "101M", "big"), worktree.root)
            assert (await sandbox.run(worktree.adapt_job(job))).exit_code == 0
            with pytest.raises(GitError, match="over 100 MB"):
                worktree.snapshot()
