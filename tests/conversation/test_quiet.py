"""What happens in a busy repository and is none of Heal's business costs no request to GitHub."""

from collections.abc import Callable

import pytest

from lab.localhub import actions, checks, pushes, repos
from lab.localhub.ci_state import WorkflowRun
from lab.localhub.state import Repo
from tests.conversation.small_repo import HEALED, THREE_SLIPS
from tests.world import OpenWorld, World


def ci_passes(w: World, sha: str, branch: str, head_repo: Repo | None = None) -> WorkflowRun:
    """A workflow run of one green job ends: GitHub tells of the job, the run and its check suite."""
    run = actions.begin_run(w.hub, w.repo, ".github/workflows/ci.yml", "CI", sha, branch, head_repo=head_repo)
    actions.finish_job(w.hub, actions.begin_job(w.hub, run, "checks"), "success", [], b"")
    actions.finish_run(w.hub, run)
    return run


def on_a_branch(w: World) -> None:
    ci_passes(w, pushes.commit(w.hub, "maya", w.repo, "elsewhere", {"readme.md": "A shop."}), "elsewhere")


def on_the_default_branch(w: World) -> None:
    ci_passes(w, pushes.commit(w.hub, "maya", w.repo, "main", {"readme.md": "A shop."}), "main")


def on_a_forks_commit(w: World) -> None:
    fork = repos.fork(w.hub, w.repo, "fiona")
    made = pushes.commit(w.hub, "fiona", fork, "topic", {"readme.md": "A shop."})
    w.hub.bare(w.repo).git("fetch", "-q", str(fork.path), f"+{made}:refs/pull/99/head")
    ci_passes(w, made, "topic", fork)


def as_a_status(w: World) -> None:
    made = pushes.commit(w.hub, "maya", w.repo, "elsewhere", {"readme.md": "A shop."})
    checks.set_status(w.hub, w.repo, w.hub.person("circle"), made, "success", "ci/lint")


# IN-1 GH-7
@pytest.mark.parametrize("happens", [on_a_branch, on_the_default_branch, on_a_forks_commit, as_a_status])
async def test_a_green_suite_or_status_on_a_commit_that_heal_does_not_know_costs_no_request(
    world: OpenWorld, happens: Callable[[World], None]
) -> None:
    async with world() as w:
        known = await w.healed(THREE_SLIPS)
        assert (len(known.comments()), len(known.reviews()), len(known.offers())) == (1, 1, 3)
        before = len(w.github.log)
        happens(w)
        await w.heal()
        assert [f"{seen.method} {seen.path}" for seen in w.github.log[before:]] == []


# IN-1 GH-7
async def test_a_pull_request_that_heal_never_looked_at_is_closed_without_a_request(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.pull({"readme.md": "A shop."})
        await w.heal()
        before = len(w.github.log)
        await pr.close()
        await w.heal()
        assert len(w.github.log) == before


# IN-5 GH-3
async def test_a_forks_green_head_is_concluded_though_its_check_suite_names_no_pull_request(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.pull_from_fork(THREE_SLIPS)
        await w.ci()
        await w.heal()
        await pr.says("maya", "/heal")
        await pr.push({"shop.py": HEALED}, by="fiona")
        await w.heal()
        assert pr.verdict() == "none"
        await w.ci()
        await w.heal()
        assert pr.verdict() == "Heal: success, All checks pass"
        assert (len(pr.comments()), len(pr.reviews()), pr.suggested()) == (2, 1, 3)
