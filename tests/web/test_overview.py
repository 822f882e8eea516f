"""Monday morning: what waits, what was not fixed and why, what was fixed, what it cost, what is flaky (OP-11)."""

import re

import pytest
from playwright.async_api import Browser, expect

from handlers.comments import skips
from healing.logs.flakes import RecordedOutcome as Ended
from tests.web.conftest import Stage
from tests.web.rows import error, outcome, pull, reported_run
from tests.web.scene import busy_weeks
from tests.web.test_browser import opened, signed_in

pytestmark = pytest.mark.asyncio(loop_scope="session")

SHA = "4f1c09d2" * 5
DAY = 86_400.0


def section(page: str, name: str) -> str:
    """The text of one part of the page, without tags."""
    start = page.index(f'id="{name}">')
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page[start : page.index("</section>", start)]))


async def stopped(stage: Stage, number: int, why: str) -> None:
    """A run that ended without a result."""
    store = stage.store("tally")
    run = await store.open_attempt(f"check_run:{number}", 5, f"{number:040x}", {"name": "checks"})
    await store.note_pull(pull(number, title=f"Draft number {number}"))
    await store.save_run(run.model_copy(update={"state": "stopped", "number": number, "reason": why}))


# OP-11
async def test_a_maintainer_reads_on_one_page_what_waits_what_failed_and_why_and_what_it_cost(stage: Stage) -> None:
    store = stage.store("tally")
    await reported_run(store, SHA, 7)
    taken = (await store.proposals(7))[0]
    await store.update_proposal(taken, {"status": "applied"}, only=("offered",))
    await stopped(stage, 9, skips.DRAFT)
    test = "tests/test_till.py::test_opens"
    await store.save_test_outcomes((Ended(test, SHA, passed=False), Ended(test, SHA, passed=True)))
    async with stage.signed_in("maya") as maya:
        page = (await maya.get("/")).text
    waiting = section(page, "waiting")
    assert "Add discounts, part 7 corner-shop/tally#7 by noor" in waiting
    assert "Subtract the discount in total()" in waiting
    assert "Spell" not in waiting
    assert "Spell format_cents as it is defined" in section(page, "applied")
    unfixed = section(page, "unfixed")
    assert "Add discounts, part 7" in unfixed
    assert "Why: No edit made the command exit 0." in unfixed
    assert "Draft number 9" not in unfixed
    assert "Draft number 9" in section(page, "stopped")
    assert "Why: this pull request is a draft. Mark it ready, or comment /heal ." in section(page, "stopped")
    assert "corner-shop/tally $0.042" in section(page, "cost")
    assert f"{test} corner-shop/tally 1 of 1 failure passed on re-run" in section(page, "flaky")


# OP-11
async def test_what_is_closed_old_or_healed_since_waits_for_nobody(stage: Stage) -> None:
    await reported_run(stage.store("tally"), "aa" * 20, 7)
    await reported_run(stage.store("tally"), "bb" * 20, 8)
    stage.clock.at += 60
    await reported_run(stage.store("tally"), "cc" * 20, 8, outcome("heal-2", verdict="healed", proposals=()))
    async with stage.signed_in("maya") as maya:
        assert "part 7" in section((await maya.get("/")).text, "unfixed")
        await stage.store("tally").note_pull(pull(7, state="closed"))
        page = (await maya.get("/")).text
        assert "part 7" not in section(page, "waiting")
        assert "part 8" in section(page, "waiting")
        for name in ("unfixed", "applied"):
            assert "part" not in section(page, name), name
    stage.clock.at += 8 * DAY
    async with stage.signed_in("maya") as maya:
        assert "corner-shop/tally" not in section((await maya.get("/")).text, "cost")


# OP-11
async def test_nobody_reads_on_the_overview_of_what_they_do_not_see(stage: Stage) -> None:
    await reported_run(stage.store("ledger"), SHA, 7)
    await stage.store("ledger").save_test_outcomes((Ended("t", SHA, passed=False), Ended("t", SHA, passed=True)))
    async with stage.signed_in("noor") as noor, stage.signed_in("maya") as maya:
        for path in ("/", "/fixes", "/flaky", "/runs?q=discounts"):
            assert "corner-shop/ledger" in (await maya.get(path)).text, path
            theirs = (await noor.get(path)).text
            assert "corner-shop/ledger" not in theirs, path
            assert SHA not in theirs, path


# OP-11
async def test_a_run_is_found_by_title_branch_author_error_rule_and_file(stage: Stage) -> None:
    await reported_run(stage.store("tally"), SHA, 7)
    other = error(9, message="cannot find module 'left-pad'", code="E404", tool="npm", file="web/index.ts")
    await reported_run(stage.store("ledger"), "beef" * 10, 8, outcome("heal-other", errors=(other,), resolutions=()))
    await stage.store("ledger").note_pull(pull(8, title="Grüße 100% of_users", head_ref="fix/greet", author="zed"))
    async with stage.signed_in("maya") as maya:
        for search, found in (
            ("discounts, part", "tally"), ("DISCOUNTS-7", "tally"), ("noor", "tally"), ("undefined name", "tally"),
            ("F821", "tally"), ("f82", "tally"), ("shop/part3.py", "tally"), ("name undefined", "tally"),
            ("Grüße", "ledger"), ("fix/greet", "ledger"), ("zed", "ledger"), ("left-pad", "ledger"), ("E404", "ledger"),
            ("0% of_u", "ledger"), ("web/index.ts npm", "ledger"), ("100%of", ""), ("%", "ledger"),
            ("noor left-pad", ""),
        ):  # fmt: skip
            page = (await maya.get("/runs", params={"q": search})).text
            rows = {name for name in ("tally", "ledger") if f'href="/runs/corner-shop/{name}/' in page}
            assert rows == ({found} if found else set()), search


# OP-11
async def test_a_run_of_strange_words_is_stored_and_found(stage: Stage) -> None:
    strange = error(1, message="bad \0 byte half", code="X1")
    await reported_run(stage.store("tally"), SHA, 7, outcome(errors=(strange,), resolutions=()))
    async with stage.signed_in("maya") as maya:
        assert f"/{SHA}/" in (await maya.get("/runs", params={"q": "byte half"})).text


# OP-11
@pytest.mark.parametrize("why", [skips.DRAFT, skips.label("wip"), skips.NO_PULL])
async def test_the_page_of_a_stopped_run_says_why(stage: Stage, why: str) -> None:
    await stopped(stage, 9, why)
    async with stage.signed_in("maya") as maya:
        page = (await maya.get(f"/runs/corner-shop/tally/{9:040x}/1")).text
    text = re.sub(r"<[^>]+>", "", page)
    assert why.replace("`", "") in text


# OP-11
async def test_no_page_shows_our_own_names_of_states_or_backticks(stage: Stage, browser: Browser) -> None:
    await busy_weeks(stage, 8)
    one = (await stage.store("tally").proposals(71))[0]
    await stage.store("tally").update_proposal(one, {"status": "rolled-back"}, only=("offered",))
    context = await signed_in(browser, stage)
    raw = re.compile(
        r"`|rolled-back|cascade:|fixer:|agent:\w|autofix:|unfixable:|fix:\w|not-healed|could-not-look|gathering|given-up"
        r"|superseded|\bbaseline\b|\bmoderate\b(?! problem)|\bhealed\b"
    )
    for path in ("/", "/runs", "/fixes", "/flaky", f"/runs/corner-shop/tally/{SHA}/1", "/repositories", "/queue",
                 "/repositories/corner-shop/tally"):  # fmt: skip
        page = await opened(context, path)
        await page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        await page.evaluate("document.querySelectorAll('pre, code').forEach(one => one.remove())")  # what others wrote
        text = await page.locator("body").inner_text()
        labels = await page.evaluate("[...document.querySelectorAll('svg')].map(one => one.textContent).join(' ')")
        assert [(text + labels)[max(0, m.start() - 30) : m.end() + 30] for m in raw.finditer(text + labels)] == [], path
    await context.close()


# OP-11
async def test_times_are_those_of_the_readers_clock_and_say_how_long_ago(stage: Stage, browser: Browser) -> None:
    stage.clock.at -= 3 * 3600 + 60
    await reported_run(stage.store("tally"), SHA)
    stage.clock.at += 3 * 3600 + 60
    context = await signed_in(browser, stage, timezone_id="Asia/Tokyo", locale="en-GB")
    page = await opened(context, f"/runs/corner-shop/tally/{SHA}/1")
    exact, ago = page.locator("time[data-shown=moment]").first, page.locator("time[data-shown=ago]").first
    utc = await exact.get_attribute("datetime")
    shown = await page.evaluate(
        "at => new Intl.DateTimeFormat('en-GB', {day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit',"
        " timeZone: 'Asia/Tokyo'}).format(new Date(at))",
        utc,
    )
    await expect(exact).to_have_text(shown)
    await expect(ago).to_have_text("3 h ago")
    await context.close()
    plain = await signed_in(browser, stage, java_script_enabled=False)
    page = await opened(plain, f"/runs/corner-shop/tally/{SHA}/1")
    await expect(page.locator("time[data-shown=moment]").first).to_contain_text("UTC")
    await expect(page.locator("time[data-shown=ago]").first).to_have_text("3 h ago")
    await plain.close()


# OP-11
async def test_an_address_with_nothing_is_a_page_with_the_way_on(stage: Stage) -> None:
    html = {"Accept": "text/html,*/*;q=0.8"}
    async with stage.signed_in("maya") as maya, stage.stranger() as nobody:
        for path in ("/nosuch", "/runs/corner-shop/nosuch", "/repositories/other-firm/vault"):
            answer = await maya.get(path, headers=html)
            assert answer.status_code == 404, path
            assert '<nav aria-label="Heal">' in answer.text, path
            assert 'href="/repositories"' in answer.text, path
            assert "default-src 'none'" in answer.headers["content-security-policy"], path
        answer = await nobody.get("/nosuch", headers=html)
        assert (answer.status_code, "/sign-in" in answer.text, "<nav" in answer.text) == (404, True, False)
        assert (await nobody.get("/nosuch", headers={"Accept": "application/json"})).text == "Not Found"


# OP-11
async def test_a_refused_form_is_a_page_with_the_way_on(stage: Stage) -> None:
    async with stage.signed_in("maya") as maya:
        answer = await maya.post("/sign-out", data={"csrf": "wrong"})
        assert answer.status_code == 403
        assert '<nav aria-label="Heal">' in answer.text
        assert "You are not signed out" in answer.text
        assert (await maya.get("/")).status_code == 200
