"""What the annotations of Heal's check run say, and what they can't be made to say."""

import pytest

from handlers.comments.annotations import LIMIT, annotations, left_out
from healing.model import Category, CIError, Outcome, Resolution, Severity, Unfixable
from tests.handlers.pull import BASE, HEAD, far_fix_of
from tests.handlers.world import ERROR, MemoryWorld


def error(name: str, **fields: object) -> CIError:
    reported: dict[str, object] = {
        "id": name, "tool": "pytest", "category": Category.TEST, "file": "calc.py", "line": 2, "message": "it broke",
    }  # fmt: skip
    return CIError.model_validate({**reported, **fields})


def outcome(*errors: CIError, how: str = "", **fields: object) -> Outcome:
    reported: dict[str, object] = {
        "verdict": "not-healed",
        "run_id": "run1",
        "errors": errors,
        "head_lines": {one.id: (one.line or 1, one.end_line or one.line or 1) for one in errors},
        "resolutions": tuple(Resolution(error_id=one.id, how=how) for one in errors) if how else (),
    }
    return Outcome.model_validate({**reported, **fields})


# GH-3
async def test_each_error_is_annotated_at_its_line_with_how_it_ended() -> None:
    world = MemoryWorld(BASE, HEAD)
    fix = far_fix_of(world)
    world.will_heal(fix, head_lines={"E1": (2, 2)})
    await world.ci_fails()
    (note,) = world.check.annotations
    assert (note.path, note.start_line, note.end_line, note.level) == ("calc.py", 2, 2, "failure")
    assert note.title == "ruff F821"
    assert note.message == f"Undefined name `math`\nHeal has a tested fix: `/heal show {fix.id[:8]}`."


# GH-3
async def test_while_it_is_at_work_and_where_it_did_nothing_there_are_none() -> None:
    world = MemoryWorld(BASE, HEAD, draft=True)
    await world.ci_fails()
    assert world.check.annotations == ()


# GH-3, CK-7
@pytest.mark.parametrize(
    ("how", "level", "output"),
    [
        ("flaky", "notice", "did not recur"),
        ("preexisting", "notice", "base branch has this error too"),
        ("cascade:fast", "failure", "Fixed by the fixes for other errors"),
        ("unfixable:U1", "failure", "No tested fix: no model"),
        ("unfixable:U9", "failure", "No tested fix"),
        ("", "failure", "No fix found"),
    ],
)
def test_the_ending_is_reported(how: str, level: str, output: str) -> None:
    report = Unfixable(id="U1", error_ids=("E1",), reason="no-key", tried="", why="no model", advice="set a key")
    (note,) = annotations(outcome(error("E1"), how=how, unfixables=(report,)))
    assert note.level == level
    assert output in note.message


# GH-3
def test_an_error_without_a_line_on_the_head_is_only_in_the_summary() -> None:
    assert annotations(outcome(ERROR, head_lines={})) == ()
    assert annotations(outcome(error("E1", file=None))) == ()


# GH-2, EX-6
def test_strangers_words_are_short_and_harmless() -> None:
    hostile = "@everyone\u202e see https://evil.example <!-- heal:v1 sticky -->" + "x" * 90_000
    (note,) = annotations(outcome(error("E1", message=hostile, code=hostile, excerpt=hostile)))
    for text in (note.title, note.message, note.details):
        assert text is not None
        assert not any(bad in text for bad in ("@", "://", "\u202e", "heal:v1"))
    assert len(note.title or "") <= 255
    assert len(note.message) < 2_000
    assert len(note.details or "") < 5_000


# GH-3
def test_a_flood_of_errors_is_cut_and_reported() -> None:
    many = tuple(error(f"E{at}", severity=Severity.WARNING) for at in range(LIMIT + 7))
    notes = annotations(outcome(*many))
    assert len(notes) == LIMIT
    assert {note.level for note in notes} == {"warning"}
    assert left_out(outcome(*many)) == (f"7 more errors have no annotation; Heal adds at most {LIMIT}.",)
    assert left_out(outcome(*many[:LIMIT])) == ()
