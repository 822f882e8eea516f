"""Laws of edits: exact, unique, and the identity on bytes when done and undone."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.edits.exact import (
    AmbiguousEdit,
    EditError,
    StaleEdit,
    apply_edits,
    apply_whole_lines,
    edits_between,
    places,
    widen,
)
from healing.model import Edit

LINES = st.sampled_from(
    [b"a\n", b"b\n", b"a\r\n", b"\n", b"  x = 1\n", b"}\n", b"\xc3\xa9 \xf0\x9f\x98\x80\n", b"\t`\n"]
)
TEXTS = st.builds(
    lambda lines, tail: b"".join(lines) + tail, st.lists(LINES, max_size=12), st.sampled_from([b"", b"end"])
)


def reader(files: dict[str, bytes | None]):
    return files.get


def edit(old: str, new: str, file: str = "f") -> Edit:
    return Edit(file=file, old_string=old, new_string=new)


# SC-6
@pytest.mark.timeout(30)  # it takes a tenth of a second; line by line it took minutes
def test_an_edit_in_a_long_file_of_equal_lines_is_soon_undoable() -> None:
    old = b"0\n" * 40_000 + b"1\n" + b"0\n" * 40_000
    both = widen((edit("1\n", ""),), reader({"f": old}))
    new = apply_edits(both.wide, reader({"f": old}))
    assert apply_edits(both.reverse, new.get) == {"f": old}


# SC-6
@given(TEXTS.filter(bool), TEXTS)
def test_apply_then_reverse_gives_the_bytes_that_were_there_before(old: bytes, new: bytes) -> None:
    edits = edits_between("f", old, new)
    if not new:
        return  # emptying a file has nothing to find on the way back: see the test below
    both = widen(edits, reader({"f": old}))
    assert apply_edits(edits, reader({"f": old})) == ({"f": new} if edits else {})
    done = apply_edits(both.wide, reader({"f": old}))
    assert done == ({"f": new} if edits else {})
    assert apply_edits(both.reverse, reader({"f": new})) == ({"f": old} if edits else {})


# SC-6
@given(TEXTS.filter(bool), TEXTS.filter(bool), st.binary(max_size=3).map(lambda b: b"# " + b.hex().encode() + b"\n"))
def test_the_reverse_still_fits_after_an_unrelated_edit_elsewhere(old: bytes, new: bytes, extra: bytes) -> None:
    both = widen(edits_between("f", old, new), reader({"f": old}))
    if not both.reverse:
        return
    edited = extra + new
    if all(len(places(edited, one)) == 1 for one in both.reverse):
        assert apply_edits(both.reverse, reader({"f": edited})) == {"f": extra + old}
    else:  # the other edit is in the very lines, or wrote the same text once more: then nothing is changed (SC-5)
        with pytest.raises(EditError):
            apply_edits(both.reverse, reader({"f": edited}))


def never_fits_where_it_was_done(old: bytes, new: bytes) -> None:
    """The converse of the law above, edit by edit: no order of looking at them can take one file for the other."""
    both = widen(edits_between("f", old, new), reader({"f": old}))
    for reverse in both.reverse:
        assert places(old, reverse) == [], "the reverse fits the file that was never changed"
    for forward in both.wide:
        assert places(new, forward) == [], "the edit fits the file that has it already"


# SC-6 SC-7
@given(TEXTS.filter(bool), TEXTS.filter(bool))
def test_a_reverse_never_fits_the_untouched_file_and_an_edit_never_the_fixed_one(old: bytes, new: bytes) -> None:
    never_fits_where_it_was_done(old, new)


REAL = sorted(Path(__file__).parents[2].glob("healing/**/*.py"))


# SC-6 SC-7
@given(st.data(), st.sampled_from(REAL), st.booleans(), st.booleans())
def test_so_it_is_for_a_line_deleted_from_or_added_to_or_changed_in_real_files(
    data: st.DataObject, path: Path, crlf: bool, open_end: bool
) -> None:
    text = path.read_bytes()
    text = text.replace(b"\n", b"\r\n") if crlf else text
    lines = (text.rstrip() if open_end else text).splitlines(keepends=True)
    if len(lines) < 2:
        return
    at = data.draw(st.integers(0, len(lines) - 1))
    line = data.draw(st.sampled_from([lines[at], b"\r\n" if crlf else b"\n", b"import json\n"]))
    whole = b"".join(lines)
    for changed in (
        [*lines[:at], *lines[at + 1 :]],
        [*lines[:at], line, *lines[at:]],
        [*lines[:at], b"x = 1\n", *lines[at + 1 :]],
    ):
        if b"".join(changed) != whole:
            never_fits_where_it_was_done(whole, b"".join(changed))


# SC-6 SC-7
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"import json\nimport os\n\nos.getcwd()\n", b"import os\n\nos.getcwd()\n"),  # the first line
        (b"a\nb\nc\n", b"a\nb\n"),  # the last one
        (b"x\n\n\n\ny\n", b"x\n\n\ny\n"),  # between blank ones
        (b"x\nx\nx\n", b"x\nx\n"),
        (b"a\r\nb\r\n", b"b\r\n"),
    ],
)
def test_a_deleted_line_is_not_taken_for_deleted_where_it_still_is(old: bytes, new: bytes) -> None:
    both = widen(edits_between("f", old, new), reader({"f": old}))
    with pytest.raises(EditError):
        apply_edits(both.reverse, reader({"f": old}))
    with pytest.raises(EditError):
        apply_edits(both.wide, reader({"f": new}))
    assert apply_edits(both.reverse, reader({"f": new})) == {"f": old}


# SC-6
def test_only_what_needs_it_is_anchored_and_with_little_around_it() -> None:
    old = b"import json\nimport os\n\nos.getcwd()\n"
    (wide,) = widen((edit("import json\n", ""),), reader({"f": old})).wide
    assert (wide.anchor, wide.old_string) == ("start", "import json\nimport os\n")
    (wide,) = widen((edit("getcwd", "getpid"),), reader({"f": old})).wide
    assert (wide.anchor, wide.old_string) == ("", "os.getcwd()\n")


def test_an_edit_that_is_anchored_fits_only_there() -> None:
    at_start = Edit(file="f", old_string="a\n", new_string="b\n", anchor="start")
    at_end = at_start.model_copy(update={"anchor": "end"})
    whole = at_start.model_copy(update={"anchor": "whole"})
    data = b"a\nx\na\n"
    assert (places(data, at_start), places(data, at_end), places(data, whole)) == ([0], [4], [])
    assert places(b"a\n", whole) == [0]
    with pytest.raises(StaleEdit, match="at the start of the file"):
        apply_edits([at_start], reader({"f": b"x\na\n"}))
    assert places(b"", at_end) == []


def test_an_edit_without_an_anchor_is_stored_as_before_there_were_any() -> None:
    assert "anchor" not in edit("a", "b").model_dump()
    anchored = edit("a", "b").model_copy(update={"anchor": "end"})
    assert Edit.model_validate_json(anchored.model_dump_json()) == anchored


# SC-6
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("one\ntwo\nthree\n", "one\nthree\n"),  # a deletion leaves nothing to find
        ("x\nx\nx\n", "x\nx\n"),
        ("a = 1\nb = 1\n", "a = 1\na = 1\n"),  # the new text stands elsewhere too
        ("no newline", "no newline\n"),
        ("a\r\nb\r\n", "a\r\nc\r\n"),
        ("\ufeffa\n", "\ufeffb\n"),
    ],
)
def test_reverses_that_a_plain_swap_gets_wrong(old: str, new: str) -> None:
    both = widen(edits_between("f", old.encode(), new.encode()), reader({"f": old.encode()}))
    assert apply_edits(both.reverse, reader({"f": new.encode()})) == {"f": old.encode()}


# SC-6
@given(TEXTS)
def test_created_and_deleted_files_come_back_whole(data: bytes) -> None:
    create = edits_between("new", None, data, mode="100755")
    reverse = widen(create, reader({})).reverse
    assert apply_edits(create, reader({})) == {"new": data}
    assert apply_edits(reverse, reader({"new": data})) == {"new": None}
    assert reverse[0].mode == "100755"


def test_old_text_that_is_not_there_is_stale() -> None:
    with pytest.raises(StaleEdit, match="not there verbatim"):
        apply_edits([edit("x", "y")], reader({"f": b"a\n"}))


def test_old_text_that_is_there_twice_is_ambiguous_and_the_lines_are_named() -> None:
    with pytest.raises(AmbiguousEdit, match="2 times \\(lines 1, 3\\)"):
        apply_edits([edit("x", "y")], reader({"f": b"x\na\nx\n"}))


def test_edits_of_one_proposal_may_not_overlap() -> None:
    with pytest.raises(AmbiguousEdit, match="overlap"):
        apply_edits([edit("ab", "1"), edit("bc", "2")], reader({"f": b"abc"}))


def test_edits_are_simultaneous_against_one_tree() -> None:
    assert apply_edits([edit("a", "b"), edit("b", "a")], reader({"f": b"a b"})) == {"f": b"b a"}


def test_an_edit_that_changes_nothing_is_refused() -> None:
    with pytest.raises(StaleEdit, match="nothing would change"):
        apply_edits([edit("a", "a")], reader({"f": b"a"}))


def test_nothing_is_changed_when_one_of_several_edits_does_not_fit() -> None:
    with pytest.raises(StaleEdit):
        apply_edits([edit("a", "b"), edit("nope", "x", "g")], reader({"f": b"a", "g": b"g"}))


# SC-5
@pytest.mark.parametrize(
    ("data", "old"),
    [
        (b"read_timeout = 5\n", "timeout = 5\n"),
        (b"import os\n\ndef f(): 1\n", "\n\ndef f(): 1\n"),
        (b"a = 10", "a = 1"),
    ],
)
def test_edits_of_whole_lines_fit_no_part_of_a_line(data: bytes, old: str) -> None:
    edit = Edit(file="f.py", old_string=old, new_string="new\n")
    assert apply_edits([edit], {"f.py": data}.get)
    with pytest.raises(StaleEdit, match="as a part of other lines"):
        apply_whole_lines([edit], {"f.py": data}.get)
