"""The merge is never clean where git conflicts, and where both are clean they agree to the byte."""

import random
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.edits.align import Hunk, hunks_between
from healing.edits.merge import merge_text
from healing.git import Git
from tests.git.oracle import ENV, git, new_clone, word

letters = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n"]), max_size=14)


@given(base=letters, side=letters)
def test_outside_the_hunks_both_texts_are_the_same(base: list[bytes], side: list[bytes]) -> None:
    built, at = [], 0
    for hunk in hunks_between(base, side):
        built += base[at : hunk.start] + side[hunk.new_start : hunk.new_end]
        at = hunk.end
    assert built + base[at:] == side


def test_a_hunk_is_as_wide_as_it_is_ambiguous() -> None:
    assert hunks_between([b"x", b"", b"y"], [b"x", b"", b"", b"y"]) == [Hunk(1, 2, 1, 3)]
    assert hunks_between([b"x", b"y"], [b"x", b"new", b"y"]) == [Hunk(1, 1, 1, 2)]


def test_texts_too_different_to_align_are_one_change() -> None:
    base, side = [b"%d\n" % n for n in range(3000)], [b"%d\n" % n for n in range(2999, -1, -1)]
    assert sum(hunk.end - hunk.start for hunk in hunks_between(base, side)) >= 2990


@given(base=letters, side=letters)
def test_a_side_that_changed_nothing_yields_to_the_other(base: list[bytes], side: list[bytes]) -> None:
    one, other = b"".join(base), b"".join(side)
    assert merge_text(one, other, one) == merge_text(one, one, other) == merge_text(one, other, other) == other


@given(base=letters, ours=letters, theirs=letters)
def test_the_order_of_the_sides_makes_no_difference(base: list[bytes], ours: list[bytes], theirs: list[bytes]) -> None:
    texts = [b"".join(lines) for lines in (base, ours, theirs)]
    assert merge_text(texts[0], texts[1], texts[2]) == merge_text(texts[0], texts[2], texts[1])


def edited(dice: random.Random, lines: list[bytes], words: list[bytes]) -> list[bytes]:
    lines = list(lines)
    for _ in range(dice.randint(0, 3)):
        at, new = dice.randint(0, len(lines)), [dice.choice(words) for _ in range(dice.randint(1, 3))]
        lines[at : at + dice.choice([0, 0, 1, 2])] = new if dice.random() < 0.7 else []
    return lines


def case(seed: int) -> tuple[bytes, bytes, bytes]:
    """A base and two sides: few words and short texts, often ambiguous, sometimes without a last newline."""
    dice = random.Random(seed)
    words = [b"%c\n" % char for char in b"abcdefghijklmnopqrstuvwxyz"[: dice.choice([2, 3, 6, 26])]]
    base = [dice.choice(words) for _ in range(dice.choice([4, 8, 16, 40]))]
    texts = [b"".join(lines) for lines in (base, edited(dice, base, words), edited(dice, base, words))]
    cut = [text[:-1] if dice.random() < 0.15 else text for text in texts]
    return cut[0], cut[1], cut[2]


def merge_file(at: Path, texts: tuple[bytes, bytes, bytes]) -> bytes | None:
    """What `git merge-file` says; None: conflict."""
    for name, text in zip("bot", texts, strict=True):
        (at / name).write_bytes(text)
    done = subprocess.run(["git", "merge-file", "-p", "o", "b", "t"], cwd=at, capture_output=True, env=ENV, check=False)
    return done.stdout if done.returncode == 0 else None


# MQ-2
def test_texts_merge_as_git_merges_them_or_not_at_all(tmp_path: Path) -> None:
    clean = by_git = 0
    for seed in range(320):
        texts = case(seed)
        ours, theirs = merge_text(*texts), merge_file(tmp_path, texts)
        if ours is not None:
            assert ours == theirs, texts
        clean += ours is not None
        by_git += theirs is not None
    assert clean >= 0.8 * by_git, "too many false conflicts"


def test_binaries_that_both_changed_are_in_conflict() -> None:
    assert merge_text(b"\0a\nb\nc\n", b"\0A\nb\nc\n", b"\0a\nb\nC\n") is None


PATHS = [b"a", b"b", b"d/x", b"d/y", b"d/e/z", b"n", b"d/n", b"m/k", b"a/q"]
TEXTS = [b"".join(b"%d%c\n" % (line, char) for line in range(8)) for char in b"pqr"]
Files = dict[bytes, tuple[int, bytes]]


def changed(dice: random.Random, files: Files) -> Files:
    files = dict(files)
    for _ in range(dice.randint(1, 3)):
        path = dice.choice(PATHS)
        what = dice.choice(["edit", "edit", "delete", "add", "chmod", "move", "move folder", "link"])
        mode, text = files.get(path, (0, b""))
        if what == "edit" and text:
            lines = text.splitlines(keepends=True)
            lines[dice.randrange(len(lines))] = b"%d\n" % dice.randrange(3)
            files[path] = (mode, b"".join(lines))
        elif what == "delete":
            files.pop(path, None)
        elif what == "add":
            files[path] = (0o100644, dice.choice(TEXTS))
        elif what == "chmod" and mode in (0o100644, 0o100755):
            files[path] = (mode ^ 0o111, text)
        elif what == "move" and text:
            files[dice.choice(PATHS)] = files.pop(path)
        elif what == "move folder":
            moved = {b"m" + name[1:]: entry for name, entry in files.items() if name.startswith(b"d/")}
            files = {name: entry for name, entry in files.items() if not name.startswith(b"d/")} | moved
        elif what == "link" and mode:
            files[path] = (0o120000, b"a")
    return {path: entry for path, entry in files.items() if not any(path.startswith(other + b"/") for other in files)}


def fast_import(at: Path, histories: list[tuple[Files, Files, Files]]) -> None:
    """All cases as branches b0/o0/t0… in one process: a commit for the base and one on it for each side."""
    stream: list[bytes] = []
    for number, history in enumerate(histories):
        for kind, files in zip("bot", history, strict=True):
            stream.append(b"commit refs/heads/%s%d\ncommitter A <a@x> 0 +0000\ndata 0\n" % (kind.encode(), number))
            if kind != "b":
                stream.append(b"from refs/heads/b%d\n" % number)
            stream.append(b"deleteall\n")
            for path, (mode, text) in sorted(files.items()):
                stream.append(b"M %o inline %s\ndata %d\n%s\n" % (mode, path, len(text), text))
    git(at, "fast-import", "--quiet", data=b"".join(stream))


# MQ-1
# MQ-2
def test_trees_merge_as_git_merges_them_or_not_at_all(tmp_path: Path, store: Git) -> None:
    histories = []
    for seed in range(300):
        dice = random.Random(seed)
        start = {path: (0o100644, dice.choice(TEXTS)) for path in PATHS[:5] if dice.random() < 0.8}
        histories.append((start, changed(dice, start), changed(dice, start)))
    git(tmp_path, "init", "-q", "--bare", ".git")
    fast_import(tmp_path, histories)
    listed = word(tmp_path, "for-each-ref", "--format=%(refname:short) %(tree)").splitlines()
    trees = dict(line.split() for line in listed)
    clean = by_git = 0
    borrow(store, tmp_path)
    for number in range(len(histories)):
        base, ours, theirs = (trees[f"{kind}{number}"] for kind in "bot")
        output = word(tmp_path, "merge-tree", "--write-tree", f"o{number}", f"t{number}", ok=(0, 1)).splitlines()
        git_clean = len(output) == 1
        merged = store.merge(base, ours, theirs)
        if merged.tree is not None:
            assert git_clean, (histories[number], output)
            assert merged.tree == output[0], histories[number]
        clean += merged.tree is not None
        by_git += git_clean
    assert clean >= 0.6 * by_git, (clean, by_git)


def borrow(store: Git, clone: Path) -> None:
    from healing.git.laptop import borrow as borrow_objects
    from healing.git.objects import Objects

    with Objects(store.path) as objects:
        borrow_objects(objects, clone / ".git" / "objects")


@pytest.fixture
def start(store: Git, tmp_path: Path) -> str:
    new_clone(tmp_path / "c", {"a": b"1\n2\n3\n", "run": b"#!\n"})
    return store.working_tree(tmp_path / "c")[0]


def test_a_conflict_tells_all_three_sides(store: Git, start: str) -> None:
    ours, theirs = store.write_tree(start, {"a": b"1\nO\n3\n"}), store.write_tree(start, {"a": b"1\nT\n3\n"})
    merged = store.merge(start, ours, theirs)
    assert merged.tree is None
    assert [(one.file, one.base, one.ours, one.theirs) for one in merged.conflicts] == [
        ("a", b"1\n2\n3\n", b"1\nO\n3\n", b"1\nT\n3\n")
    ]


def test_an_edit_and_a_deletion_of_one_file_are_in_conflict(store: Git, start: str) -> None:
    merged = store.merge(start, store.write_tree(start, {"a": None}), store.write_tree(start, {"a": b"1\n"}))
    assert [(one.file, one.ours, one.theirs) for one in merged.conflicts] == [("a", None, b"1\n")]


def test_a_mode_change_of_one_side_and_an_edit_of_the_other_go_together(store: Git, start: str) -> None:
    ours = store.write_tree(start, {"run": b"#!\n"}, {"run": "100755"})
    tree = store.merge(start, ours, store.write_tree(start, {"run": b"#!x\n"})).tree
    assert tree is not None
    assert (store.view(tree).mode("run"), store.view(tree).read("run")) == ("100755", b"#!x\n")


def test_a_file_on_one_side_and_a_folder_of_its_name_on_the_other_are_in_conflict(store: Git, start: str) -> None:
    merged = store.merge(start, store.write_tree(start, {"n": b"f"}), store.write_tree(start, {"n/x": b"g"}))
    assert [one.file for one in merged.conflicts] == ["n", "n/x"]


def test_proposals_merged_one_after_another_keep_every_edit(store: Git, start: str) -> None:
    base = store.write_tree(start, {"big": b"".join(b"%d\n" % line for line in range(100))})
    tree = base
    for line in range(0, 100, 10):
        text = b"".join(b"%d%s\n" % (n, b"!" if n == line else b"") for n in range(100))
        merged = store.merge(base, tree, store.write_tree(base, {"big": text}))
        assert merged.tree is not None
        tree = merged.tree
    assert (store.view(tree).read("big") or b"").count(b"!") == 10
