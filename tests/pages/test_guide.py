"""The path on top of the demo's page: each step has a button that does it, and knows when it was done."""

from bot.demo.path import GUIDE, NONE_LEFT, WAITING, steps
from bot.localhub import pulls, suggestions
from bot.localhub.pages import routes
from bot.localhub.pages.guide import Guide
from bot.localhub.server import serve
from tests.pages.conftest import Stage


def offer(stage: Stage, ident: str, line: int, part: str = "1/1") -> None:
    marker = f"<!-- heal:v1 proposal={ident} part={part} -->"
    stage.suggest(line, f"line{line} = {line}\n", words=f"Mend it.\n\n{marker}")


def buttons(stage: Stage) -> list[str]:
    """What each step's button would do now."""
    made = steps(stage.hub, stage.pull)
    return ["done" if s.done else s.comment or ("accept" if s.accept else f"({s.wait})") for s in made]


async def test_before_heal_has_offered_anything_every_step_says_why_it_waits(stage: Stage) -> None:
    assert buttons(stage) == [f"({WAITING})"] * 3 + ["(accept one first)"]


# UX-1
async def test_each_step_is_done_by_its_button_and_then_crossed_out(stage: Stage) -> None:
    offer(stage, "aaaaaaaaaaaa", 10)
    offer(stage, "bbbbbbbbbbbb", 15)
    assert buttons(stage) == [
        "accept", "/heal explain aaaaaaaaaaaa", "/heal reject bbbbbbbbbbbb we do this another way",
        "(accept one first)",
    ]  # fmt: skip
    accept = steps(stage.hub, stage.pull)[0].accept
    assert accept
    suggestions.commit_suggestion(stage.hub, "maya", [accept])
    assert buttons(stage)[3] == "/heal rollback aaaaaaaaaaaa"
    for number, command in enumerate(buttons(stage)[1:], 1):
        pulls.comment(stage.hub, "maya", stage.pull, command)
        assert buttons(stage)[number] == "done"
    assert buttons(stage) == ["done"] * 4


# UX-1 GH-12
async def test_a_suggestion_that_heal_took_off_the_page_after_its_rollback_stays_crossed_out(stage: Stage) -> None:
    offer(stage, "aaaaaaaaaaaa", 10)
    offer(stage, "bbbbbbbbbbbb", 15)
    offer(stage, "cccccccccccc", 12)
    taken, rejected, _ = stage.hub.review_comments_of(stage.pull)
    suggestions.commit_suggestion(stage.hub, "maya", [taken.id])
    for one in (taken, rejected):
        one.body = one.body.replace("```suggestion", "```")
    assert buttons(stage)[0] == "done"
    assert buttons(stage)[2] == "/heal reject cccccccccccc we do this another way"


async def test_a_fix_in_several_places_is_not_the_first_thing_to_accept(stage: Stage) -> None:
    offer(stage, "aaaaaaaaaaaa", 10, part="1/2")
    offer(stage, "aaaaaaaaaaaa", 15, part="2/2")
    assert steps(stage.hub, stage.pull)[0].accept is None


# UX-1
async def test_the_page_shows_the_steps_as_forms_that_work(stage: Stage) -> None:
    offer(stage, "aaaaaaaaaaaa", 10)
    async with serve(stage.hub, extra_routes=routes(stage.hub, Guide(GUIDE, steps))) as local:
        stage.local = local
        async with stage.client() as client:
            page = (await client.get(stage.path)).text
            assert "Commit the first suggestion" in page
            assert "Not yet: accept one first." in page
            accept = str(steps(stage.hub, stage.pull)[0].accept)
            done = await client.post(f"{stage.path}/suggestion", data={"comment": accept})
            assert done.status_code == 303
            page = (await client.get(stage.path)).text
    assert '<li class="done">' in page
    assert "Write <code>/heal rollback aaaaaaaaaaaa</code>" in page
    assert f"Not yet: {NONE_LEFT}." in page, "there is no other one to reject"
