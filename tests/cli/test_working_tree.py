"""Writing proposals into a clone: forth and back is the identity, all files or none, never outside."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.laptop.working_tree import DoesNotFit, WorkingTree, write_all
from healing.edits.exact import EditError, widen
from healing.model import Edit, Proposal

LINES = st.lists(st.sampled_from(["a = 1", "b = 2", "", "  c()", "é", "\tx"]), min_size=1, max_size=8)


def proposal(tree: WorkingTree, *edits: Edit) -> Proposal:
    both = widen(edits, tree.read)
    return Proposal.model_validate(
        {
            "id": "p1",
            "title": "t",
            "explanation": "e",
            "source": "fixer:test",
            "error_ids": ("E1",),
            "edits": edits,
            "wide": both.wide,
            "reverse": both.reverse,
            "base_tree": "0" * 40,
            "confidence": 1.0,
            "phase": "free",
            "evidence": (),
        }
    )


@pytest.fixture
def tree(tmp_path: Path) -> WorkingTree:
    return WorkingTree(tmp_path.resolve())


# SC-6
@given(before=LINES, old=LINES, after=LINES, new=LINES, crlf=st.booleans())
@settings(deadline=None)
def test_taking_back_what_was_applied_gives_the_same_bytes_also_after_an_edit_elsewhere(
    tmp_path_factory: pytest.TempPathFactory,
    before: list[str],
    old: list[str],
    after: list[str],
    new: list[str],
    crlf: bool,
) -> None:
    tree = WorkingTree(tmp_path_factory.mktemp("clone").resolve())
    end = "\r\n" if crlf else "\n"
    here = end.join(["# start", *before, "<", *old, ">", *after, "# end"])
    edit = Edit(file="x.py", old_string=end.join(["<", *old, ">"]), new_string=end.join(["<", *new, ">"]))
    (tree.root / "x.py").write_bytes(here.encode())
    try:
        made = proposal(tree, edit)
    except EditError:
        return  # nothing would change, or it can't be told apart: no proposal is ever made of that
    for elsewhere in (b"", b"# a line of a person's own\n\n\n"):
        mine = elsewhere + here.encode()
        (tree.root / "x.py").write_bytes(mine)
        applied = tree.apply(made)
        assert (tree.root / "x.py").read_bytes() != mine
        tree.revert(applied)
        assert (tree.root / "x.py").read_bytes() == mine


def test_lines_beside_the_change_may_be_edited_before_it_is_applied(tree: WorkingTree) -> None:
    (tree.root / "x").write_text("one\ntwo\nx\ntwo\nthree\n")
    made = proposal(tree, Edit(file="x", old_string="x\ntwo", new_string="y\ntwo"))
    (tree.root / "x").write_text("ONE\nTWO\nx\ntwo\nTHREE\n")
    applied = tree.apply(made)
    assert (tree.root / "x").read_text() == "ONE\nTWO\ny\ntwo\nTHREE\n"
    tree.revert(applied)
    assert (tree.root / "x").read_text() == "ONE\nTWO\nx\ntwo\nTHREE\n"


def test_new_files_come_with_their_mode_and_go_with_their_folders(tree: WorkingTree) -> None:
    made = proposal(tree, Edit(file="a/b/run", old_string="", new_string="#!/bin/sh\n", kind="create", mode="100755"))
    tree.apply(made)
    assert (tree.root / "a/b/run").stat().st_mode & 0o777 == 0o755
    with pytest.raises(DoesNotFit, match="a/b/run exists already"):
        tree.apply(made)
    tree.revert(made)
    assert list(tree.root.iterdir()) == []


@pytest.mark.parametrize("file", ["../x", "/etc/passwd", ".git/hooks/pre-commit", "a/.GIT/x", "link/x", "a\0b", ""])
def test_no_path_leads_out_of_the_clones_own_files(tree: WorkingTree, file: str) -> None:
    outside = tree.root / "outside"
    outside.mkdir()
    tree = WorkingTree(tree.root / "clone")
    tree.root.mkdir()
    (tree.root / "link").symlink_to(outside)
    made = Edit(file=file, old_string="", new_string="hello", kind="create")
    hostile = proposal(WorkingTree(tree.root), Edit(file="ok", old_string="", new_string="1", kind="create"))
    with pytest.raises(DoesNotFit):
        tree.apply(hostile.model_copy(update={"edits": (made,), "wide": (made,)}))
    assert sorted(path.name for path in tree.root.iterdir()) == ["link"]
    assert list(outside.iterdir()) == []


def test_a_file_that_became_a_link_is_refused(tree: WorkingTree) -> None:
    (tree.root / "x").write_text("one\n")
    made = proposal(tree, Edit(file="x", old_string="one", new_string="two"))
    (tree.root / "x").rename(tree.root / "y")
    (tree.root / "x").symlink_to("y")
    with pytest.raises(DoesNotFit, match="x is a symbolic link now"):
        tree.apply(made)
    assert (tree.root / "y").read_text() == "one\n"


def test_where_one_file_can_not_be_written_none_is(tree: WorkingTree) -> None:
    (tree.root / "a").write_text("one\n")
    (tree.root / "b").mkdir()  # a rename onto a folder fails after the first file is in place
    before = sorted(os.listdir(tree.root))
    with pytest.raises(OSError, match="b"):
        write_all(tree, {"a": b"two\n", "b": b"two\n"}, {})
    assert (tree.root / "a").read_text() == "one\n"
    assert sorted(os.listdir(tree.root)) == before
