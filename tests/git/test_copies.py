"""Copies that are used again are what they were, whatever a command did to them: no check sees what another left."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from healing.files.removal import remove_tree
from healing.git import DiskFull, Git
from healing.git.disk import copy_tree
from healing.git.objects import Objects
from healing.sandbox.job import Job, Sandbox
from healing.sandbox.probe import probe
from healing.worktrees import Worktrees
from healing.worktrees.copies import LIMIT, detects_changes, restored
from healing.worktrees.listing import NotRestorable, mark_of, scan

RUN = "0123456789abcdef"
FILES = {
    ".gitignore": b"*.log\n",
    "a.py": b"x = 1\n" * 1000,
    "b.py": b"y = 2\n" * 1000,
    "d/run.sh": b"#!/bin/sh\n",
    "d/e/f": b"",
    "other/a.py": b"z = 3\n" * 1000,
}


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="heal-copies-"))
    made.chmod(0o711)
    yield made
    remove_tree(made)


@pytest.fixture
async def sandbox(folder: Path) -> Sandbox:
    looked = await probe(folder / "probe", "landlock")
    if looked.sandbox is None:
        pytest.skip(f"Landlock does not work here: {looked.tried}")
    return looked.sandbox


@pytest.fixture
def trees(folder: Path, sandbox: Sandbox) -> Iterator[Worktrees]:
    worktrees = Worktrees(folder / "data", sandbox.owner, min_free=0)
    if not detects_changes(worktrees.data):
        pytest.skip("this disk does not tell of changes, so copies are not used again")
    yield worktrees
    worktrees.close()
    assert list((worktrees.data / "trees").iterdir()) == []


@pytest.fixture
def mirror(trees: Worktrees) -> Iterator[Git]:
    with trees.mirror("o/r") as git:
        yield git


@pytest.fixture
def tree(mirror: Git) -> str:
    with Objects(mirror.path) as objects:
        empty = objects.add_tree({})
    tree = mirror.write_tree(empty, FILES, {"d/run.sh": "100755"})
    with Objects(mirror.path) as objects:
        entries = dict(objects.tree(tree))
        return objects.add_tree(entries)


def seen(root: Path) -> dict[str, tuple[object, ...]]:
    """Everything there is: kind, mode, content, attributes."""
    found: dict[str, tuple[object, ...]] = {}
    for path in [root, *root.rglob("*")]:
        status = path.lstat()
        content: object = None
        if stat.S_ISREG(status.st_mode):
            content = (path.read_bytes(), status.st_nlink, int(status.st_mtime))
        elif stat.S_ISLNK(status.st_mode):
            content = os.readlink(path)
        named = tuple(os.listxattr(path, follow_symlinks=False))
        found[str(path.relative_to(root))] = (status.st_mode, status.st_uid, status.st_gid, content, named)
    return found


BACK = "import os; s = os.stat('a.py'); {}; os.utime('a.py', ns=(s.st_atime_ns, s.st_mtime_ns))"
IN_PLACE = "f = open('a.py', 'r+b'); f.write(b'!'); f.close()"
REPLACED = "d = open('a.py', 'rb').read(); os.unlink('a.py'); open('a.py', 'wb').write(b'!' + d[1:])"
MAPPED = (
    "import mmap; f = open('a.py', 'r+b'); m = mmap.mmap(f.fileno(), 0); [m[n] for n in range(0, len(m), 512)]; "
    "m[0] = 33; m.flush(); m[1] = 33; m.close()"
)
PUNCHED = "import ctypes; f = open('a.py', 'r+b'); ctypes.CDLL(None).fallocate(f.fileno(), 3, 0, 4096)"
CLONED = "import fcntl; f = open('a.py', 'r+b'); fcntl.ioctl(f.fileno(), 0x40049409, open('other/a.py').fileno())"
SWAPPED = (
    "import fcntl, struct; f = open('a.py', 'r+b'); g = open('other/a.py', 'r+b'); os.fsync(f); os.fsync(g); "
    "fcntl.ioctl(f.fileno(), 0xc028660f, struct.pack('IIQQQQ', 0, g.fileno(), 0, 0, 1, 0))"
)
HOSTILE = {
    "leaves caches": "mkdir -p __pycache__ .pytest_cache/v d/e/deep; echo 1 > __pycache__/a.pyc; echo 2 > x.log",
    "writes in place and sets the time back": ("python", BACK.format(IN_PLACE)),
    "replaces a file by one that looks the same": ("python", BACK.format(REPLACED)),
    "writes through a mapping": ("python", BACK.format(MAPPED)),
    "punches a hole": ("python", BACK.format(PUNCHED)),
    "clones another file's blocks": ("python", BACK.format(CLONED)),
    "swaps two files' blocks": ("python", BACK.format(SWAPPED)),
    "truncates and fills up": "head -c 6000 /dev/zero > a.py; touch -d 2020-01-01 a.py",
    "renames files around": "mv a.py t; mv b.py a.py; mv t b.py",
    "renames folders around": "mv d t; mv other d; mv t other",
    "moves a folder away and back": "mv d t; mv t d",
    "links out of the tree": "rm -r d; ln -s /etc d; ln -s ../../.. up; ln -sf /etc/passwd a.py",
    "puts a link over a folder that has a twin": "rm -r other; ln -s d other; echo 1 > d/a.py",
    "makes hard links": "ln a.py h; ln -f b.py a.py; mkdir n; ln d/run.sh n/x",
    "links a file out to its home": "ln a.py $HOME/kept; cp -l b.py $HOME/b",
    "changes modes": "chmod 777 a.py d; chmod -x d/run.sh; chmod 0 d/e; chmod g+s other",
    "closes a folder": "mkdir -p closed/in; echo 1 > closed/in/f; chmod 0 closed/in closed",
    "makes a pipe and a socket": "mkfifo p; python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('s')\"",
    "sets attributes": ("python", "import os; os.setxattr('a.py', 'user.x', b'1'); os.setxattr('d', 'user.x', b'1')"),
    "lets new files be written by all": "setfacl -d -m o::rwx d; setfacl -d -m u:1234:rwx .",
    "sets flags": "chattr +d a.py; chattr +A d; chattr +i b.py",
    "changes git's own": "echo evil > .git/hooks/pre-commit; mkdir -p .git/hooks; echo '[core]' >> .git/config; "
    "git update-index --assume-unchanged a.py; git config core.fsmonitor /bin/false; rm .git/index",
    "commits": "git -c user.name=a -c user.email=b commit -qam x; git gc -q; git checkout -q -b other",
    "removes everything": "rm -rf -- * .[!.]*",
    "removes its own folder": 'cd /; rm -rf -- "$OLDPWD"',
    "closes its own folder": "chmod 0 .",
    "makes its own folder's twin": 'cd ..; mv "$OLDPWD" gone; mkdir "$OLDPWD"',
    "nests without end": "for i in $(seq 300); do mkdir x && cd x || exit; done; echo 1 > f",
    "floods": f"mkdir m; cd m; seq {LIMIT + 100} | xargs touch",
    "has odd names": "touch -- '-rf' $'new\\nline' $'\\xff\\xfe' ' ' '*'; mkdir $'\\x01'; ln -s x $'l\\n'",
    "goes on in the background": "(setsid sh -c 'sleep 0.2; echo late > a.py; echo late > new' &) ; exit 0",
    "keeps a file open in the background": "(exec 5>>a.py; setsid sh -c 'while :; do echo late >&5; done' &) ; exit 0",
    "falls": "kill -9 $$",
}


# WT-3
# WT-5
async def test_no_command_leaves_anything_for_the_next_one(
    trees: Worktrees, mirror: Git, tree: str, sandbox: Sandbox
) -> None:
    await trees.base(RUN, mirror, tree)
    async with trees.worktree(RUN, "clean", mirror, tree, reuse=False) as fresh:
        clean = seen(fresh.root)
    roots: set[int] = set()
    before = "nothing yet"
    for name, command in HOSTILE.items():
        argv = ("sh", "-c", command) if isinstance(command, str) else ("python3", "-c", command[1])
        async with trees.worktree(RUN, "x", mirror, tree, reuse=True) as worktree:
            assert seen(worktree.root) == clean, f"something was left by what {before}"
            roots.add(worktree.root.stat().st_ino)
            job = Job(argv, worktree.root, readable=(Path("/usr"),))
            await sandbox.run(worktree.adapt_job(job))
        before = name
    async with trees.worktree(RUN, "x", mirror, tree, reuse=True) as worktree:
        assert seen(worktree.root) == clean, f"something was left by what {before}"
    assert len(roots) < len(HOSTILE) / 2, "copies were not used again"


async def test_a_copy_that_was_another_tree_is_the_one_that_is_asked_for(
    trees: Worktrees, mirror: Git, tree: str
) -> None:
    other = mirror.write_tree(tree, {"a.py": b"changed\n", "new/file": b"n", "b.py": None})
    await trees.base(RUN, mirror, tree)
    roots = set()
    for asked in (tree, other, tree, other, other, tree):
        async with trees.worktree(RUN, "x", mirror, asked, reuse=True) as worktree:
            roots.add(worktree.root.stat().st_ino)
            assert worktree.snapshot() == asked
            worktree.write({"left": b"over", "d/run.sh": b"changed"})
    assert len(roots) == 1


async def test_copies_in_use_at_the_same_time_are_different_ones_and_only_a_few_are_kept(
    trees: Worktrees, mirror: Git, tree: str
) -> None:
    await trees.base(RUN, mirror, tree)
    many = 2 * (os.cpu_count() or 2)
    held = [trees.worktree(RUN, f"t{n}", mirror, tree, reuse=True) for n in range(many)]
    roots = {(await one.__aenter__()).root.stat().st_ino for one in held}
    assert len(roots) == many
    for one in held:
        await one.__aexit__(None, None, None)
    (session,) = (path for path in (trees.data / "trees").iterdir() if path.is_dir())
    assert len(list(session.glob("spare-*"))) == os.cpu_count()


async def test_a_copy_is_not_kept_where_something_went_wrong(trees: Worktrees, mirror: Git, tree: str) -> None:
    await trees.base(RUN, mirror, tree)
    with pytest.raises(ZeroDivisionError):
        async with trees.worktree(RUN, "x", mirror, tree, reuse=True):
            raise ZeroDivisionError
    assert not list(trees.data.glob("trees/*/*"))


async def test_spare_copies_go_when_the_disk_gets_full(trees: Worktrees, mirror: Git, tree: str) -> None:
    await trees.base(RUN, mirror, tree)
    async with trees.worktree(RUN, "x", mirror, tree, reuse=True):
        pass
    assert len(list(trees.data.glob("trees/*/spare-*"))) == 1
    trees.min_free = 1 << 60
    with pytest.raises(DiskFull, match="Free some"):
        async with trees.worktree(RUN, "x", mirror, tree):
            pass
    assert not list(trees.data.glob("trees/*/*"))


def test_a_disk_in_memory_does_not_tell_of_changes_and_is_not_trusted() -> None:
    memory = Path("/dev/shm")
    if "tmpfs /dev/shm" not in Path("/proc/mounts").read_text() or not os.access(memory, os.W_OK):
        pytest.skip("there is no disk in memory here")
    place = Path(tempfile.mkdtemp(dir=memory))
    try:
        assert not detects_changes(place)
        assert [path.name for path in place.iterdir()] in ([], ["stamp"])
    finally:
        shutil.rmtree(place)


def test_one_entry_has_the_same_marks_alone_as_in_the_list(folder: Path) -> None:
    place = Path(tempfile.mkdtemp(dir=folder))
    (place / "d").mkdir(mode=0o2751)
    (place / "d/new\nline\\ and space").write_bytes(b"1")
    (place / os.fsdecode(b"\xff")).write_bytes(b"")
    (place / "link").symlink_to("nowhere")
    os.mkfifo(place / "pipe")
    marks = scan(place)
    assert marks == {path: mark_of(place / os.fsdecode(path)) for path in marks}
    assert set(marks) == {b"", b"d", b"d/new\nline\\ and space", b"\xff", b"link", b"pipe"}
    with pytest.raises(NotRestorable, match="too much"):
        scan(place, most=2)


NAMES = st.sampled_from(["a", "b", "d", "d/x", "d/e", "d/e/y", "n/m", "l"])
ACTS = st.lists(
    st.tuples(st.sampled_from(["write", "remove", "folder", "link", "mode", "move"]), NAMES, NAMES), max_size=12
)


def act(root: Path, what: str, name: str, other: str) -> None:
    place, target = root / name, root / other
    try:
        if what == "write":
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(other.encode())
        elif what == "folder":
            place.mkdir(parents=True, exist_ok=True)
        elif what == "link":
            place.symlink_to(other)
        elif what == "mode":
            place.chmod(0o750 if not place.is_symlink() else 0o777)
        elif what == "move":
            place.rename(target)
        else:
            remove_tree(place)
    except OSError:
        return


# WT-3
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=st.lists(ACTS, min_size=1, max_size=3))
def test_whatever_is_done_to_a_copy_is_undone(folder: Path, acts: list[list[tuple[str, str, str]]]) -> None:
    place = Path(tempfile.mkdtemp(dir=folder))
    base, copy = place / "base", place / "copy"
    (base / "d/e").mkdir(parents=True)
    for name in ("a", "d/x", "d/e/y"):
        (base / name).write_text(name)
    (base / "l").symlink_to("d")
    copy_tree(base, copy, None)
    before, marks = seen(copy), scan(copy)
    for some in acts:
        for one in some:
            act(copy, *one)
        try:
            marks = restored(copy, base, marks, None)
        except (NotRestorable, OSError):
            break
        assert {path: one[:1] + one[3:] for path, one in seen(copy).items()} == {
            path: one[:1] + one[3:] for path, one in before.items()
        }
        assert marks == scan(copy)
    remove_tree(place)
