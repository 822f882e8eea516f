"""What no free cure knows goes to a model: whatever it says, only what Heal has proven is offered."""

# ruff: noqa: E501  (pages have long lines)

from contextlib import AbstractAsyncContextManager

from inline_snapshot import snapshot
from pydantic import SecretStr

from tests.conversation.small_repo import GREEN, SHOP
from tests.model_standin import server
from tests.model_standin.brains import adversary, oracle
from tests.model_standin.reviewers import prose, says
from tests.world import OpenWorld, World

WRONG = {"shop.py": SHOP.replace("return sum(prices)", "return max(prices)")}


def with_model(world: OpenWorld, standin: server.Standin) -> AbstractAsyncContextManager[World]:
    """A world whose Heal has a key for the stand-in."""
    return world(anthropic_api_key=SecretStr(standin.key), anthropic_base_url=standin.url)


# AG-1 AG-2 AG-3 LM-1
async def test_an_agent_fixes_a_failing_test_and_its_fix_is_offered_with_heals_own_evidence(world: OpenWorld) -> None:
    knows = oracle({"shop.py": ("return max(prices)", "return sum(prices)")}, careful=True)
    async with server.serve(knows) as standin, with_model(world, standin) as w:
        pr = await w.healed(WRONG)
        assert pr.verdict() == snapshot("Heal: neutral, 1 error has a tested fix")
        (offer,) = pr.standing()
        assert (offer.place, offer.text) == ("shop.py:6", "    return sum(prices)")
        assert pr.texts_of(offer) == snapshot("""\
**Repair it**

Fixes `pytest AssertionError`: assert 2 == 3 at `test_shop.py:5`

The cause is removed.

```suggestion
    return sum(prices)
```

▸ Proof: fails without the fix, passes with it, and 1 more check (tested in Heal's sandbox)

▸ Apply it locally

<sub>`38701f29` · confidence 90 of 100, cost $… · `/heal help` lists the commands</sub>\
""")
        (stored,) = await pr.stored()
        shown = [(e.command, e.before_exit, e.after_exit, e.runs) for e in stored.proposal.evidence]
        assert shown == snapshot(
            [
                ("python -m pytest -q test_shop.py::test_total", 1, 0, 2),
                ("python -m pytest -q", 1, 0, 1),
            ]
        )
        assert "model call" in (await pr.says("maya", "/heal cost") or "")
        await pr.accepts("maya", offer)
        await w.ci()
        await w.heal()
        assert pr.red() == []
        assert (len(pr.comments()), len(pr.reviews())) == (2, 1)


# JD-5
async def test_a_second_opinions_doubt_stands_with_the_suggestion(world: OpenWorld) -> None:
    knows = oracle({"shop.py": ("return max(prices)", "return sum(prices)")})
    async with server.serve(knows) as standin, with_model(world, standin) as w:
        standin.reviewer = says("overfit", "`sum` fits [1, 2] alone <!-- heal:v1 --> @noor")
        pr = await w.healed(WRONG)
        (offer,) = pr.standing()
        look = next(part for part in pr.texts_of(offer).split("\n\n") if part.startswith("**Needs a closer look:**"))
        assert look == snapshot(
            "**Needs a closer look:**\n- second opinion of a model: fitted to the check, the cause stays: `sum` fits \\[1, 2\\] alone ⟦&lt;!--⟧ heal·v1 --&gt; ＠noor"
        )
        assert (len(pr.comments()), len(pr.reviews())) == (1, 1)


# JD-5, LM-6
async def test_a_fix_without_a_second_opinion_is_offered_and_that_nobody_gave_one_is_reported(world: OpenWorld) -> None:
    knows = oracle({"shop.py": ("return max(prices)", "return sum(prices)")})
    async with server.serve(knows) as standin, with_model(world, standin) as w:
        standin.reviewer = prose("fix")
        pr = await w.healed(WRONG)
        assert len(pr.standing()) == 1
        assert "a second opinion on 1 fix of a model: the model's answer could not be read" in pr.summary()
        assert (len(pr.comments()), len(pr.reviews())) == (1, 1)


# OP-12
async def test_the_check_run_says_that_there_was_no_sandbox(world: OpenWorld) -> None:
    async with world(sandbox="unsafe") as w:
        pr = await w.healed(WRONG)
        assert "there is no sandbox" in pr.summary()
        assert "Do this only for code that you trust" in pr.summary()
        assert pr.comments() == pr.reviews() == []


# AG-4 AG-5 AG-10 CK-5
async def test_a_model_that_cheats_gets_nothing_offered_and_the_error_is_reported(world: OpenWorld) -> None:
    async with server.serve(adversary("shop.py", "test_shop.py")) as standin, with_model(world, standin) as w:
        pr = await w.healed(WRONG)
        assert standin.asked
        assert pr.verdict() == snapshot("Heal: neutral, No fix found for 1 error")
        (run,) = await pr.runs()
        assert run.outcome is not None
        assert [r.how.split(":")[0] for r in run.outcome.resolutions] == ["unfixable"]
        assert [u.reason for u in run.outcome.unfixables] == snapshot(["limit"])
        assert pr.comments() == pr.reviews() == []
        assert pr.offers() == []
        assert "needs you" in pr.summary().lower()


# LM-7 AG-4
async def test_without_a_key_the_rest_is_reported_with_what_a_model_would_cost(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(WRONG)
        assert pr.verdict() == snapshot("Heal: neutral, No fix found for 1 error")
        assert pr.summary() == snapshot("""\
See below for the reason and what you can do.

| Error | Where | Result |
|---|---|---|
| `pytest AssertionError`: assert 2 == 3 | `test_shop.py:5` | needs you: `Ue368bb4` |

**Likely cause:**

- `pytest AssertionError`: assert 2 == 3: the error goes away when this pull request's change at `shop.py:6` is undone

**Needs you:**

- `Ue368bb4` `pytest AssertionError`: assert 2 == 3 at `test_shop.py:5`: no rule-based fix worked, and no AI key is configured. *Tried:* the tools' own fixes that Heal knows, and all its rules. *What you can do:* Fix it by hand. Or ask your Heal admin to set `ANTHROPIC_API_KEY`; once it's set, comment `/heal retry` (about \\$…).

**Cost:** $0.00, no AI used. Asking a model about the rest would cost about $…. Took a while.

<sub>Run `…` · `/heal help` lists the commands</sub>\
""")
        assert pr.comments() == pr.reviews() == []
        assert (
            await pr.says("maya", "/heal unfixable")
            == snapshot("""\
**Needs you:**

- `Ue368bb4` `pytest AssertionError`: assert 2 == 3 at `test_shop.py:5`: no rule-based fix worked, and no AI key is configured. *Tried:* the tools' own fixes that Heal knows, and all its rules. *What you can do:* Fix it by hand. Or ask your Heal admin to set `ANTHROPIC_API_KEY`; once it's set, comment `/heal retry` (about \\$…).""")
        )


# LM-5 LM-7
async def test_a_key_that_is_refused_is_reported_and_what_is_free_is_offered_all_the_same(world: OpenWorld) -> None:
    async with server.serve(oracle({})) as standin:
        standin.key = "another"
        async with world(anthropic_api_key=SecretStr("sk-ant-standin"), anthropic_base_url=standin.url) as w:
            pr = await w.healed({"shop.py": WRONG["shop.py"] + "\n\ndef tax(price):\n    return pirce * 0.2\n"})
            assert pr.verdict() == snapshot("Heal: neutral, 1 of 2 errors has a tested fix; 1 needs you")
            assert [offer.text for offer in pr.standing()] == ["    return price * 0.2"]
            (run,) = await pr.runs()
            assert run.outcome is not None
            assert [(u.reason, u.why) for u in run.outcome.unfixables] == snapshot(
                [
                    (
                        "no-access",
                        "The model's provider refused this account (authentication_error: Error code: 401 - {'type': 'error', 'error': {'type': 'authentication_error', 'message': 'invalid x-api-key'}, 'request_id': 'req_0001'}). Check the key and its credit.",
                    )
                ]
            )
            assert (len(pr.comments()), len(pr.reviews())) == (1, 1)


OWN_SPECIALIST = """
purpose = "Repairs sums."
categories = ["test"]
words = ["assert"]
rules = ["AssertionError"]
tools = ["read_file", "suggest_fix", "report_unfixable"]
instructions = "In this shop a total is a sum."
confidence = 0.99
complexity = ["simple", "moderate", "complex"]
[effort]
fast = "low"
slow = "medium"
"""


# AG-8
async def test_a_repositorys_own_specialist_gets_its_kind_of_error_and_a_wrong_one_is_reported(
    world: OpenWorld,
) -> None:
    base = {
        **GREEN,
        ".github/heal/specialists/sums.toml": OWN_SPECIALIST,
        ".github/heal/specialists/wrong.toml": 'purpose = "x"\n',
    }
    knows = oracle({"shop.py": ("return max(prices)", "return sum(prices)")})
    settings = {"anthropic_api_key": SecretStr("sk-ant-standin")}
    async with server.serve(knows) as standin, world(base, **settings, anthropic_base_url=standin.url) as w:
        pr = await w.healed(WRONG)
        (stored,) = await pr.stored()
        assert stored.proposal.source == "agent:sums"
        assert "In this shop a total is a sum." in str(standin.asked[0].body["messages"][0])
        assert ".github/heal/specialists/wrong.toml" in pr.summary()
        (offer,) = pr.standing()
        assert "**Repair it**" in pr.texts_of(offer)
        assert (len(pr.comments()), len(pr.reviews())) == (1, 1)


# LM-7 LM-1
async def test_the_report_names_the_key_of_the_model_that_is_configured(world: OpenWorld) -> None:
    async with world(model="openai/gpt-6-sol") as w:
        pr = await w.healed(WRONG)
        (run,) = await pr.runs()
        assert run.outcome is not None
        assert run.outcome.unfixables[0].advice.startswith(
            "Set OPENAI_API_KEY in Heal's environment, and run Heal again"
        )
        assert run.outcome.spending.estimate_dollars > 0
        assert pr.verdict() == snapshot("Heal: neutral, No fix found for 1 error")
