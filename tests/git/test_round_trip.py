"""Checkout and snapshot are each other's opposite, and agree with git."""

import os
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from healing.edits.merge import TreeEntry
from healing.git import Git
from healing.git.objects import Objects
from tests.git.oracle import git, new_clone, word

names = st.one_of(
    st.sampled_from(
        [b"a", b"b.py", b"-x", b" ", b"a b", "é".encode(), b"\xff\xfe", b"a\\b", b"*", b"A", b"a.", b"CON"]
    ),
    st.binary(min_size=1, max_size=12).filter(lambda name: not set(name) & {0, 0x2F} and name not in (b".", b"..")),
    st.sampled_from([b"..", b".git", b".GIT", b"git~1", ".g\u200cit".encode(), b".git ", b"a\nb", b".gitignore"]),
)
blobs = st.one_of(st.sampled_from([b"", b"\n", b"a\r\nb\r\n", b"\0\xff", b"*\n", b"x" * 200]), st.binary(max_size=30))
links = st.sampled_from([b"a", b"../b", b"/etc/passwd", b"../../../x", b"a/../../b", b".git/config", b"x" * 200])
leaves = st.one_of(
    st.tuples(st.sampled_from([0o100644, 0o100755]), blobs),
    st.tuples(st.just(0o120000), links),
    st.tuples(st.just(0o160000), st.just(b"")),
)
Tree = dict[bytes, object]
trees = st.recursive(leaves, lambda inner: st.dictionaries(names, inner, min_size=1, max_size=5), max_leaves=14)


def store_tree(objects: Objects, tree: object) -> str:
    assert isinstance(tree, dict)
    entries: dict[bytes, TreeEntry] = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            entries[name] = TreeEntry(0o040000, store_tree(objects, value))
        else:
            mode, data = value
            entries[name] = TreeEntry(mode, "1" * 40 if mode == 0o160000 else objects.add_blob(data))
    return objects.add_tree(entries)


@settings(max_examples=70, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tree=st.dictionaries(names, trees, max_size=5))
def test_the_snapshot_of_a_checkout_is_the_tree_itself(store: Git, tree: Tree) -> None:
    with Objects(store.path) as objects, tempfile.TemporaryDirectory() as folder:
        sha = store_tree(objects, tree)
        root = Path(folder) / "root"
        store.checkout(sha, root)
        assert store.snapshot(sha, root) == sha
        outside = [path for path in Path(folder).iterdir() if path.name != "root"]
        assert outside == []
        for path in root.rglob("*"):
            assert path.name.casefold() != ".git"
            if path.is_symlink():
                assert str(Path(os.path.normpath(path.parent / os.readlink(path)))).startswith(str(root))


NAMES = ["a", "b.py", "é x", "lib/m.py", "lib/n.py", "lib/deep/x", "out/gen.o", "log.txt", "keep/.env", "run.sh"]
IGNORES = [
    "",
    "*.o\n",
    "lib/\n!lib/m.py\n",
    "/out\n",
    "**/deep\n",
    "*.txt\n!log.txt\n",
    "keep/*\n",
    "lib/*\n!lib/deep/\n",
]


def stir(root: Path, dice: random.Random) -> None:
    """Random edits of a working tree: new, changed, deleted, chmodded, linked; files and folders swapped."""
    for _ in range(dice.randint(1, 6)):
        path = root / dice.choice(NAMES)
        what = dice.choice(["write", "delete", "chmod", "link", "swap"])
        if any(parent.is_symlink() or parent.is_file() for parent in path.parents if parent != root):
            continue
        if path.is_dir() and not path.is_symlink():
            continue
        exists = path.exists() or path.is_symlink()
        if what == "delete" and exists:
            path.unlink()
        elif what == "chmod" and exists and not path.is_symlink():
            path.chmod(path.stat().st_mode ^ 0o111)
        elif what in ("write", "link", "swap"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            if what == "write":
                path.write_bytes(dice.randbytes(dice.randint(0, 20)))
            elif what == "link":
                path.symlink_to(dice.choice(["a", "/etc/passwd", "nowhere"]))
            else:
                path.mkdir()
                (path / "inner").write_bytes(b"x")


@pytest.mark.parametrize("seed", range(40))
def test_a_snapshot_is_what_git_add_would_make(tmp_path: Path, store: Git, seed: int) -> None:
    dice = random.Random(seed)
    files = {name: dice.randbytes(9) for name in NAMES if dice.random() < 0.7}
    files[".gitignore"] = b""
    clone = tmp_path / "clone"
    new_clone(clone, files)
    for where in (".gitignore", "lib/.gitignore"):
        if dice.random() < 0.7 and (clone / where).parent.is_dir():
            (clone / where).write_text(dice.choice(IGNORES))
    base = store.working_tree(clone).tree
    tracked = word(clone, "rev-parse", "HEAD^{tree}")
    stir(clone, dice)
    ours = store.snapshot(tracked, clone, exclude=())
    git(clone, "add", "-A")
    assert ours == word(clone, "write-tree"), base


def test_what_tools_drop_is_not_part_of_a_snapshot(tmp_path: Path, store: Git) -> None:
    tree = store.write_tree(empty(store), {"m.py": b"x = 1\n", "__pycache__/kept.pyc": b"tracked"})
    store.checkout(tree, tmp_path / "w")
    (tmp_path / "w" / "__pycache__" / "m.cpython-311.pyc").write_bytes(b"\0")
    (tmp_path / "w" / ".pytest_cache").mkdir()
    (tmp_path / "w" / ".pytest_cache" / "x").write_bytes(b"\0")
    assert store.snapshot(tree, tmp_path / "w") == tree


def empty(store: Git) -> str:
    with Objects(store.path) as objects:
        return objects.add_tree({})


def test_a_pipe_or_a_socket_neither_blocks_nor_enters_a_snapshot(tmp_path: Path, store: Git) -> None:
    tree = store.write_tree(empty(store), {"a": b"1"})
    store.checkout(tree, tmp_path / "w")
    os.mkfifo(tmp_path / "w" / "pipe")
    assert store.snapshot(tree, tmp_path / "w") == tree
    os.unlink(tmp_path / "w" / "a")
    os.mkfifo(tmp_path / "w" / "a")
    assert store.view(store.snapshot(tree, tmp_path / "w")).paths() == ()


def test_a_gitignore_that_is_a_link_is_not_read(tmp_path: Path, store: Git) -> None:
    tree = store.write_tree(empty(store), {"a": b"1"})
    store.checkout(tree, tmp_path / "w")
    (tmp_path / "patterns").write_text("b\n")
    (tmp_path / "w" / ".gitignore").symlink_to(tmp_path / "patterns")
    (tmp_path / "w" / "b").write_bytes(b"2")
    assert store.view(store.snapshot(tree, tmp_path / "w")).paths() == ("a", "b")


# WT-4
def test_a_checkout_runs_no_filter_and_converts_nothing(tmp_path: Path, store: Git) -> None:
    attributes = b"* text=auto eol=crlf filter=evil\n*.bin filter=lfs\n"
    files = {".gitattributes": attributes, "a.txt": b"1\n2\n", "b.bin": b"version https://git-lfs.github.com/spec/v1\n"}
    tree = store.write_tree(empty(store), files)
    store.checkout(tree, tmp_path / "w")
    assert {name: (tmp_path / "w" / name).read_bytes() for name in files} == files
