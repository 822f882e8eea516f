"""Whether a change is in a file: known from a reference, whatever else was edited meanwhile."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from healing.edits.exact import EditError, edits_between, widen
from healing.edits.presence import Known, Tracked, anchored, presence, presences
from healing.model import Edit, Proposal

LINES = st.lists(st.sampled_from(["a", "b", "", "  c = 1", "}", "import json"]), min_size=1, max_size=9)
FAR = [f"line {number}" for number in range(6)]  # between the change and what else is edited


def fix(before: bytes, after: bytes, id_: str = "id") -> Proposal:
    edits = edits_between("f", before, after)
    both = widen(edits, {"f": before}.get)
    return Proposal(
        id=id_, source="agent:x", phase="fast", title="t", explanation="", confidence=50, error_ids=(), edits=edits,
        wide=both.wide, reverse=both.reverse, evidence=(), base_tree="0" * 40,
    )  # fmt: skip


def text(*lines: str, end: str = "\n") -> bytes:
    return "".join(f"{line}{end}" for line in lines).encode()


def state(change: Proposal, reference: bytes | None, now: bytes, status: Known = "absent") -> str:
    read = None if reference is None else {"f": reference}.get
    return presence(Tracked(change, status, read), {"f": now}.get).state


# SC-7
@given(LINES, st.data(), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans(), st.booleans(), LINES, LINES)
def test_a_change_is_known_whatever_was_edited_away_from_it(
    lines: list[str],
    data: st.DataObject,
    end: str,
    adds: bool,
    was_applied: bool,
    is_applied: bool,
    above: list[str],
    below: list[str],
) -> None:
    at = data.draw(st.integers(0, len(lines) - 1))
    other = [*lines[:at], *(["new"] if adds else []), *lines[at + (not adds) :]]
    without, with_it = (text(*FAR, *part, *reversed(FAR), end=end) for part in (lines, other))
    change = fix(without, with_it)
    now, turned = (text(*above, *FAR, *part, *reversed(FAR), *below, end=end) for part in (other, lines))
    if not is_applied:
        now, turned = turned, now
    reference = {"f": with_it if was_applied else without}.get
    found = presence(Tracked(change, "applied" if was_applied else "absent", reference), {"f": now}.get)
    assert found.state == ("applied" if is_applied else "absent")
    assert found.turned == {"f": turned}
    again = anchored(change, found.state, {"f": now}.get, found.turned)
    assert again is not None
    assert presence(Tracked(again, "absent", {"f": now}.get), {"f": turned}.get).turned == {"f": now}


# SC-7
@given(LINES, LINES)
def test_identical_files_never_change_what_is_known_and_the_counterpart_always_does(
    before: list[str], after: list[str]
) -> None:
    x, y = text(*before), text(*after)
    assume(x != y)
    change = fix(x, y)
    assert [state(change, x, x), state(change, y, y, "applied")] == ["absent", "applied"]
    assert [state(change, x, y), state(change, y, x, "applied")] == ["applied", "absent"]
    assert [state(change, None, x), state(change, None, y)] == ["absent", "applied"]


# SC-7
def test_the_same_text_elsewhere_is_not_taken_for_the_change() -> None:
    change = fix(text("x = 1", *FAR), text("x = 2", *FAR))
    assert state(change, text("x = 1", *FAR), text("y = 3", *FAR, "x = 2")) == "edited"
    assert state(change, text("x = 2", *FAR), text("y = 3", *FAR, "x = 2"), "applied") == "edited"


# SC-7
def test_a_line_edited_right_beside_a_change_leaves_it_known() -> None:
    before, after = text("a = 1", "b = 1", *FAR), text("a = 2", "b = 1", *FAR)
    change = fix(before, after)
    assert state(change, before, text("a = 1", "b = 9", *FAR)) == "absent"
    assert state(change, before, text("a = 2", "b = 9", *FAR)) == "applied"
    assert state(change, before, text("a = 3", "b = 1", *FAR)) == "edited"


# SC-7
def test_where_both_could_be_meant_nothing_is_reported() -> None:
    change = fix(text("old", *FAR), text("new", *FAR))
    assert state(change, text("old", *FAR), text("old", "new", *FAR)) == "unclear"
    assert state(change, None, text("old", "new", *FAR)) == "unclear"


# SC-7
def test_neighbouring_lines_deleted_at_once_by_two_changes_are_both_applied() -> None:
    start = text("import json", "import os", "import re", *FAR)
    one = fix(start, text("import os", "import re", *FAR), "one")
    two = fix(start, text("import json", "import re", *FAR), "two")
    tracked = {change.id: Tracked(change, "absent", {"f": start}.get) for change in (one, two)}

    def found(*lines: str) -> list[str]:
        return [one.state for one in presences(("one", "two"), tracked, {"f": text(*lines, *FAR)}.get).values()]

    assert found("import re") == ["applied", "applied"]
    assert found("import os", "import re") == ["applied", "absent"]
    assert found("import json", "import re") == ["absent", "applied"]
    assert found("import re", "import sys") == ["applied", "applied"]


# SC-7
def test_what_was_stored_before_edits_had_anchors_is_still_known_from_its_reference() -> None:
    before, after = text("import json", "import os", *FAR), text("import os", *FAR)
    wide = Edit(file="f", old_string="import json\nimport os\n", new_string="import os\n")
    old = fix(before, after).model_copy(
        update={"wide": (wide,), "reverse": (Edit(file="f", old_string="import os\n", new_string=wide.old_string),)}
    )
    assert [state(old, before, before), state(old, before, after)] == ["absent", "applied"]
    assert [state(old, after, before, "applied"), state(old, after, after, "applied")] == ["absent", "applied"]
    assert state(old, None, before) == "unclear", "its reverse fits too"


# SC-7
@pytest.mark.parametrize("mine", [None, b"x\n", b"y\n"])
def test_a_file_that_a_change_made_is_there_or_not_or_another(mine: bytes | None) -> None:
    made = Edit(file="f", old_string="", new_string="x\n", kind="create")
    both = widen((made,), {}.get)
    change = fix(b"1\n", b"2\n").model_copy(update={"edits": (made,), "wide": both.wide, "reverse": both.reverse})
    expected = {None: "absent", b"x\n": "applied", b"y\n": "edited"}[mine]
    assert presence(Tracked(change, "absent", {}.get), {"f": mine}.get).state == expected
    assert presence(Tracked(change, "absent", None), {"f": mine}.get).state == expected


def test_what_is_edited_or_unclear_is_no_reference() -> None:
    change = fix(text("old", *FAR), text("new", *FAR))
    assert anchored(change, "edited", {"f": text("else")}.get, None) is None
    with pytest.raises(EditError):
        widen(change.edits, {"f": text("else")}.get)
