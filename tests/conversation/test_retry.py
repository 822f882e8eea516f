"""Trying again: at what is named, with a hint, and without paying twice."""

# ruff: noqa: E501  (pages have long lines)

from contextlib import AbstractAsyncContextManager

from inline_snapshot import snapshot
from pydantic import SecretStr

from lab.localhub.state import Delivery
from tests.conversation.small_repo import SHOP, THREE_SLIPS
from tests.model_standin import server
from tests.model_standin.brains import oracle
from tests.world import OpenWorld, World

WRONG = {"shop.py": SHOP.replace("return sum(prices)", "return max(prices)")}
RIGHT = ("return max(prices)", "return sum(prices)")


def with_model(world: OpenWorld, standin: server.Standin, key: str = "") -> AbstractAsyncContextManager[World]:
    return world(anthropic_api_key=SecretStr(key or standin.key), anthropic_base_url=standin.url)


# SC-1 AG-4
async def test_retry_of_a_report_steers_the_agent_to_it_with_the_hint(world: OpenWorld) -> None:
    async with server.serve(oracle({})) as standin, with_model(world, standin) as w:
        pr = await w.healed(WRONG)
        (run,) = await pr.runs()
        assert run.outcome is not None
        (report,) = run.outcome.unfixables
        (error,) = run.outcome.errors
        asked = len(standin.asked)
        assert await pr.says("maya", f"/heal retry {report.id[:8]} how: the sum, not the largest") == snapshot(
            "Started a run on `head1` for `U07cbbdc`. Your hint: the sum, not the largest. The check run “Heal” shows its progress."
        )
        assert len(standin.asked) > asked
        assert "This is about test_shop.py:5" in str(standin.asked[-1])
        assert "the sum, not the largest" in str(standin.asked[-1])
        assert f"on `head1` for `{error.id[:8]}`" in (await pr.says("maya", f"/heal retry {error.id} again") or "")
        assert await pr.says("maya", "/heal retry 0123456789ab what is it") == snapshot(
            "No fix or error has the id `0123456789ab`. `/heal list` and `/heal unfixable` show the ids. If "
            "that was a hint, write `/heal retry how: …`."
        )
        assert (await pr.says("maya", "/heal retry facade is the word") or "").startswith("Started a run")
        assert pr.offers() == pr.reviews() == []
        assert [run.attempt for run in await pr.runs()] == [1, 2, 3, 4]
        assert pr.summary().count("1 error, 0 fixes; no tested fix") == 4


# SC-1
async def test_retry_of_a_fix_that_stands_says_what_is_in_the_way(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        first, second, _ = pr.standing()
        assert await pr.says("maya", f"/heal retry {first.id} use a constant") == snapshot(
            "Nothing was started: `a93ebe6b` is still open. For another fix, first `/heal reject a93ebe6b` "
            "with the reason, then `/heal retry how: …`."
        )
        assert "is still open" in (await pr.says("maya", "/heal retry use a constant", under=second) or "")
        await pr.accepts("maya", first)
        assert "is on the branch. Revert it first" in (await pr.says("maya", f"/heal retry {first.id}") or "")
        assert [run.attempt for run in await pr.runs()] == [1]
        assert (len(pr.comments()), len(pr.reviews()), len(pr.replies())) == (3, 1, 1)
        assert pr.offers()


# IN-7 LM-6 GH-3
async def test_the_same_failure_is_never_paid_twice_on_retry_and_both_looks_are_reported(world: OpenWorld) -> None:
    async with server.serve(oracle({"shop.py": RIGHT}, careful=True)) as standin, with_model(world, standin) as w:
        pr = await w.healed(WRONG)
        asked = len(standin.asked)
        assert asked
        await pr.says("maya", "/heal retry")
        assert len(standin.asked) == asked
        assert [run.state for run in await pr.runs()] == ["done", "done"]
        assert pr.verdict() == snapshot("Heal: neutral, 1 error has a tested fix")
        assert "Heal ran twice on this commit" in pr.summary()
        assert (len(pr.reviews()), pr.suggested(), len(pr.comments())) == (1, 1, 2)


# IN-3
async def test_a_workflow_run_that_comes_late_and_tells_nothing_new_opens_no_attempt(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.pull(THREE_SLIPS)
        late: list[Delivery] = []

        def in_time(held: list[Delivery]) -> list[Delivery]:
            late.extend(one for one in held if one.event == "workflow_run")
            return [one for one in held if one not in late]

        w.github.webhooks.pause()
        await w.ci()
        w.github.webhooks.resume(in_time)
        await w.heal()
        before = pr.summary()
        for one in late:
            w.github.webhooks.redeliver(one)
        await w.heal()
        assert late
        assert [(run.attempt, run.state) for run in await pr.runs()] == [(1, "done")]
        assert pr.summary() == before
        assert (len(pr.comments()), len(pr.reviews()), pr.suggested()) == (1, 1, 3)


# IN-3
async def test_a_job_that_comes_after_its_workflow_run_opens_no_attempt(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.pull(THREE_SLIPS)
        late: list[Delivery] = []

        def in_time(held: list[Delivery]) -> list[Delivery]:
            late.extend(one for one in held if one.event == "check_run")
            return [one for one in held if one not in late]

        w.github.webhooks.pause()
        await w.ci()
        w.github.webhooks.resume(in_time)
        await w.heal()
        for one in late:
            w.github.webhooks.redeliver(one)
        await w.heal()
        assert [(run.attempt, run.state) for run in await pr.runs()] == [(1, "done")]
        assert (len(pr.comments()), len(pr.reviews()), pr.suggested()) == (1, 1, 3)


# LM-5 AG-4
async def test_a_refused_key_is_told_in_people_s_words(world: OpenWorld) -> None:
    async with server.serve(oracle({})) as standin:
        standin.key = "another"
        async with with_model(world, standin, key="sk-ant-standin") as w:
            pr = await w.healed(WRONG)
            output = await pr.says("maya", "/heal unfixable") or ""
            assert output == snapshot("""\
**Needs you:**

- `Uc548dcc` `pytest AssertionError`: assert 2 == 3 at `test_shop.py:5`: the model's provider rejects the API key. *Tried:* 0 model calls, 0 refused submissions. *What you can do:* Ask your Heal admin to set a valid one, then `/heal retry`.

`/heal retry how: …` tries again with your hint.\
""")
            assert "rejects the API key" in pr.summary()
            assert "authentication_error" not in "".join(pr.everything())
