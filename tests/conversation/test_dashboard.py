"""Each button of the dashboard, and what then stands on GitHub's page."""

# ruff: noqa: E501  (pages have long lines)

import asyncio

from inline_snapshot import snapshot

from tests.conversation.at_dashboard import at_dashboard
from tests.conversation.page import Page
from tests.conversation.small_repo import ON_PUSH, ONE_SLIP, THREE_SLIPS
from tests.world import OpenWorld, World


def run_page(w: World, pr: Page, attempt: int = 1) -> str:
    return f"/runs/{w.repo.full_name}/{pr.head}/{attempt}"


# OP-11 SC-4
async def test_apply_and_reject_on_the_dashboard_are_done_and_answered_on_the_pull_request(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        price, size, name = pr.standing()
        async with at_dashboard(w, "maya") as maya:
            page = run_page(w, pr)
            assert await maya.buttons(page) == ["retry", *["reject", "apply"] * 3]
            await maya.press(page, "reject", size.id, "boxes are counted <b>elsewhere</b>")
            await maya.press(page, "apply", price.id)
            await w.heal()
            assert pr.comments()[1:] == snapshot(
                [
                    """\
`maya` on Heal's dashboard: `/heal reject 883915f4c279 why: boxes are counted <b>elsewhere</b>`

Rejected `883915f4`; it won't be offered on this pull request again. Reason: boxes are counted &lt;b&gt;elsewhere&lt;/b&gt;.\
""",
                    """\
`maya` on Heal's dashboard: `/heal apply a93ebe6b8bfc`

- `a93ebe6b` was tested again and committed as `head2`.

`/heal rollback <id>` reverts one.\
""",
                ]
            )
            assert await pr.fixes() == snapshot(
                {
                    "Write `price` for `pirce`": "applied",
                    "Write `size` for `szie`": "rejected",
                    "Write `name` for `nmae`": "offered",
                }
            )
            info = w.hub.bare(w.repo).info(pr.head)
            assert "Co-authored-by: maya <" in info.message
            assert await maya.buttons("/fixes") == ["reject", "apply"]
            action = f"/ask/fixes/{w.repo.full_name}/{pr.number}"
            await maya.send(action, "/fixes", {"do": "apply", "fix": name.id})
            await w.heal()
            assert set((await pr.fixes()).values()) == {"applied", "rejected"}
            assert len(pr.comments()) == 4
            assert await maya.buttons("/fixes") == []
        assert (len(pr.reviews()), pr.suggested()) == (1, 3)


# OP-11 SC-1
async def test_run_again_on_the_dashboard_opens_the_next_attempt_with_the_hint(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        async with at_dashboard(w, "noor") as noor:
            await noor.press(run_page(w, pr), "retry", why="keep the old names")
            await w.heal()
            assert pr.comments()[1:] == snapshot(
                [
                    """\
`noor` on Heal's dashboard: `/heal retry how: keep the old names`

Started a run on `head1`. Your hint: keep the old names. The check run “Heal” shows its progress.\
"""
                ]
            )
            assert [(run.attempt, run.state) for run in await pr.runs()] == [(1, "done"), (2, "done")]
            (asked, *_) = await w.store.failures(pr.head, 2)
            assert (asked["by"], asked["where"], asked["how"]) == ("noor", "dashboard", "keep the old names")
            text = (await noor.client.get(run_page(w, pr, 2))).text
            assert "noor asked for this run on the dashboard." in text
        assert (len(pr.reviews()), pr.suggested()) == (1, 3)


# OP-11 SC-1
async def test_cancel_on_the_dashboard_ends_the_run_at_work_and_the_check_run_has_what_it_found(
    world: OpenWorld,
) -> None:
    async with world() as w:
        pr = await w.pull(THREE_SLIPS)
        await w.ci()
        async with at_dashboard(w, "maya") as maya:

            async def cancel() -> None:
                await maya.press(run_page(w, pr), "cancel")
                await maya.heard()

            pressed: list[asyncio.Task[None]] = []

            async def while_fixing() -> None:
                """The answer is posted when this request is over: writes go one after the other."""
                pressed.append(asyncio.create_task(cancel()))
                while await w.store.cancelled(pr.head, 1) is None:  # noqa: ASYNC110 -- nothing tells of it
                    await asyncio.sleep(0.01)

            w.github.faults.after("PATCH", "/check-runs/", while_fixing, contains="trying rule-based fixes")
            await w.heal()
            await asyncio.gather(*pressed)
            assert len(pressed) == 1
            assert await maya.buttons(run_page(w, pr)) == ["retry", *["reject", "apply"] * 3]
            assert pr.verdict() == "Heal: neutral, Cancelled"
            assert pr.summary() == snapshot("""\
Stopped: `maya` cancelled this run on the dashboard. Comment `/heal retry` to run again.

---

**Found before it stopped:**

**All 3 errors have a tested fix.** Nothing was posted; `/heal apply <id>` commits a fix below.

| Fix | Change | Confidence | Cost | Offered as |
|---|---|---|---|---|
| `a93ebe6b` | Write `price` for `pirce` | 75 of 100 | free | not offered |
| `883915f4` | Write `size` for `szie` | 75 of 100 | free | not offered |
| `b61a1aff` | Write `name` for `nmae` | 75 of 100 | free | not offered |

| Error | Where | Result |
|---|---|---|
| `ruff F821`: Undefined name `pirce` | `shop.py:11` | fixed by the rule `misspelt_name` |
| `ruff F821`: Undefined name `szie` | `shop.py:16` | fixed by the rule `misspelt_name` |
| `ruff F821`: Undefined name `nmae` | `shop.py:21` | fixed by the rule `misspelt_name` |

**Cost:** $0.00, no AI used. Took a while.

<sub>Run `…` · `/heal help` lists the commands</sub>\
""")
            assert pr.comments() == snapshot(
                [
                    """\
`maya` on Heal's dashboard: `/heal cancel`

Cancelling the run on `head1`: it ends after the current step. The check run “Heal” will show what it found. A check that fails later starts a new run; `/heal retry` does too.\
"""
                ]
            )
            assert set((await pr.fixes()).values()) == {"pending"}
            assert (pr.offers(), pr.reviews()) == ([], [])
            assert [(run.state, run.reason) for run in await pr.runs()] == snapshot(
                [("stopped", "`maya` cancelled this run on the dashboard. Comment `/heal retry` to run again.")]
            )


# OP-11 SC-3
async def test_who_may_only_read_on_github_sees_no_button_and_is_refused_on_the_page(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        page, first = run_page(w, pr), pr.standing()[0]
        async with at_dashboard(w, "sam") as sam:
            assert await sam.buttons(page) == []
            assert (await sam.send(f"/ask{page}", page, {"do": "apply", "fix": first.id})).status_code == 303
            await w.heal()
            assert pr.comments()[1:] == snapshot(
                [
                    """\
`sam` on Heal's dashboard: `/heal apply a93ebe6b8bfc`

`/heal apply` needs write access to this repository, which `sam` doesn't have. Nothing was changed. Ask somebody with write access; `/heal list`, `/heal show`, `/heal unfixable`, `/heal status` and `/heal help` work for everybody.\
"""
                ]
            )
        assert set((await pr.fixes()).values()) == {"offered"}
        assert (len(pr.reviews()), pr.suggested()) == (1, 3)


# OP-11 SC-3
async def test_who_lost_write_access_since_the_page_was_made_is_refused(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        async with at_dashboard(w, "noor") as noor:
            await noor.press(run_page(w, pr), "apply", pr.standing()[0].id)
            w.repo.collaborators["noor"] = "read"
            await w.heal()
            assert "needs write access to this repository, which `noor` doesn't have" in pr.comments()[1]
        assert set((await pr.fixes()).values()) == {"offered"}
        assert (len(pr.reviews()), pr.suggested()) == (1, 3)


# OP-11 SC-3
async def test_a_red_default_branch_is_healed_again_on_the_dashboard_by_whoever_may_push(world: OpenWorld) -> None:
    async with world(ON_PUSH) as w:
        sha = await w.commit_to_main(ONE_SLIP)
        await w.ci()
        await w.heal()
        page = f"/runs/{w.repo.full_name}/{sha}/1"
        async with at_dashboard(w, "sam") as sam, at_dashboard(w, "maya") as maya:
            assert await sam.buttons(page) == []
            assert (await sam.send(f"/ask{page}", page, {"do": "retry"})).status_code == 303
            await w.heal()
            assert await w.store.run(sha, 2) is None
            assert await maya.buttons(page) == ["retry"], "its fix is accepted or closed as the pull request that it is"
            await maya.press(page, "retry", why="keep the old names")
            await w.heal()
            again = await w.store.run(sha, 2)
            assert again is not None
            assert (again.state, again.branch) == ("done", "main")
            (asked, *_) = await w.store.failures(sha, 2)
            assert (asked["by"], asked["where"], asked["how"]) == ("maya", "dashboard", "keep the old names")
            assert await maya.buttons(page) == []
            assert await maya.buttons(f"{page[:-1]}2") == ["retry"]
            assert "maya asked for this run on the dashboard." in (await maya.client.get(f"{page[:-1]}2")).text
        assert w.page(1).pull.base_ref == "main", "one pull request with the fix, as before"
        assert w.page(1).pull.state == "open"
