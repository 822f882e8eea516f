"""Whatever is wrong with what Heal is given, there is one clear answer, nothing is lost, and nothing crashes."""

# ruff: noqa: E501  (pages have long lines)

import hashlib
import hmac
import json

import httpx
import pytest
from inline_snapshot import snapshot

from lab.localhub import apps, pulls
from tests.conversation.small_repo import CI, GREEN, ONE_SLIP, SLIPS, THREE_SLIPS
from tests.world import OpenWorld, World


async def post(w: World, body: bytes, event: str = "check_run", guid: str = "1-2-3", secret: str = "") -> str:
    """The endpoint's answer to a delivery."""
    signature = hmac.new((secret or w.app.webhook_secret).encode(), body, hashlib.sha256).hexdigest()
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": guid,
        "X-Hub-Signature-256": f"sha256={signature}",
    }
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
        answer = await client.post(w.app.webhook_url or "", content=body, headers=headers)
    return f"{answer.status_code} {answer.text.strip()}"


# IN-1 IN-2
async def test_bad_deliveries_are_refused_with_a_reason_and_leave_nothing(world: OpenWorld) -> None:
    async with world() as w:
        whole = json.dumps({"action": "completed", "installation": {"id": 1}}).encode()
        answers = {
            "wrong signature": await post(w, whole, secret="guessed"),
            "unknown event": await post(w, whole, event="sponsorship"),
            "trimmed payload": await post(w, whole),
            "not JSON": await post(w, b"{"),
            "no object": await post(w, b"[]"),
            "binary": await post(w, bytes(range(256))),
        }
        assert answers == snapshot(
            {
                "wrong signature": "401 The signature is missing or wrong: is the webhook secret the same on both sides?",
                "unknown event": "202 Nothing for Heal in this event; ignored.",
                "trimmed payload": "400 The payload can't be read: check_run: `repository` is missing",
                "not JSON": "400 The body is not JSON.",
                "no object": "400 The payload can't be read: check_run: the payload is not a JSON object",
                "binary": "400 The body is not JSON.",
            }
        )
        await w.heal()
        assert w.github.log == []


LOGS = {
    "undecodable: most of it is not UTF-8": bytes(range(256)) * 200,
    "empty": b"",
    "GitHub has no log for it": None,
    "truncated: the last line has no end": b"2026-11-21T00:00:00.0000000Z ##[group]Run ruff check .\nshop.p",
}


@pytest.mark.parametrize("output", list(LOGS))
# EX-5 EX-9
async def test_a_bad_log_is_said_to_be_so_and_what_can_be_seen_is_healed_all_the_same(
    world: OpenWorld, output: str
) -> None:
    async with world() as w:
        pr = await w.pull(ONE_SLIP)
        await w.ci_says(pr, LOGS[output], step="Ruff")
        await w.heal()
        assert [offer.place for offer in pr.standing()] == ["shop.py:11"]
        assert pr.verdict() == "Heal: neutral, 1 error has a tested fix"
        assert output in pr.summary()
        assert len(pr.comments()) == len(pr.reviews()) == 1


# EX-9 CK-1 GH-4
async def test_a_repository_without_workflow_and_tests_gets_an_honest_answer_and_no_comment(world: OpenWorld) -> None:
    async with world({"shop.py": "x = 1\n"}) as w:
        pr = await w.pull({"shop.py": "x = y\n"})
        await w.ci_says(pr, b"shop.py:1:5: F821 Undefined name `y`\n")
        await w.heal()
        assert pr.verdict() == snapshot("Heal: neutral, Couldn't check this failure")
        assert pr.summary() == snapshot("""\
Heal didn't look for a fix. See below for the reason and what you can do.

| Error | Where | Result |
|---|---|---|
| `ruff F821`: Undefined name `y` | `shop.py:1` | needs you: `Uc6fa431` |

**Needs you:**

- `Uc6fa431` `ruff F821`: Undefined name `y` at `shop.py:1`: no known command reproduces it. *Tried:* nothing yet. *What you can do:* Name the command in .github/heal.yml, or run it yourself: heal check --run COMMAND.

**Couldn't check:**

- checks: .github/workflows/ci.yml is not in the tree that CI built. *What you can do:* Name the command in .github/heal.yml (checks:): `heal config check` says which line, and tries it.

**Cost:** $0.00, no AI used. Took a while.

<sub>Run `…` · `/heal help` lists the commands</sub>\
""")
        assert pr.comments() == pr.reviews() == []


# CK-1
async def test_an_unknown_action_is_named_and_the_checks_run_without_it(world: OpenWorld) -> None:
    ci = CI.replace("      - name: Ruff", "      - uses: acme/mystery@v3\n      - name: Ruff")
    async with world({**GREEN, ".github/workflows/ci.yml": ci}) as w:
        pr = await w.healed(ONE_SLIP)
        assert pr.verdict() == snapshot("Heal: neutral, 1 error has a tested fix")
        assert "action acme/mystery" in pr.summary()
        assert (len(pr.comments()), len(pr.reviews()), len(pr.standing())) == (1, 1, 1)


FLAKY = """\
=================================== FAILURES ===================================
__________________________________ test_total __________________________________

    def test_total():
>       assert total([1, 2]) == 3
E       assert 4 == 3

test_shop.py:5: AssertionError
=========================== short test summary info ============================
FAILED test_shop.py::test_total - assert 4 == 3
1 failed in 0.01s
"""


# CK-4 IN-6
async def test_a_failure_that_cannot_be_seen_again_is_flaky_and_nothing_is_offered(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.pull({"shop.py": GREEN["shop.py"] + "\n\nVAT = 20\n"})
        await w.ci_says(pr, FLAKY)
        await w.heal()
        assert pr.verdict() == snapshot("Heal: neutral, Flaky: 1 error did not recur")
        assert pr.summary() == snapshot("""\
When Heal ran the same code again, it passed. Re-run the failed job. If it fails often, fix the test.

**A re-run may help:** re-run the failed jobs in CI.

<sub>Heal can show a button for it here once your Heal admin gives Heal's GitHub App the permission *Actions: write* and an owner of the account or organization accepts it.</sub>

| Error | Where | Result |
|---|---|---|
| `pytest AssertionError`: assert 4 == 3 | `test_shop.py:5` | flaky: passed on re-run |

**Cost:** $0.00, no AI used. Took a while.

<sub>Run `…` · `/heal help` lists the commands</sub>\
""")
        assert pr.comments() == pr.reviews() == []


# EX-9 UX-3
async def test_a_failure_without_any_error_that_passes_here_is_reported_as_such(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.pull({"shop.py": GREEN["shop.py"] + "\n\nVAT = 20\n"})
        await w.ci_says(pr, "Nothing to see here.\n")
        await w.heal()
        assert pr.summary() == snapshot("""\
Heal didn't look for a fix. See below for the reason and what you can do.

**A re-run may help:** re-run the failed jobs in CI.

<sub>Heal can show a button for it here once your Heal admin gives Heal's GitHub App the permission *Actions: write* and an owner of the account or organization accepts it.</sub>

**Couldn't check:**

- what failed in CI: it passes here on the tree that CI built, and CI's log shows no error that could be looked for. *What you can do:* Re-run the failed job; if it comes back, the test needs a look of its own.

**Cost:** $0.00, no AI used. Took a while.

<sub>Run `…` · `/heal help` lists the commands</sub>\
""")
        assert pr.comments() == pr.reviews() == []


# IN-6
async def test_a_lost_runner_is_infrastructure_and_nothing_is_spent(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.pull({"shop.py": GREEN["shop.py"] + "\n\nVAT = 20\n"})
        await w.ci_says(
            pr, b"##[error]The runner has received a shutdown signal.\n##[error]The operation was canceled.\n"
        )
        await w.heal()
        assert pr.verdict() == snapshot("Heal: neutral, Couldn't check this failure")
        assert pr.summary() == snapshot("""\
Heal didn't look for a fix. See below for the reason and what you can do.

**A re-run may help:** re-run the failed jobs in CI.

<sub>Heal can show a button for it here once your Heal admin gives Heal's GitHub App the permission *Actions: write* and an owner of the account or organization accepts it.</sub>

| Error | Where | Result |
|---|---|---|
| `annotation`: The runner has received a shutdown signal. | no file | needs you: `U14b17cf` |
| `annotation`: The operation was canceled. | no file | needs you: `U14b17cf` |

**Needs you:**

- `U14b17cf` `annotation`: The runner has received a shutdown signal. at no file (and 1 more error): the runner was lost. *Tried:* nothing yet. *What you can do:* Re-run the failed job; nothing in the code has to change.

**Couldn't check:**

- checks: the runner was lost: The runner has received a shutdown signal. *What you can do:* Re-run the failed job; nothing in the code has to change.

**Cost:** $0.00, no AI used. Took a while.

<sub>Run `…` · `/heal help` lists the commands</sub>\
""")
        assert pr.comments() == pr.reviews() == []


# GH-5 IN-3
async def test_a_pull_request_closed_while_healing_gets_no_word_but_on_the_check_run(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.pull(THREE_SLIPS)
        await w.ci()
        w.when("PATCH", r"/check-runs/\d+$", lambda: pulls.close_pull(w.hub, "noor", pr.pull))
        await w.heal()
        assert pr.verdict() == snapshot("Heal: neutral, Stopped")
        assert pr.summary() == snapshot("Stopped: the pull request was closed during the run.")
        assert pr.comments() == pr.reviews() == []
        assert [run.state for run in await pr.runs()] == ["stopped"]


# OP-9 GH-7
async def test_an_app_uninstalled_while_healing_ends_quietly_and_forgets(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.pull(THREE_SLIPS)
        await w.ci()
        w.when("PATCH", r"/check-runs/\d+$", lambda: apps.uninstall(w.hub, w.installation))
        await w.heal()
        assert pr.comments() == pr.reviews() == []
        assert await pr.runs() == []
        assert await pr.stored() == ()
        w.expected.append("check run Heal is in_progress")  # Heal may not even end it any more


# GH-10 IN-4
async def test_a_draft_is_left_alone_with_one_line_until_it_is_ready(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(ONE_SLIP, draft=True)
        assert pr.verdict() == snapshot("Heal: neutral, Nothing done")
        assert pr.summary() == snapshot("Skipped: this pull request is a draft. Mark it ready, or comment `/heal`.")
        assert pr.comments() == []
        pulls.set_draft(w.hub, w.hub.person("noor"), pr.pull, False)
        await w.heal()
        assert pr.verdict() == snapshot("Heal: neutral, 1 error has a tested fix")
        assert (len(pr.comments()), len(pr.reviews()), len(pr.standing())) == (1, 1, 1)


# GH-10 IN-4
async def test_skip_heal_in_the_message_is_obeyed_and_a_person_may_lift_it(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(ONE_SLIP, message="Try something [skip heal]")
        assert pr.summary() == snapshot(
            "Skipped: the commit message contains `[skip heal]`. Comment `/heal` to run anyway."
        )
        assert await pr.says("maya", "/heal") == snapshot(
            "Started a run on `head1`. The check run “Heal” shows its progress."
        )
        assert (len(pr.comments()), len(pr.reviews()), len(pr.standing())) == (2, 1, 1)


# IN-4
async def test_heals_own_commits_are_healed_once_and_then_no_more(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        first, second, _ = pr.standing()
        assert await pr.says("maya", f"/heal apply {first.id}")
        await w.ci()
        await w.heal()
        assert pr.verdict() == snapshot("Heal: neutral, All 2 errors have a tested fix")
        assert await pr.says("maya", f"/heal apply {second.id}")
        await w.ci()
        await w.heal()
        assert pr.verdict() == snapshot("Heal: neutral, Nothing done")
        assert pr.summary() == snapshot(
            "Skipped: Heal made this commit and has reached its limit of runs on its own commits (`generations` in `.github/heal.yml`). Comment `/heal` to run anyway."
        )
        assert (len(pr.comments()), len(pr.reviews()), pr.suggested()) == (3, 1, 3)


# IN-4
async def test_green_ci_makes_heal_say_nothing(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(
            {"shop.py": SLIPS.replace("pirce", "price").replace("szie", "size").replace("nmae", "name")}
        )
        assert pr.red() == []
        assert pr.verdict() == "none"
        assert pr.comments() == pr.reviews() == []
