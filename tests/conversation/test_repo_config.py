"""`.github/heal.yml` as the App reads it: from the base branch alone, and a bad one is answered."""

from tests.conversation.small_repo import GREEN, ONE_SLIP
from tests.world import OpenWorld

MINE = "python -m ruff check --select F821 ."


# OP-7
async def test_the_base_branch_says_what_is_run_and_a_pull_request_does_not(world: OpenWorld) -> None:
    reported = {".github/heal.yml": f"checks:\n  - {MINE}\n"}
    async with world({**GREEN, **reported}) as w:
        pr = await w.healed({**ONE_SLIP, ".github/heal.yml": "checks:\n  - echo a stranger's command; false\n"})
        (offered,) = await w.store.proposals(pr.number)
        commands = {evidence.command for evidence in offered.proposal.evidence}
        assert MINE in commands
        assert not any("stranger" in command or "pytest" in command for command in commands)
        assert (len(pr.comments()), len(pr.reviews()), len(pr.standing())) == (1, 1, 1)


# OP-7
async def test_a_bad_file_is_answered_with_line_and_reason_and_the_defaults_go_on(world: OpenWorld) -> None:
    async with world({**GREEN, ".github/heal.yml": "# ours\nchecsk: []\n"}) as w:
        pr = await w.healed(ONE_SLIP)
        assert len(await w.store.proposals(pr.number)) == 1
        assert "line 2: unknown key `checsk`" in pr.summary()
        assert (len(pr.comments()), len(pr.reviews()), len(pr.standing())) == (1, 1, 1)


# OP-7
async def test_a_pull_request_that_changes_the_file_is_told_what_is_wrong_with_it_before_it_is_merged(
    world: OpenWorld,
) -> None:
    async with world(GREEN) as w:
        pr = await w.healed({".github/heal.yml": "checks:\n  - 3\n"})
        (output,) = pr.comments()
        assert "line 2: `checks[0]`: must be text; put quotes around it" in output
        assert "uses the defaults" in output
        await pr.push({"shop.py": "# nothing to do with it\n" + GREEN["shop.py"]})
        await w.heal()
        assert len(pr.comments()) == 1
        await pr.push({".github/heal.yml": "checks:\n  - python -m pytest -q\n"})
        await w.heal()
        (now,) = pr.comments()
        assert "heal.yml is valid" in now
        assert "It sets `checks` and takes effect once merged." in now


# OP-7
async def test_a_right_file_and_one_in_a_repository_that_is_only_observed_get_no_comment(world: OpenWorld) -> None:
    async with world(GREEN) as w:
        pr = await w.healed({".github/heal.yml": "checks:\n  - python -m pytest -q\n"})
        assert pr.comments() == []
    async with world(GREEN, start="observe") as w:
        pr = await w.healed({".github/heal.yml": "checks:\n  - 3\n"})
        assert pr.comments() == []


# ENV-7
async def test_set_up_that_the_file_names_is_run_before_its_checks(world: OpenWorld) -> None:
    config = (
        "setup:\n  - echo 'LIMIT = 3' > limits.py\nchecks:\n  - python -c 'import limits, shop' && ruff check shop.py\n"
    )
    async with world({**GREEN, ".github/heal.yml": config}) as w:
        pr = await w.healed(ONE_SLIP)
        (offered,) = await w.store.proposals(pr.number)
        (evidence,) = offered.proposal.evidence
        assert evidence.command.startswith("python -c 'import limits, shop'")
        assert (len(pr.comments()), len(pr.reviews()), len(pr.standing())) == (1, 1, 1)
