"""What a green job says too is noise; what only sounds like it is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.logs.previous import Noise
from healing.logs.reading import read_log
from healing.model import CIError

TRACEBACK = 'Traceback (most recent call last):\n  File "{file}", line {line}, in f\nValueError: {what}\n'
NEW = "src/new.py:3:1: F401 `os` imported but unused\n"


def errors(log: str) -> tuple[CIError, ...]:
    return read_log(log.encode()).errors


def left(red: str, green: str) -> list[CIError]:
    return list(Noise(errors(green)).without(errors(red)))


def logged(file: str = "app.py", line: int = 10, what: str = "no answer") -> str:
    return TRACEBACK.format(file=file, line=line, what=what)


# EX-8
@pytest.mark.parametrize(
    ("green", "red"),
    [
        ("a.py:3:1: W605 invalid escape\n", "a.py:3:1: W605 invalid escape\n"),
        (logged(what="no answer after 1.2s"), logged(what="no answer after 31.7s")),
        (logged(what="<A at 0x7f12ab34>"), logged(what="<A at 0x7fff0001>")),
        (logged(what="in /tmp/tmpx1/f"), logged(what="in /tmp/tmpq9/f")),
        (logged(what="at 2026-01-05T10:00:00Z"), logged(what="at 2026-02-07T23:59:01Z")),
    ],
)
def test_what_the_green_log_said_about_the_same_line_is_gone(green: str, red: str) -> None:
    assert [e.file for e in left(red + NEW, green)] == ["src/new.py"]


# EX-8
@pytest.mark.parametrize(
    "red",
    [
        logged(file="other.py"),
        logged(what="another thing"),
        "=== short test summary info ===\nFAILED t.py::test_b - ValueError: no answer\n",
    ],
)
def test_the_same_words_at_another_place_are_news(red: str) -> None:
    green = logged() + "=== short test summary info ===\nFAILED t.py::test_a - ValueError: no answer\n"
    assert left(red, green) == list(errors(red))


# EX-8
@pytest.mark.parametrize("red", [logged(line=12), logged(what="no answer of 7")])
def test_a_shifted_line_or_another_number_only_fades_an_error(red: str) -> None:
    noise = Noise(errors(logged(what="no answer of 3") if "7" in red else logged()))
    before = errors(red + NEW)
    assert [noise.weight(e) for e in before] == [0.3, 1.0]
    assert [e.id for e in noise.without(before)] == [e.id for e in before]
    assert noise.without(before)[0].score < before[0].score


# EX-8
def test_where_all_would_be_noise_nothing_is_hidden() -> None:
    assert [e.id for e in left(logged(), logged())] == [e.id for e in errors(logged())]


# EX-8
@given(st.lists(st.tuples(st.sampled_from(["a.py", "b.py"]), st.integers(1, 9), st.sampled_from("xyz")), max_size=12))
def test_an_error_that_no_green_log_held_always_stays_whole(rows: list[tuple[str, int, str]]) -> None:
    green = "".join(logged(*row) for row in rows)
    kept = left(green + NEW, green)
    assert [(e.file, e.score) for e in kept] == [(e.file, e.score) for e in errors(NEW)]


# EX-8
@given(st.text(max_size=200), st.text(max_size=200))
def test_noise_takes_away_and_never_invents(green: str, red: str) -> None:
    before = errors(red)
    ids = [e.id for e in Noise(errors(green)).without(before)]
    assert set(ids) <= {e.id for e in before}
    assert bool(ids) == bool(before)
    assert list(Noise().without(before)) == list(before)
