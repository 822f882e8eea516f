"""`.github/heal.yml` as the App reads it: from the base branch alone, and a bad one is answered."""

from tests.conversation.small_repo import GREEN, ONE_SLIP
from tests.world import OpenWorld

MINE = "python -m ruff check --select F821 ."


# OP-7
async def test_the_base_branch_says_what_is_run_and_a_pull_request_does_not(world: OpenWorld) -> None:
    told = {".github/heal.yml": f"checks:\n  - {MINE}\n"}
    async with world({**GREEN, **told}) as w:
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
        assert "line 2: `checsk` is no key of Heal's" in pr.summary()
        assert (len(pr.comments()), len(pr.reviews()), len(pr.standing())) == (1, 1, 1)
