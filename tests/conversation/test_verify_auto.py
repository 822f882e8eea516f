"""`verify: auto`, the default: what the sandbox can't reproduce, the repository's own CI tests, and nothing else."""

import pytest

from tests.conversation.small_repo import CI, GREEN, ONE_SLIP
from tests.conversation.test_verify_by_ci import branches, nothing_left, red, seen
from tests.world import OpenWorld

PUSHED = CI.replace("on: [pull_request]", "on: [pull_request, push]")
MAC = PUSHED.replace("runs-on: self-hosted", "runs-on: [self-hosted, macOS]")
QUEUE = PUSHED.replace(
    "    steps:", '    services: {queue: {image: "rabbitmq:3", ports: ["5672:5672"]}}\n    steps:', 1
).replace("      - name: Ruff\n        run: ruff check .\n", "")
TWO = """\
name: CI
on: [pull_request, push]
jobs:
  here:
    runs-on: self-hosted
    steps: [{name: Ruff, run: ruff check shop.py}]
  mac:
    runs-on: [self-hosted, macOS]
    steps: [{name: Ruff, run: ruff check label.py}]
"""
LABEL = 'def label(name, price):\n    """What stands on the shelf."""\n    return f"{name}: {price}"\n'
SLIP = LABEL.replace("{name}:", "{nmae}:")


def repo(workflow: str, **more: str) -> dict[str, str]:
    return {**GREEN, ".github/workflows/ci.yml": workflow, **more}


# ENV-6
@pytest.mark.parametrize("workflow", [MAC, QUEUE], ids=["macOS", "service"])
async def test_what_can_not_be_run_here_is_tested_by_the_repositorys_own_ci(world: OpenWorld, workflow: str) -> None:
    async with world(repo(workflow)) as w:
        pr = await red(w, {**ONE_SLIP, "test_shop.py": USES})
        (offer,) = pr.standing()
        assert offer.text == "    return price - price * percent / 100"
        (stored,) = await pr.stored()
        assert [item.command for item in stored.proposal.evidence] == ["CI: checks"]
        assert "(tested by your CI)" in offer.comment.body
        assert "Heal's sandbox" not in offer.comment.body
        assert pr.verdict().startswith("Heal: neutral, 1 error has a tested fix")
        assert len(seen(w)) == 1
        await nothing_left(w, pr)


USES = (
    GREEN["test_shop.py"] + "\n\ndef test_discount():\n    import shop\n\n    assert shop.discounted(100, 10) == 90\n"
)


# ENV-6
async def test_each_fix_says_where_it_was_tested_and_ci_is_asked_for_one_of_them_alone(world: OpenWorld) -> None:
    async with world(repo(TWO, **{"label.py": LABEL})) as w:
        pr = await red(w, {**ONE_SLIP, "label.py": SLIP})
        reported = {offer.comment.path: offer.comment.body for offer in pr.standing()}
        assert "(tested in Heal's sandbox)" in reported["shop.py"]
        assert "(tested by your CI)" in reported["label.py"]
        assert len(seen(w)) == 1
        await nothing_left(w, pr)


# ENV-6
async def test_a_job_that_stays_red_for_another_reason_does_not_refuse_the_fix_of_the_one_that_ci_tests(
    world: OpenWorld,
) -> None:
    broken = GREEN["shop.py"] + "\n\ndef odd():\n    return nobody_knows_this_name_anywhere\n"
    async with world(repo(TWO, **{"label.py": LABEL})) as w:
        pr = await red(w, {"shop.py": broken, "label.py": SLIP})
        (offer,) = pr.standing()
        assert offer.comment.path == "label.py"
        assert "(tested by your CI)" in offer.comment.body
        await nothing_left(w, pr)


# ENV-6
async def test_a_fix_with_which_ci_stays_red_is_not_offered(world: OpenWorld) -> None:
    both = MAC.replace("run: python -m pytest -q", "run: python -m pytest -q && false")
    async with world(repo(both)) as w:
        pr = await red(w)
        assert pr.offers() == []
        assert len(seen(w)) == 1
        assert "CI's job “checks” ends as failure" in pr.summary()
        await nothing_left(w, pr)


# ENV-6
async def test_where_the_sandbox_reproduces_the_failure_ci_is_asked_for_nothing(world: OpenWorld) -> None:
    async with world(repo(PUSHED)) as w:
        pr = await red(w)
        (offer,) = pr.standing()
        assert "(tested in Heal's sandbox)" in offer.comment.body
        assert seen(w) == []
        await nothing_left(w, pr)


# ENV-6
@pytest.mark.parametrize("why", ["local", "no push", "observed"])
async def test_where_ci_may_not_be_asked_nothing_is_pushed_or_offered(world: OpenWorld, why: str) -> None:
    workflow = MAC.replace(", push]", "]") if why == "no push" else MAC
    more = {".github/heal.yml": "verify: local\n"} if why == "local" else {}
    async with world(repo(workflow, **more), start="observe" if why == "observed" else "on") as w:
        before = w.clock()
        pr = await red(w)
        assert w.clock() - before < 100
        assert pr.offers() == []
        assert seen(w) == branches(w) == []
        if why != "observed":
            assert "macos" in pr.summary()
        if why == "no push":
            assert "`on: push: branches:" in pr.summary()
        await nothing_left(w, pr)


# ENV-6, IN-5
async def test_nothing_of_a_fork_is_pushed(world: OpenWorld) -> None:
    async with world(repo(MAC)) as w:
        pr = await w.pull_from_fork(ONE_SLIP)
        await w.ci()
        w.clock.meanwhile = w.ci
        await w.heal()
        assert await pr.says("maya", "/heal")
        assert seen(w) == branches(w) == []
        assert pr.standing() == []
        await nothing_left(w, pr)
