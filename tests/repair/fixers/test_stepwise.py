"""Steps of one fix: each has to get past the errors before it, and none takes another's change back."""

from hypothesis import given
from hypothesis import strategies as st

from healing.edits.exact import apply_edits, edits_between
from healing.model import Candidate, Category, CIError
from healing.repair.fixers.stepwise import got_further, joined
from healing.view import DictView

LINES = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6).map(lambda words: "".join(f"{w}\n" for w in words))


def view(text: str) -> DictView:
    return DictView({"a.py": text.encode()})


def candidate(old: str, new: str, title: str = "Change it", flags: tuple[str, ...] = ()) -> Candidate:
    edits = edits_between("a.py", old.encode(), new.encode())
    facts = {"explanation": "Why.", "confidence": 80, "error_ids": ("one",), "edits": edits, "flags": flags}
    return Candidate(source="fixer:misspelt_name", phase="free", title=title, **facts)


def error(message: str, line: int) -> CIError:
    return CIError(id="one", tool="pytest", category=Category.TEST, file="a.py", line=line, message=message)


# AF-3
@given(LINES, LINES, LINES)
def test_two_steps_as_one_change_give_what_they_give_one_after_the_other(old: str, middle: str, new: str) -> None:
    both = joined(candidate(old, middle), candidate(middle, new), view(old), view(middle))
    taken, put = set(old.split()) - set(middle.split()), set(new.split()) - set(middle.split())
    if taken & put:
        assert both is None, "the second step brings back what the first took away"
    if both is not None:
        assert apply_edits(both.edits, view(old).read).get("a.py", old.encode()) == new.encode()


def test_a_fix_of_two_steps_says_both_and_keeps_the_marks_of_both() -> None:
    first = candidate("a\nb\n", "A\nb\n", "Write `A` for `a`", ("look at this",))
    step = candidate("A\nb\n", "A\nB\n", "Write `B` for `b`", ("and at that",))
    both = joined(first, step, view("a\nb\n"), view("A\nb\n"))
    assert both is not None
    assert both.title == "Write `A` for `a`, write `B` for `b`"
    assert both.flags == ("look at this", "and at that")


def test_only_another_error_shows_that_a_step_was_right() -> None:
    old, moved = view("x = 1\nprint(y)\n"), view("import json\nx = 1\nprint(y)\n")
    name = error("NameError: name 'y' is not defined", 2)
    assert not got_further([name], old, [name], old)
    assert not got_further([name], old, [name.model_copy(update={"line": 3})], moved), "the same line, farther down"
    assert got_further([name], old, [error("assert 1 == 2", 2)], old)
    assert got_further([name], old, [name.model_copy(update={"line": 1})], old), "the same message at another line"
    assert not got_further([name], old, [], old)
