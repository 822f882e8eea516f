"""A pull request gets a label, becomes a draft or gets another base while Heal works on it, or after that."""

# ruff: noqa: E501  (pages have long lines)

from collections.abc import Callable
from typing import Any

import pytest
from inline_snapshot import snapshot

from lab.localhub import pulls, pushes
from tests.conversation.page import Page
from tests.conversation.small_repo import GREEN, ONE_SLIP, SETTINGS, THREE_SLIPS
from tests.world import OpenWorld, World

LABELS = {**GREEN, ".github/heal.yml": "skip:\n  labels: [no-heal]\n"}
MILD = {"pyproject.toml": SETTINGS.replace("[tool.ruff]", '[tool.ruff]\nlint.ignore = ["F821"]')}


def labels(w: World, pr: Page, name: str) -> None:
    pulls.add_labels(w.hub, w.hub.person("maya"), pr.pull, [name])


def drafts(w: World, pr: Page) -> None:
    pulls.set_draft(w.hub, w.hub.person("noor"), pr.pull, True)


async def red(w: World, files: dict[str, str] = ONE_SLIP) -> Page:
    pr = await w.pull(files)
    await w.ci()
    return pr


def meanwhile(w: World, happens: Callable[[], Any]) -> None:
    """When Heal's check run first says what it does."""
    w.when("PATCH", r"/check-runs/\d+$", happens)


def branch(w: World, name: str, files: dict[str, str]) -> None:
    """Another branch that pull requests may be for."""
    pushes.commit(w.hub, "maya", w.repo, name, files, "Another line")


# IN-4 GH-10
async def test_a_skip_label_put_on_while_heal_works_keeps_it_from_posting_until_it_is_taken_off(
    world: OpenWorld,
) -> None:
    async with world(LABELS) as w:
        pr = await red(w)
        meanwhile(w, lambda: labels(w, pr, "no-heal"))
        await w.heal()
        assert (pr.comments(), pr.reviews()) == ([], [])
        assert pr.verdict() == snapshot("Heal: neutral, Cancelled")
        assert pr.summary().split("\n")[0] == snapshot(
            "Stopped: this pull request has the label `no-heal`, which is listed under `skip` in `.github/heal.yml`. Remove the label, or comment `/heal`."
        )
        pulls.remove_label(w.hub, w.hub.person("maya"), pr.pull, "no-heal")
        await w.heal()
        assert (pr.verdict(), len(pr.standing())) == snapshot(("Heal: neutral, 1 error has a tested fix", 1))
        assert (len(pr.comments()), len(pr.reviews())) == (1, 1)


# IN-4
async def test_any_other_label_and_one_on_a_run_that_a_person_asked_for_change_nothing(world: OpenWorld) -> None:
    async with world(LABELS) as w:
        pr = await red(w)
        meanwhile(w, lambda: labels(w, pr, "needs-docs"))
        await w.heal()
        assert len(pr.standing()) == 1
        asked = await w.pull(THREE_SLIPS, branch="asked")
        labels(w, asked, "no-heal")
        await w.ci()
        await w.heal()
        assert asked.standing() == []
        meanwhile(w, lambda: drafts(w, asked))
        assert await asked.says("maya", "/heal")
        assert len(asked.standing()) == 3
        assert [len(one.comments()) + len(one.reviews()) for one in (pr, asked)] == [2, 3]


# IN-4 GH-10
async def test_a_pull_request_that_becomes_a_draft_while_heal_works_gets_no_word_until_it_is_ready(
    world: OpenWorld,
) -> None:
    async with world() as w:
        pr = await red(w)
        meanwhile(w, lambda: drafts(w, pr))
        await w.heal()
        assert (pr.comments(), pr.reviews()) == ([], [])
        assert pr.summary().split("\n")[0] == snapshot(
            "Stopped: this pull request is a draft. Mark it ready, or comment `/heal`."
        )
        pulls.set_draft(w.hub, w.hub.person("noor"), pr.pull, False)
        await w.heal()
        assert (pr.verdict(), len(pr.standing())) == snapshot(("Heal: neutral, 1 error has a tested fix", 1))
        assert (len(pr.comments()), len(pr.reviews())) == (1, 1)


# IN-8 IN-3
async def test_a_fix_tested_against_the_old_base_is_tested_against_the_new_one_before_it_is_offered(
    world: OpenWorld,
) -> None:
    async with world() as w:
        branch(w, "next", {"notes.txt": "What comes next.\n"})
        pr = await red(w)
        meanwhile(w, lambda: pulls.retarget(w.hub, w.hub.person("noor"), pr.pull, "next"))
        await w.heal()
        first, *_ = await pr.runs()
        assert (first.state, first.reason) == snapshot(
            (
                "superseded",
                "the base branch was changed to `next` during the run. Fixes that still apply stay open on this pull request, and Heal will run again for the remaining errors.",
            )
        )
        assert len(pr.standing()) == 1
        assert (len(pr.comments()), len(pr.reviews())) == (1, 1)
        assert [run.state for run in await pr.runs()] == ["superseded", "done"]


# IN-8 GH-12
async def test_what_the_new_base_does_not_call_an_error_is_not_offered_and_what_was_offered_is_withdrawn(
    world: OpenWorld,
) -> None:
    async with world() as w:
        branch(w, "mild", MILD)
        pr = await red(w)
        meanwhile(w, lambda: pulls.retarget(w.hub, w.hub.person("noor"), pr.pull, "mild"))
        await w.heal()
        assert (pr.offers(), pr.reviews()) == ([], [])
        assert (pr.verdict(), pr.summary().split("\n\n")[2]) == snapshot(
            (
                "Heal: neutral, Couldn't check this failure",
                "- what failed in CI: it passes on this commit's tree; CI saw it fail on another one. *What you can do:* Re-run the failed job; if it comes back, the test needs a look of its own.",
            )
        )
        assert await pr.fixes() == snapshot({"Write `price` for `pirce`": "outdated"})
        late = await w.pull(THREE_SLIPS, branch="late")
        await w.ci()
        await w.heal()
        assert len(late.standing()) == 3
        pulls.retarget(w.hub, w.hub.person("noor"), late.pull, "mild")
        await w.heal()
        assert late.standing() == []
        assert set((await late.fixes()).values()) == {"outdated"}
        assert len(late.withdrawn()) == 3
        assert [len(one.comments()) for one in (pr, late)] == snapshot([0, 1])
        assert len(late.reviews()) == 1


# IN-3 IN-4
@pytest.mark.parametrize("again", ["main", "next"])
async def test_a_base_that_is_changed_there_and_back_leaves_one_offer_of_each_fix(world: OpenWorld, again: str) -> None:
    async with world() as w:
        branch(w, "next", {"notes.txt": "What comes next.\n"})
        pr = await red(w)
        person = w.hub.person("noor")
        meanwhile(w, lambda: pulls.retarget(w.hub, person, pr.pull, "next"))
        await w.heal()
        if again == "main":
            pulls.retarget(w.hub, person, pr.pull, "main")
            await w.heal()
        assert (pr.suggested(), len(pr.standing())) == (1, 1)
        assert (len(pr.comments()), len(pr.reviews())) == (1, 1)


# IN-8
@pytest.mark.parametrize("holds", [True, False])
async def test_what_ci_saw_on_the_merge_with_the_old_base_is_looked_for_on_the_new_one(
    world: OpenWorld, holds: bool
) -> None:
    async with world() as w:
        branch(w, "other", {"notes.txt": "Another line.\n"} if holds else MILD)
        await w.commit_to_main({"news.txt": "Main goes on by itself.\n"})
        pr = await w.pull(ONE_SLIP, branch="early")
        pulls.retarget(w.hub, w.hub.person("noor"), pr.pull, "other")
        await w.ci()  # it was asked for before
        assert pr.red() == ["checks"]
        await w.heal()
        assert len(pr.standing()) == holds
        assert "Flaky" not in pr.verdict()
        assert (len(pr.comments()), len(pr.reviews())) == (holds, holds)
