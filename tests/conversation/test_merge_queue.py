"""GitHub's merge queue: a pull request that is green by itself is red once it is merged into what the base has become."""

# ruff: noqa: E501  (pages have long lines)

import pytest
from inline_snapshot import snapshot

from lab.localhub import merge_queue
from lab.localhub.merge_queue import MergeGroup
from tests.conversation.page import Page
from tests.conversation.small_repo import CI, GREEN, SETTINGS
from tests.world import OpenWorld, World

EASY = SETTINGS.replace("[tool.ruff]", '[tool.ruff]\nlint.select = ["F"]')
QUEUED = {
    **GREEN,
    ".github/workflows/ci.yml": CI.replace("[pull_request]", "[pull_request, merge_group]"),
    "pyproject.toml": EASY,
}
HEALED = {".github/heal.yml": "skip:\n  merge_queue: false\n"}
STRICTER = {"pyproject.toml": EASY.replace('"F"', '"F", "I"')}
PRICES = '''\
"""What things cost."""

import sys
import os

HERE, THERE = os.name, sys.platform
'''


async def queue(w: World, pr: Page, squash: bool = False) -> MergeGroup:
    """The base becomes stricter, somebody queues the pull request, CI runs on the merge, and the queue throws it out."""
    assert pr.red() == []
    await w.commit_to_main(STRICTER)
    group = merge_queue.enqueue(w.hub, "maya", pr.pull, squash)
    await w.ci()
    failed = {(run.event, run.head_sha, run.conclusion) for run in w.hub.runs.values() if run.conclusion == "failure"}
    assert failed == {("merge_group", group.head_sha, "failure")}
    merge_queue.leave(w.hub, "maya", w.repo, group)
    await w.heal()
    return group


# IN-1 IN-4 GH-10
async def test_what_fails_only_in_the_merge_queue_is_told_of_on_the_pull_requests_head_and_left(
    world: OpenWorld,
) -> None:
    async with world(QUEUED) as w:
        pr = await w.healed({"prices.py": PRICES})
        group = await queue(w, pr)
        assert pr.verdict() == snapshot("Heal: neutral, Nothing done")
        assert pr.summary() == snapshot(
            "Skipped: this pull request failed in the merge queue, and `skip` in `.github/heal.yml` turns Heal off there. Comment `/heal` to run anyway."
        )
        assert pr.check(group.head_sha) is None
        assert (pr.comments(), pr.reviews()) == ([], [])
        assert {d.event for d in w.hub.deliveries if d.event == "merge_group"} == {"merge_group"}


# IN-4 IN-8
@pytest.mark.parametrize("squash", [False, True], ids=["merged", "squashed"])
async def test_where_the_repository_asks_for_it_it_is_healed_on_the_merge_that_the_queue_made(
    world: OpenWorld, squash: bool
) -> None:
    async with world({**QUEUED, **HEALED}) as w:
        pr = await w.healed({"prices.py": PRICES})
        group = await queue(w, pr, squash)
        assert pr.verdict() == snapshot("Heal: neutral, 1 error has a tested fix")
        (offer,) = pr.standing()
        assert (offer.place, offer.text) == snapshot(
            (
                "prices.py:3-4",
                """\
import os
import sys\
""",
            )
        )
        assert (len(pr.comments()), len(pr.reviews())) == (1, 1)
        assert pr.check(group.head_sha) is None
        await pr.accepts("maya", offer)
        await w.ci()
        await w.heal()
        assert pr.red() == []
        again = merge_queue.enqueue(w.hub, "maya", pr.pull, squash)
        await w.ci()
        merge_queue.land(w.hub, "maya", w.repo, again)
        await w.heal()
        assert pr.pull.merged_at is not None or squash
        assert len(pr.comments()) == 1


# IN-4
async def test_a_merge_that_the_queue_made_and_ci_liked_is_nothing_to_speak_of(world: OpenWorld) -> None:
    async with world(QUEUED) as w:
        pr = await w.healed({"prices.py": PRICES.replace("import sys\nimport os", "import os\nimport sys")})
        group = merge_queue.enqueue(w.hub, "maya", pr.pull)
        await w.ci()
        merge_queue.land(w.hub, "maya", w.repo, group)
        await w.heal()
        assert pr.pull.merged_at is not None
        assert not [run for run in w.hub.check_runs.values() if run.app_slug == "heal"]


# IN-1 IN-4 IN-6
@pytest.mark.parametrize("heals", [False, True])
async def test_a_pull_request_behind_one_that_failed_in_the_queue_is_not_blamed_and_neither_is_the_base_branch(
    world: OpenWorld, heals: bool
) -> None:
    async with world({**QUEUED, **(HEALED if heals else {})}) as w:
        first = await w.healed({"prices.py": PRICES})
        second = await w.pull({"notes.py": '"""Notes."""\n'}, branch="notes")
        await w.ci()
        main = await w.commit_to_main(STRICTER)
        ahead = merge_queue.enqueue(w.hub, "maya", first.pull)
        behind = merge_queue.enqueue(w.hub, "maya", second.pull, behind=ahead)
        await w.ci()
        red = {run.head_sha for run in w.hub.runs.values() if run.conclusion == "failure"}
        assert red == {ahead.head_sha, behind.head_sha}
        for group in (ahead, behind):
            merge_queue.leave(w.hub, "maya", w.repo, group)
        await w.heal()
        assert second.verdict() == "Heal: neutral, Nothing done"
        assert second.summary() == snapshot(
            "Skipped: this pull request failed in the merge queue behind others that failed too. GitHub tries it again without them, so there is nothing to do."
        )
        assert first.verdict() == (
            "Heal: neutral, 1 error has a tested fix" if heals else "Heal: neutral, Nothing done"
        )
        assert second.check(main) is None
        assert [len(one.comments()) + len(one.reviews()) for one in (first, second)] == [2 if heals else 0, 0]
        first.offers()
        again = merge_queue.enqueue(w.hub, "maya", second.pull)
        await w.ci()
        merge_queue.land(w.hub, "maya", w.repo, again)
        await w.heal()
        assert second.pull.merged_at is not None


# IN-4
async def test_a_pull_request_that_fails_behind_a_good_one_is_healed_on_its_own_merge(world: OpenWorld) -> None:
    async with world({**QUEUED, **HEALED}) as w:
        first = await w.pull({"notes.py": '"""Notes."""\n'}, branch="notes")
        second = await w.healed({"prices.py": PRICES})
        await w.commit_to_main(STRICTER)
        ahead = merge_queue.enqueue(w.hub, "maya", first.pull)
        behind = merge_queue.enqueue(w.hub, "maya", second.pull, behind=ahead)
        await w.ci()
        merge_queue.land(w.hub, "maya", w.repo, ahead)
        merge_queue.leave(w.hub, "maya", w.repo, behind)
        await w.heal()
        assert second.verdict() == "Heal: neutral, 1 error has a tested fix"
        assert len(second.standing()) == 1
        assert (len(second.comments()), len(second.reviews())) == (1, 1)
        assert first.verdict() == "none"
