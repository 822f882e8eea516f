"""What the operator's chat is told of a red default branch."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.comments import chat
from handlers.runs.asking import ELSEWHERE
from healing.model import CIError, Proposal, Resolution, Unfixable
from tests.handlers.pull import BASE, HEAD, far_fix_of
from tests.handlers.world import ERROR, MemoryWorld

OTHER = ERROR.model_copy(update={"id": "E2", "code": "E999", "line": 9})
TEXTS = st.text(max_size=200) | st.sampled_from(
    ["<!channel>", "<!here|x>", "@here", "@channel @all", "<https://x.example|click>", "`*a* <@U1>", "~town-square",
     "![x](http://x.example/a.png)", "&lt;!channel&gt;", "a\nb\r\nc", "<" * 300, "\u202e@all", "x`<!here>`y"]
)  # fmt: skip


@pytest.fixture
def world() -> MemoryWorld:
    return MemoryWorld(BASE, HEAD)


async def main_fails(
    world: MemoryWorld, *fixes: Proposal, failure: int = 1, of_pull: bool = False, **outcome: object
) -> str:
    """A check fails on the default branch (`of_pull`: only on a pull request, which says that it is the branch's
    fault); gives the commit."""
    sha = world.hub.branches.setdefault("main", world.hub.commit(HEAD, "on main"))
    row: dict[str, object] = {"source": "check_run", "head_branch": "main", "default_branch": "main"}
    row |= {ELSEWHERE: True} if of_pull else {}
    run = await world.store.open_attempt(f"check_run:{failure}", 3, sha, row)
    world.will_heal(*fixes, **outcome)
    await world.healing(run)
    await world.work()
    return sha


def report(error: CIError) -> dict[str, object]:
    """An outcome in which this error is left."""
    left = Unfixable(id="u1", error_ids=(error.id,), reason="no-key", tried="", why="", advice="")
    return {"verdict": "partly", "unfixables": (left,)}


# OP-11
async def test_a_fix_is_told_once_with_its_pull_request_however_often_the_commit_fails(world: MemoryWorld) -> None:
    fix = far_fix_of(world)
    sha = await main_fails(world, fix)
    ((key, text),) = world.posted.items()
    assert key == (sha, "fix")
    assert text.splitlines() == [
        f"`ada/calc`: `main` is red at <https://github.example/ada/calc/commit/{sha}|{sha[:7]}>. "
        "1 error has a tested fix.",
        "• `ruff F821` at `calc.py:2`",
        "Review and merge <https://github.example/ada/calc/pull/50|pull request #50> · "
        f"<https://heal.example.com/runs/ada/calc/{sha}/1|What Heal found>",
    ]
    await main_fails(world, fix, failure=2)
    assert list(world.posted) == [(sha, "fix")]


# OP-11
async def test_what_needs_somebody_comes_first_and_is_reported(world: MemoryWorld) -> None:
    fix = far_fix_of(world)
    fixed = Resolution(error_id="E1", how=f"fix:{fix.id}", proposal_id=fix.id)
    left = Resolution(error_id="E2", how="unfixable:u1")
    sha = await main_fails(world, fix, errors=(ERROR, OTHER), resolutions=(fixed, left), **report(OTHER))
    text = world.posted[sha, "needs-you"]
    assert "1 of 2 errors has a tested fix; 1 needs you." in text
    assert text.index("E999") < text.index("F821")
    assert "Tested fixes: <" in text


# OP-11
async def test_the_same_commit_is_told_of_again_when_it_comes_out_otherwise(world: MemoryWorld) -> None:
    sha = await main_fails(world, far_fix_of(world))
    left = {"errors": (OTHER,), "resolutions": (Resolution(error_id="E2", how="unfixable:u1"),)}
    await main_fails(world, failure=2, **left, **report(OTHER))
    assert list(world.posted) == [(sha, "fix"), (sha, "needs-you")]


# OP-11 IN-6
async def test_chance_is_nothing_to_speak_of_and_a_failure_that_cant_be_reproduced_is(world: MemoryWorld) -> None:
    flaky = (Resolution(error_id="E1", how="flaky"),)
    await main_fails(world, verdict="not-healed", resolutions=flaky)
    assert world.posted == {}
    sha = await main_fails(world, failure=2, verdict="could-not-look", errors=(), resolutions=())
    assert "Couldn't check this failure." in world.posted[sha, "needs-you"]


# OP-11 IN-6
async def test_a_branch_that_only_a_pull_request_calls_red_is_told_of_where_heal_saw_that_itself(
    world: MemoryWorld,
) -> None:
    nothing = {"verdict": "could-not-look", "errors": (), "resolutions": ()}
    await main_fails(world, of_pull=True, **nothing)
    assert world.posted == {}
    sha = await main_fails(world, far_fix_of(world), failure=2, of_pull=True)
    assert list(world.posted) == [(sha, "fix")]


# OP-8 OP-11
async def test_where_heal_only_observes_and_of_pull_requests_the_chat_is_told_nothing(world: MemoryWorld) -> None:
    world.store.offers = False
    await main_fails(world, far_fix_of(world))
    world.store.offers = True
    world.will_heal(far_fix_of(world))
    await world.ci_fails()
    assert world.publisher.fixups
    assert world.posted == {}


# OP-11 GH-2
@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_no_name_can_mention_anybody_or_link_anywhere(repo: str, branch: str, tool: str, file: str) -> None:
    errors = tuple(ERROR.model_copy(update={"tool": tool, "code": tool, "file": f"{n}{file}"}) for n in range(9))
    text = chat.red_branch(
        repo, branch, ("abc", "https://g.example/c"), "1 error", chat.ErrorsByNeed(errors, ()), ("<https://h|x>",)
    )
    assert re.findall(r"<[^>]*>?", text) == ["<https://g.example/c|abc>", "<https://h|x>"]
    assert "@" not in text
    assert text.count("://") == 2
    assert len(text) < 6000
    assert not re.findall(r"&(?!amp;|lt;|gt;)", text)
    assert all(line.count("`") % 2 == 0 for line in text.splitlines()), "every name stays in its code"
    assert len(text.splitlines()) == 8


# OP-11
def test_errors_that_look_alike_are_one_line_with_their_number() -> None:
    errors = chat.ErrorsByNeed((ERROR,) * 9, ())
    text = chat.red_branch("ada/calc", "main", ("abc", "https://g.example/c"), "No fix found", errors, ())
    assert text.splitlines()[1:] == ["• Needs you: `ruff F821` at `calc.py:2` (9 errors)"]
