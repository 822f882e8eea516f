"""Where only the repository's own CI can test: job by job, with what formatters and linters make of the files too, and
what was tested together is used together."""

from tests.conversation.page import Page
from tests.conversation.small_repo import GREEN
from tests.conversation.test_verify_by_ci import nothing_left, red, seen
from tests.world import OpenWorld

APART = """\
name: CI
on: [pull_request, push]
jobs:
  lint:
    runs-on: [self-hosted, macOS]
    steps: [{name: Ruff, run: ruff check .}]
  tests:
    runs-on: [self-hosted, macOS]
    steps: [{name: Pytest, run: python -m pytest -q}]
"""
REPO = {**GREEN, ".github/workflows/ci.yml": APART}
UNUSED = GREEN["shop.py"].replace('"""What a shop reckons."""\n', '"""What a shop reckons."""\n\nimport json\n')
SLIP = '\n\ndef label(name, price):\n    """What stands on the shelf."""\n    return f"{nmae}: {price}"\n'
WRONG = '\n\ndef half(price):\n    """Half of a price."""\n    return price / 3\n'
TESTS = GREEN["test_shop.py"] + "\n\ndef test_half():\n    import shop\n\n    assert shop.half(4) == 2\n"


def committed(pr: Page, sha: str) -> str:
    """The module as it is at a commit."""
    return (pr.world.hub.bare(pr.world.repo).read(sha, "shop.py") or b"").decode()


# ENV-6
async def test_a_job_that_turns_green_is_healed_though_another_stays_red_and_all_fixes_go_in_together(
    world: OpenWorld,
) -> None:
    async with world(REPO) as w:
        broken = UNUSED + SLIP + WRONG
        pr = await red(w, {"shop.py": broken, "test_shop.py": TESTS})
        assert len(seen(w)) == 1
        stored = {item.proposal.source: item for item in await pr.stored()}
        assert sorted(stored) == ["autofix:ruff", "fixer:misspelt_name"]
        assert {item.delivery for item in stored.values()} == {"fixup"}
        assert {item.proposal.evidence[-1].command for item in stored.values()} == {"CI: lint"}
        assert pr.verdict().startswith("Heal: neutral, 2 of 3 errors have a tested fix")

        answer = await pr.says("maya", "/heal apply all")
        assert answer.count("was tested again and committed") == 2
        assert committed(pr, pr.head) == broken.replace("import json\n", "").replace("nmae", "name")
        await pr.says("maya", "/heal rollback run")
        assert committed(pr, pr.head) == broken
        (fixup,) = {item.fixup_number for item in stored.values()}
        assert fixup is not None
        assert "CI fails on" in w.page(fixup).comments()[0]  # as the tests do on the pull request
        await nothing_left(w, pr)


# ENV-6
async def test_a_fix_with_which_a_red_job_fails_for_one_more_reason_is_not_offered(world: OpenWorld) -> None:
    uses = TESTS + '\n\ndef test_dumps():\n    import shop\n\n    assert shop.json.dumps([]) == "[]"\n'
    async with world(REPO) as w:
        pr = await red(w, {"shop.py": UNUSED + WRONG, "test_shop.py": uses})
        assert pr.offers() == []
        assert len(seen(w)) == 1
        await nothing_left(w, pr)
