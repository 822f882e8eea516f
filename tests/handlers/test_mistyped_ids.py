"""Mistyped ids get a guess (SC-2)."""

import pytest

from handlers.slash.reading.ids import near_ids
from tests.handlers.pull import BASE, HEAD, fix_of
from tests.handlers.world import MemoryWorld

IDS = ("ab13c0ffee000001", "1eb3e58312345678", "U2691996aaaabbbb")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ab12", ("ab13c0ffee000001",)),
        ("`ab31c0ff`", ("ab13c0ffee000001",)),
        ("1eb3e853", ("1eb3e58312345678",)),
        ("u269199", ("U2691996aaaabbbb",)),
        ("AB13C0FE", ("ab13c0ffee000001",)),
        ("tomorrow", ()),
        ("ff", ()),
        ("", ()),
    ],
)
def test_a_slip_of_the_finger_is_understood_and_a_word_is_none(typed: str, meant: tuple[str, ...]) -> None:
    assert near_ids(typed, IDS) == meant


def test_a_long_word_and_many_ids_take_no_time() -> None:
    assert near_ids("f" * 10_000, [f"{number:016x}" for number in range(50_000)]) == ()


# SC-2
@pytest.mark.parametrize("command", ["apply", "reject", "show", "rollback", "retry", "explain"])
async def test_every_command_that_takes_an_id_guesses_which_was_meant(command: str) -> None:
    world = MemoryWorld(BASE, HEAD)
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    typed = fix.id[:3] + ("0" if fix.id[3] != "0" else "1") + fix.id[4:8]
    answer = await world.says(f"/heal {command} {typed}", comment_id=1)
    assert f"Did you mean `{fix.id[:8]}`?" in answer
    assert world.status(fix) == "offered"
