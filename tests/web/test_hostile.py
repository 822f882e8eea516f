"""What strangers write stays words: names, messages, diffs, logs and transcripts; and every page's headers (SC-6)."""

import re

import httpx
import pytest
from playwright.async_api import Browser

from bot.web.dashboard.diffs import diffs
from handlers.model import Setting, Settings
from healing.model import Edit
from healing.repair.agents.trajectory import AgentStep, ToolUse, Trajectory
from tests.web.conftest import Stage
from tests.web.rows import error, outcome, proposal, reported_run
from tests.web.test_browser import opened, signed_in

pytestmark = pytest.mark.asyncio(loop_scope="session")

SHA = "4f1c09d2" * 5
RUN = f"/runs/corner-shop/tally/{SHA}/1"
EVIL = "<script>document.title='owned'</script><img src=x onerror=document.title='owned'>\"'><svg/onload=1>{{7*7}}"
PAGES = (
    "/",
    "/runs",
    "/fixes",
    "/flaky",
    "/runs?q=%3Cscript%3Ealert(1)%3C/script%3E",
    "/repositories",
    "/repositories/corner-shop/tally",
    "/queue",
    RUN,
)


async def hostile_run(stage: Stage) -> None:
    """Everything that a stranger may choose in it is hostile."""
    bad = Edit(file=f"{EVIL}.py", old_string=f"a = '{EVIL}'\n", new_string=f"b = '{EVIL}'\u202e\n")
    made = outcome()
    fix = proposal(
        "0a1b2c3d4e5f6071", (made.errors[0].id,), title=EVIL, explanation=EVIL, source=f"agent:{EVIL}", edits=(bad,),
        wide=(bad,), reverse=(bad,), flags=(EVIL,),
    )  # fmt: skip
    fix = fix.model_copy(
        update={
            "evidence": tuple(
                e.model_copy(update=dict.fromkeys(("command", "before_output", "note"), EVIL)) for e in fix.evidence
            )
        }
    )
    first = error(1, message=EVIL, file=f"{EVIL}.py", code=EVIL, tool=EVIL)
    causes = tuple(cause.model_copy(update={"message": EVIL}) for cause in made.causes)
    sorry = tuple(one.model_copy(update=dict.fromkeys(("why", "tried", "advice"), EVIL)) for one in made.unfixables)
    hostile = made.model_copy(
        update={"errors": (first, *made.errors[1:]), "causes": causes, "unfixables": sorry, "proposals": (fix,)}
    )
    store = stage.store("tally")
    await reported_run(store, SHA, 7, hostile)
    used = ToolUse(tool=EVIL, asked=EVIL, answered=EVIL, failed=True)
    step = AgentStep(error_id="E2", turn_id="t", request_id="req_1", stop="end", said=EVIL, used=(used,), told=EVIL)
    talk = Trajectory(cluster=EVIL, errors=("E2",), specialist=EVIL, model=EVIL, steps=(step,), ending="whole")
    await store.memory(hostile.run_id).save(talk)
    set_ = Settings(settings=(Setting(key="checks", value=EVIL, given=True),), problems=(f"line 1: {EVIL}",))
    await store.save_settings(set_, EVIL, SHA)


# OP-4
async def test_what_a_stranger_wrote_is_inert_in_a_browser(stage: Stage, browser: Browser) -> None:
    await hostile_run(stage)
    context = await signed_in(browser, stage)
    for path in PAGES:
        page = await opened(context, path)
        page.on("dialog", lambda _: pytest.fail("a dialog opened"))
        assert "owned" not in await page.title(), path
        assert await page.locator("main script, main img, main [onerror], main [onload], main [style]").count() == 0
        assert "49" not in await page.locator("h1").inner_text()
    text = await page.locator("main").text_content()
    assert text is not None
    assert text.count("onerror=document.title") > 10
    assert "\u202e" not in text
    await context.close()


# OP-4
async def test_every_answer_forbids_scripts_of_others_frames_and_guessing(stage: Stage) -> None:
    await hostile_run(stage)
    async with stage.signed_in("maya") as maya, stage.stranger() as nobody:
        answers: list[httpx.Response] = [await maya.get(path) for path in (*PAGES, "/nosuch/page", "/repositories/a/b")]
        answers += [
            await nobody.get(path) for path in ("/", "/sign-in", "/auth/start", "/auth/callback?code=1&state=2")
        ]
    for answer in answers:
        if answer.headers.get("content-type", "").startswith("text/plain"):
            continue  # nothing is at that address
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert not re.search(r"<(script(?! src=)|style)|\son\w+=\"|\sstyle=", answer.text.replace("&#34;", ""))


# OP-4
async def test_pages_ask_no_other_site_for_anything(stage: Stage, browser: Browser) -> None:
    await hostile_run(stage)
    context = await signed_in(browser, stage)
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    for path in PAGES:
        await opened(context, path)
    assert asked
    assert [url for url in asked if not url.startswith(stage.url)] == []
    await context.close()


async def test_a_diff_of_any_size_and_kind_is_drawn(stage: Stage) -> None:
    long = "x" * 100_000
    for old, new, name in (
        ("", "a\n" * 5000, "new.py"), ("a\n" * 3000, "b\n" * 3000, "big.py"), (long, long + "y", "wide.js"),
        ("def f(:\n" * 300, "'''" * 99, "broken.py"), ("\x00\x1b[31m\u202e", "\ud7ff", "odd.rs"), ("", "", "none.txt"),
    ):  # fmt: skip
        edit = Edit(file=name, old_string=old, new_string=new)
        rows = [row for file in diffs(proposal("p", (), edits=(edit,), wide=(edit,))) for row in file.rows]
        assert len(rows) <= 400
        assert all(len(row.code) < 60_000 for row in rows)
