"""Laws of edits: exact, unique, and the identity on bytes when done and undone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.edits import AmbiguousEdit, StaleEdit, apply_edits, edits_between, occurrences, widen
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
    if all(len(occurrences(edited, one.old_string.encode())) == 1 for one in both.reverse):
        assert apply_edits(both.reverse, reader({"f": edited})) == {"f": extra + old}
    else:  # the other edit wrote the same text once more: then nothing is changed (SC-5)
        with pytest.raises(AmbiguousEdit):
            apply_edits(both.reverse, reader({"f": edited}))


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
