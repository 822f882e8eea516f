"""Taking fixes back: the bytes that were there before, or nothing at all."""

from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from handlers.acceptance.reversal import Conflict, reversal
from handlers.model.edit_conflict import EditConflict
from healing.edits.exact import EditError, apply_edits, edits_between, widen
from healing.model import Edit, Proposal

LINES = st.lists(st.sampled_from(["a", "b", "", "  c"]), min_size=1, max_size=8)


def text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def fix(id_: str, edits: tuple[Edit, ...], files: dict[str, bytes]) -> Proposal:
    wide = widen(edits, files.get)
    return Proposal(
        id=id_,
        source="agent:x",
        phase="fast",
        title="t",
        explanation="",
        confidence=50,
        error_ids=(),
        edits=edits,
        wide=wide.wide,
        reverse=wide.reverse,
        evidence=(),
        base_tree="0" * 40,
    )


# SC-6
@given(states=st.lists(LINES, min_size=2, max_size=4), shuffled=st.booleans())
def test_several_fixes_are_taken_back_together_in_any_order(states: list[list[str]], shuffled: bool) -> None:
    texts = [text(state) for state in states]
    assume(all(one != two for one, two in pairwise(texts)))
    fixes = []
    for number, (before, after) in enumerate(pairwise(texts)):
        try:
            fixes.append(fix(f"id{number}", edits_between("f", before, after), {"f": before}))
        except EditError:
            assume(False)
    files = {"f": texts[-1]}
    try:
        edits = reversal(tuple(reversed(fixes)) if shuffled else tuple(fixes), files.get)
    except Conflict:
        assert shuffled  # in the order in which they came they always go
        return
    if not shuffled:
        assert (apply_edits(edits, files.get).get("f", files["f"]) if edits else files["f"]) == texts[0]


# SC-6
def test_a_fix_that_made_and_deleted_files_is_taken_back() -> None:
    edits = (
        Edit(file="new.sh", old_string="", new_string="x\n", kind="create", mode="100755"),
        Edit(file="old.sh", old_string="y\n", new_string="", kind="delete", mode="100755"),
    )
    made = fix("id", edits, {"old.sh": b"y\n"})
    back = reversal((made,), {"new.sh": b"x\n"}.get)
    assert apply_edits(back, {"new.sh": b"x\n"}.get) == {"new.sh": None, "old.sh": b"y\n"}
    assert [edit.mode for edit in back if edit.kind == "create"] == ["100755"]


# SC-5
def test_an_unrelated_change_in_the_same_file_stays() -> None:
    before = b"one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
    made = fix("id", (Edit(file="f", old_string="two", new_string="TWO"),), {"f": before})
    now = before.replace(b"two", b"TWO").replace(b"seven", b"SEVEN")
    assert apply_edits(reversal((made,), {"f": now}.get), {"f": now}.get) == {"f": before.replace(b"seven", b"SEVEN")}


# SC-5
def test_a_reverse_that_no_longer_fits_is_a_conflict_that_shows_what_was_wanted() -> None:
    made = fix("id", (Edit(file="f", old_string="two", new_string="TWO"),), {"f": b"one\ntwo\n"})
    with pytest.raises(Conflict) as caught:
        reversal((made,), {"f": b"one\nTwO\n"}.get)
    assert caught.value.edit_conflict == EditConflict(file="f", kind="text-gone", lines=(2,), was="TWO", now="TwO")
    assert caught.value.wanted == "# f\n-TWO\n+two\n"
