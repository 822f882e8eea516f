"""What people read where a fix, or its reverse, no longer fits."""

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from handlers.acceptance.regressions import written
from handlers.comments.edit_conflicts import what_changed
from handlers.model.edit_conflict import edit_conflict_of
from healing.edits.exact import EditError, apply_edits, widen
from healing.model import Edit
from tests.handlers.pull import BASE, HEAD, fix_of
from tests.handlers.world import MemoryWorld

LINE = Edit(file="f.py", old_string="total = a + b\n", new_string="total = a\n")


def conflict_text(edit: Edit, data: bytes | None) -> str:
    return what_changed(edit_conflict_of((edit,), {edit.file: data}.get))


# SC-4 SC-5
def test_it_is_said_what_changed_where() -> None:
    assert conflict_text(LINE, b"x = 1\ntotal = a + b + c\n") == snapshot(
        "line 2 of `f.py` has changed from `total = a + b` to `total = a + b + c`."
    )
    assert conflict_text(LINE, b"x = 1\n") == snapshot("its lines are no longer in `f.py`.")
    assert conflict_text(LINE, b"total = a + b\n" * 2) == snapshot(
        "its lines now appear 2 times in `f.py` (lines 1, 2), so it is unclear which are meant."
    )
    assert conflict_text(LINE, None) == snapshot("`f.py` is no longer there.")
    made = Edit(file="f.py", old_string="", new_string="x\n", kind="create")
    assert conflict_text(made, b"y\n") == snapshot("`f.py` exists again.")
    gone = Edit(file="f.py", old_string="x\n", new_string="", kind="delete")
    assert conflict_text(gone, b"y\n") == snapshot("`f.py` has changed.")
    assert what_changed(None) == snapshot("its changes don't fit the files as they are now.")


TEXT = st.text("ab\n`", max_size=30)


# SC-5
@given(TEXT.filter(bool), TEXT, st.none() | TEXT)
def test_one_edit_clashes_exactly_where_it_can_t_be_applied(old: str, new: str, now: str | None) -> None:
    edit = Edit(file="f", old_string=old, new_string=new + "!")
    read = {"f": now.encode() if now is not None else None}.get
    try:
        apply_edits((edit,), read)
    except EditError:
        assert edit_conflict_of((edit,), read) is not None
        assert conflict_text(edit, read("f")).endswith(".")
    else:
        assert edit_conflict_of((edit,), read) is None


# GH-6
def test_a_fix_wrote_only_the_lines_that_differ() -> None:
    world = MemoryWorld(BASE, HEAD)
    fix = fix_of(world)
    after = apply_edits(fix.edits, world.files.get)["calc.py"] or b""
    assert after.startswith(b"import math\n\n\ndef area(r):\n")
    assert written(fix, {"calc.py": b"# Before.\n" + after}.get) == [("calc.py", 2, 4)]
    assert written(fix, {"calc.py": after.replace(b"math", b"cmath")}.get) == []
    assert written(fix, {}.get) == []
    deletion = Edit(file="calc.py", old_string="    return math.pi * r * r\n", new_string="")
    both = widen((deletion,), world.files.get)
    gone = fix.model_copy(update={"edits": (deletion,), "wide": both.wide, "reverse": both.reverse})
    assert written(gone, apply_edits((deletion,), world.files.get).get) == []  # it wrote nothing
