"""Trees written, compared and shown as git does it; hostile names are kept away from disk and from views."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from healing.edits.merge import TreeEntry
from healing.git import Git, GitError, NotEditable, UnsafePath
from healing.git.names import hostile_name, safe_link
from healing.git.objects import Objects
from healing.view import TreeView
from tests.git.oracle import git, new_clone, word


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    new_clone(tmp_path / "c", {"a": b"1\n2\n3\n", "d/x": b"x\n", "d/e/y": b"y\n", "run": b"#!\n"})
    (tmp_path / "c" / "run").chmod(0o755)
    (tmp_path / "c" / "link").symlink_to("a")
    git(tmp_path / "c", "add", "-A")
    git(tmp_path / "c", "commit", "-qm", "modes")
    return tmp_path / "c"


@pytest.fixture
def tree(store: Git, clone: Path) -> str:
    return store.working_tree(clone)[0]


def test_a_written_tree_is_the_one_that_git_writes(store: Git, clone: Path, tree: str) -> None:
    changes = {"a": None, "a/b": b"now a folder", "d/x": None, "d/e/y": None, "d": b"now a file", "run": b"#!2\n"}
    written = store.write_tree(tree, changes)
    git(clone, "rm", "-rqf", "a", "d")
    (clone / "a").mkdir()
    (clone / "a" / "b").write_bytes(b"now a folder")
    (clone / "d").write_bytes(b"now a file")
    (clone / "run").write_bytes(b"#!2\n")
    git(clone, "add", "-A")
    assert written == word(clone, "write-tree")


def test_a_store_is_sound_by_git_fsck(store: Git, tree: str) -> None:
    store.commit(store.write_tree(tree, {"n": b"1"}), [], "m", "A <a@x>", datetime(2026, 1, 1, tzinfo=UTC))
    assert b"error" not in git(store.path, "fsck", "--strict", "--no-dangling")


def test_a_commit_is_the_one_that_git_makes(store: Git, clone: Path, tree: str) -> None:
    head = word(clone, "rev-parse", "HEAD")
    when = datetime.fromtimestamp(1700000000, timezone(timedelta(hours=1)))
    made = store.commit(tree, [head], "why\n", "A <a@x.test>", when)
    assert made == word(clone, "commit-tree", tree, "-p", head, "-m", "why")
    assert (store.tree_of(made), store.parents(made)) == (tree, (head,))
    with pytest.raises(GitError, match="time zone"):
        store.commit(tree, [], "m", "A <a@x>", datetime(2026, 1, 1))


def test_a_diff_is_gits_diff_and_git_applies_it(store: Git, clone: Path, tree: str) -> None:
    after = store.write_tree(tree, {"a": b"1\ntwo\n3\n", "new é": b"no newline", "d/x": None, "run": b"#!\n\xff\n"})
    patch = store.patch(tree, after)
    git(clone, "apply", "--index", data=patch)
    assert word(clone, "write-tree") == after
    assert "+two" in store.diff(tree, after)


def test_changes_name_old_and_new_bytes_and_refuse_what_edits_cannot_say(store: Git, clone: Path, tree: str) -> None:
    after = store.write_tree(tree, {"a": None, "n": b"new", "run": b"#!\n"}, {"run": "100644"})
    assert store.changed(tree, after) == {"a": (b"1\n2\n3\n", None), "n": (None, b"new"), "run": (b"#!\n", b"#!\n")}
    (clone / "link").unlink()
    with pytest.raises(NotEditable, match="link"):
        store.changed(tree, store.snapshot(tree, clone))


def test_a_view_shows_regular_files_with_their_modes(store: Git, tree: str, clone: Path) -> None:
    view: TreeView = store.view(tree)
    assert view.paths() == ("a", "d/e/y", "d/x", "run")
    assert (view.read("d/x"), view.read("link"), view.read("../a"), view.read("d")) == (b"x\n", None, None, None)
    assert (view.mode("run"), view.mode("a"), view.mode("link")) == ("100755", "100644", None)
    assert view.blob("a") == word(clone, "rev-parse", "HEAD:a")


@pytest.mark.parametrize(
    "name", [b"..", b".git", b".GiT", b"git~1", b".git ", b".git::$DATA", b"a\nb", b"\x1b[2J", b"x" * 256]
)
def test_a_hostile_name_is_neither_shown_nor_written_but_reported(store: Git, tmp_path: Path, name: bytes) -> None:
    with Objects(store.path) as objects:
        blob = objects.add_blob(b"[core]\n")
        inner = objects.add_tree({b"config": TreeEntry(0o100644, blob)})
        tree = objects.add_tree({name: TreeEntry(0o040000, inner), b"ok": TreeEntry(0o100644, blob)})
    view = store.view(tree)
    assert view.paths() == ("ok",)
    assert len(view.rejected) == 1
    assert len(store.checkout(tree, tmp_path / "w")) == 1
    assert [path.name for path in (tmp_path / "w").iterdir()] == ["ok"]


@pytest.mark.parametrize(
    "path", ["../x", "/etc/x", "a/../x", ".git/hooks/pre-commit", "d/.GIT/config", "", "a//b", "a\0b", "\ud800"]
)
def test_an_edit_of_a_hostile_path_is_refused(store: Git, tree: str, path: str) -> None:
    with pytest.raises(UnsafePath):
        store.write_tree(tree, {path: b"x"})


def test_nothing_is_written_through_a_link_or_under_a_file(store: Git, tree: str) -> None:
    for path in ("link/x", "a/x"):
        with pytest.raises(UnsafePath):
            store.write_tree(tree, {path: b"x"})
    with pytest.raises(NotEditable):
        store.write_tree(tree, {"link": b"x"})
    with pytest.raises(UnsafePath):
        store.write_tree(tree, {"d": b"x"})


def test_a_link_is_safe_only_if_it_stays_inside_whatever_stands_beside_it() -> None:
    assert all(safe_link(target, 1) for target in (b"a", b"../b", b"./a/b", b"../"))
    assert not any(safe_link(target, 1) for target in (b"/a", b"../../b", b"a/../b", b"", b"../.git/config", b"a\0"))
    assert hostile_name("données.py".encode()) is None


def test_a_tree_that_unfolds_without_end_is_refused(store: Git, tmp_path: Path) -> None:
    with Objects(store.path) as objects:
        tree = objects.add_tree({b"f": TreeEntry(0o100644, objects.add_blob(b""))})
        for _ in range(12):
            tree = objects.add_tree({b"%d" % n: TreeEntry(0o040000, tree) for n in range(10)})
    with pytest.raises(GitError, match="entries"):
        store.view(tree).paths()


def test_folders_without_end_are_left_out_and_kept_as_they_are(store: Git, tmp_path: Path) -> None:
    with Objects(store.path) as objects:
        deep = objects.add_tree({b"f": TreeEntry(0o100644, objects.add_blob(b"x"))})
        for _ in range(1500):
            deep = objects.add_tree({b"d": TreeEntry(0o040000, deep)})
        tree = objects.add_tree({b"d": TreeEntry(0o040000, deep), b"ok": TreeEntry(0o100644, objects.add_blob(b"1"))})
    assert [skipped.why for skipped in store.checkout(tree, tmp_path / "w")] == ["lies too deep"]
    assert store.view(tree).paths() == ("ok",)
    assert store.snapshot(tree, tmp_path / "w") == tree
    edited = store.write_tree(tree, {"ok": b"2"})
    assert store.merge(tree, edited, tree).tree == edited
    with pytest.raises(GitError):
        store.merge(store.write_tree(tree, {"d/x": b""}), tree, store.tree_of(empty_tree(store)))


def empty_tree(store: Git) -> str:
    with Objects(store.path) as objects:
        return objects.add_tree({})
