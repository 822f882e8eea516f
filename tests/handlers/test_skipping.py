"""Which pull requests are left alone: by Heal's own rules and by the repository's (IN-4, GH-10)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers import router
from handlers.events import CheckFailed, PullChanged, PullClosed
from handlers.model import CiState
from handlers.model.repo_policy import RepoPolicy
from handlers.model.skip_rules import SkipRules
from healing.model import Resolution
from healing.policy.path_patterns import fits
from tests.handlers.hub import ADA, REPO
from tests.handlers.pull import BASE, HEAD, fix_of
from tests.handlers.world import MemoryWorld


def check_run_text(world: MemoryWorld) -> str:
    return world.check.summary


async def changed(world: MemoryWorld, action: str, **fields: object) -> None:
    reported = {
        "installation_id": 3,
        "repo": REPO,
        "sender": ADA,
        "number": 5,
        "action": action,
        "head_sha": world.head,
    }
    await router.handle(PullChanged.model_validate(reported | fields), world)


# GH-10, IN-4
@pytest.mark.parametrize(
    ("pull", "rules", "why"),
    [
        ({"labels": ("bug", "No-Heal")}, SkipRules(labels=("no-heal",)), "this pull request has the label `No-Heal`"),
        ({}, SkipRules(paths=("*.py",)), "every changed file is excluded by `skip`"),
    ],
)
async def test_the_repositorys_own_rules_are_obeyed_and_named(
    pull: dict[str, object], rules: SkipRules, why: str
) -> None:
    world = MemoryWorld(BASE, HEAD, **pull)
    world.healer.wants = RepoPolicy(skip=rules)
    await world.ci_fails()
    assert not world.healer.healed
    assert why in check_run_text(world)
    await world.says("/heal")
    await world.work()
    assert len(world.healer.healed) == 1


# IN-4, IN-5
@pytest.mark.parametrize(
    ("pull", "rules"),
    [
        ({"draft": True}, SkipRules(drafts=False)),
        ({"author": "dependabot[bot]"}, SkipRules(dependency_bots=False)),
        ({"head_ref": "renovate/all"}, SkipRules(dependency_bots=False)),
        ({"head_repo": "eve/calc"}, SkipRules(forks=False)),
        ({"labels": ("bug",)}, SkipRules(labels=("no-heal",))),
        ({}, SkipRules(paths=("docs/",))),
    ],
)
async def test_what_the_repository_wants_healed_is_healed(pull: dict[str, object], rules: SkipRules) -> None:
    world = MemoryWorld(BASE, HEAD, **pull)
    world.healer.wants = RepoPolicy(skip=rules)
    await world.ci_fails()
    assert len(world.healer.healed) == 1


# IN-4
async def test_taking_the_label_off_starts_the_look_and_another_label_does_not() -> None:
    world = MemoryWorld(BASE, HEAD, labels=("no-heal", "bug"))
    world.healer.wants = RepoPolicy(skip=SkipRules(labels=("no-heal",)))
    await world.ci_fails()
    await changed(world, "unlabeled", label="bug")
    assert not world.queued
    world.hub.pulls[5] = world.hub.pulls[5].model_copy(update={"labels": ("bug",)})
    await changed(world, "unlabeled", label="no-heal")
    await world.work()
    assert len(world.healer.healed) == 1


# IN-1, IN-3
async def test_a_push_that_is_received_late_does_not_stop_the_run_of_a_newer_one() -> None:
    world = MemoryWorld(BASE, HEAD)
    old = world.hub.push(5, {**HEAD, "other.txt": b"1\n"})
    world.hub.push(5, {**HEAD, "other.txt": b"2\n"})
    world.will_heal(fix_of(world))
    late = {"head_sha": old, "before": "0" * 40}
    run = await world.store.open_attempt("k", 3, world.head, {"source": "check_run", "pull_numbers": [5]})
    await world.store.save_run(run.model_copy(update={"number": 5}))
    await changed(world, "synchronize", **late)
    assert [one.state for one in world.store.runs_.values()] == ["gathering"]
    await world.ci_fails()
    (run,) = world.store.runs_.values()
    assert run.state == "done"
    assert len(world.publisher.reviews) == 1


# IN-1
async def test_a_closing_that_is_received_after_the_reopening_takes_nothing_back() -> None:
    world = MemoryWorld(BASE, HEAD)
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    await router.handle(PullClosed(installation_id=3, repo=REPO, sender=ADA, number=5, merged=False), world)
    assert world.status(fix) == "offered"


QUEUE = "gh-readonly-queue/main/pr-5-" + "b" * 40


async def fails_in_queue(world: MemoryWorld, branch: str = QUEUE, head_repo: int = REPO.id) -> None:
    """The merge that GitHub's queue made is red; the queue's branch is no pull request's head. GitHub tells of the job,
    and of its workflow."""
    about: dict[str, Any] = {
        "installation_id": 3,
        "repo": REPO,
        "sender": ADA,
        "sha": "c" * 40,
        "app_slug": "github-actions",
        "head_branch": branch,
    }
    job = CheckFailed(**about, source="check_run", name="test", check_run_id=12)
    whole = CheckFailed(
        **about, source="workflow_run", name="CI", workflow_run_id=7, head_owner="ada", head_repo_id=head_repo
    )
    await router.handle(job, world)
    await router.handle(whole, world)
    await world.work()


# IN-4, GH-10
async def test_what_fails_in_the_merge_queue_is_told_of_on_the_pull_request_and_healed_when_asked() -> None:
    world = MemoryWorld(BASE, HEAD)
    await fails_in_queue(world)
    assert not world.healer.healed
    assert "this pull request failed in the merge queue" in check_run_text(world)
    await world.says("/heal")
    await world.work()
    assert len(world.healer.healed) == 1


# IN-4
async def test_where_the_repository_wants_it_the_merge_queues_failures_are_healed_on_the_head() -> None:
    world = MemoryWorld(BASE, HEAD)
    world.healer.wants = RepoPolicy(skip=SkipRules(merge_queue=False))
    world.will_heal(fix_of(world))
    await fails_in_queue(world)
    assert len(world.healer.healed) == 1
    (review,) = world.publisher.reviews.values()
    assert review.commit_sha == world.head


# IN-4, IN-6
async def test_what_the_queue_merged_onto_is_not_taken_for_the_base_branch() -> None:
    world = MemoryWorld(BASE, HEAD)
    world.healer.wants = RepoPolicy(skip=SkipRules(merge_queue=False))
    world.hub.branches["main"] = world.hub.pulls[5].base_sha
    world.will_heal(resolutions=(Resolution(error_id="E1", how="preexisting"),))
    await fails_in_queue(world)
    assert {run.sha for run in world.store.runs_.values()} == {world.head}
    await world.ci_fails()
    assert {run.sha for run in world.store.runs_.values()} == {world.head, world.hub.branches["main"]}


# IN-4
@pytest.mark.parametrize(("ahead", "healed"), [("red", 0), ("green", 1), ("running", 1), ("none", 1)])
async def test_behind_another_pull_request_only_what_that_one_does_not_explain_is_healed(
    ahead: CiState, healed: int
) -> None:
    world = MemoryWorld(BASE, HEAD)
    world.healer.wants = RepoPolicy(skip=SkipRules(merge_queue=False))
    world.hub.ci["b" * 40] = ahead
    world.hub.forks["b" * 40] = world.hub.pulls[5].base_sha
    await fails_in_queue(world)
    assert len(world.healer.healed) == healed
    if not healed:
        assert "behind others that failed too" in check_run_text(world)
        await world.says("/heal")
        await world.work()
        assert len(world.healer.healed) == 1, "whoever asks is obeyed"


# IN-4
async def test_a_failure_of_the_head_itself_is_healed_whatever_the_queue_says() -> None:
    world = MemoryWorld(BASE, HEAD)
    await fails_in_queue(world)
    await world.ci_fails()
    assert len(world.healer.healed) == 1


# IN-4
@pytest.mark.parametrize(
    "branch", ["gh-readonly-queue/main/pr-99-" + "b" * 40, "gh-readonly-queue/main/odd", QUEUE[:-1]]
)
async def test_a_branch_of_the_queue_that_names_no_open_pull_request_is_left(branch: str) -> None:
    world = MemoryWorld(BASE, HEAD)
    await fails_in_queue(world, branch)
    assert not world.store.runs_
    assert not world.publisher.checks


# IN-4, IN-5
async def test_a_strangers_branch_that_is_called_like_the_queues_says_nothing_about_a_pull_request() -> None:
    world = MemoryWorld(BASE, HEAD)
    await fails_in_queue(world, head_repo=REPO.id + 1)
    assert not world.store.runs_
    assert not world.publisher.checks


@pytest.mark.parametrize(
    ("pattern", "path", "named"),
    [
        ("*.md", "docs/a/b.md", True),
        ("*.md", "README.md", True),
        ("docs/", "docs/a/b.py", True),
        ("docs/", "src/docs/x", True),
        ("/docs/*.md", "docs/a.md", True),
        ("/docs/*.md", "docs/a/b.md", False),
        ("src/**/test_*.py", "src/a/b/test_x.py", True),
        ("src/**/test_*.py", "src/test_x.py", True),
        ("src/**", "src/a/b", True),
        ("a?c", "abc", True),
        ("docs", "docs/a.md", False),
    ],
)
def test_patterns_name_files_as_people_expect(pattern: str, path: str, named: bool) -> None:
    assert fits(pattern, path) is named


@given(st.text(alphabet="ab*?/[]!", min_size=1, max_size=60), st.text(alphabet="ab/", min_size=1, max_size=60))
def test_no_pattern_raises_or_takes_long(pattern: str, path: str) -> None:
    assert fits(pattern, path) in (True, False)
    assert fits("**", path)
