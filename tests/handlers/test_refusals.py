"""What GitHub refuses is told apart, said in its own words with what to do, and the next way is tried."""

import pytest

from handlers.comments import refusals
from handlers.model import Comment, Refused
from handlers.model.refusal import Refusal, is_final, refusal_of
from tests.handlers.pull import BASE, HEAD, far_fix_of, fix_of
from tests.handlers.world import MemoryWorld

SECRET = Refused(422, "Secret detected in content\n\n—— GitHub Personal Access Token ——")
RULES = Refused(409, "Repository rule violations found\n\nChanges must be made through a pull request.")
LACKS = Refused(403, "Resource not accessible by integration")
NOT_FOUND = Refused(404, "Not Found")


@pytest.fixture
def world() -> MemoryWorld:
    return MemoryWorld(BASE, HEAD)


# GH-14
@pytest.mark.parametrize(
    ("status", "words", "kind"),
    [
        (422, SECRET.message, "secret"),
        (422, "push declined due to repository rule violations: GH013 ... Push cannot contain secrets", "secret"),
        (409, RULES.message, "rule"),
        (422, "Protected branch update failed for refs/heads/main.", "rule"),
        (422, 'Required status check "tests" is expected.', "rule"),
        (403, LACKS.message, "permission"),
        (
            403,
            "refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without "
            "`workflows` permission",
            "workflow",
        ),
        (403, "Repository was archived so is read-only.", "archived"),
        (403, "Unable to create comment because issue is locked.", "locked"),
        (404, "Not Found", "missing"),
        (410, "Issues are disabled for this repo", "missing"),
        (401, "Bad credentials", "access"),
        (422, "Validation Failed", "other"),
    ],
)
def test_refusals_are_distinguished_by_what_github_says(status: int, words: str, kind: str) -> None:
    refusal = refusal_of(Refused(status, words))
    assert refusal == Refusal(status=status, kind=kind, words=words)  # type: ignore[arg-type]
    text = refusals.explained("the commit", refusal)
    assert " ".join(words.split()).replace("`", "") in text.replace("`", "")
    assert f"({status})" in text


# GH-14
@pytest.mark.parametrize(
    ("header", "named"),
    [
        ("issues=write; pull_requests=write", "the permission *Issues: write* or *Pull requests: write* for this"),
        ("contents=write,workflows=write", "the permission *Contents: write and Workflows: write* for this"),
        ("", "lacks a permission for this"),
        ("<img src=x>=write; **all**", "lacks a permission for this"),
        (";".join(["checks=write"] * 500), "the permission *Checks: write* for this"),
    ],
)
def test_a_permission_that_github_names_is_named(header: str, named: str) -> None:
    refusal = refusal_of(Refused(403, LACKS.message, needs=header))
    text = refusals.explained("the commit", refusal)
    assert named in text
    assert "<img" not in text + refusals.stopped(refusal)
    assert len(text) < 600


# GH-14
def test_a_run_that_github_stops_names_the_request() -> None:
    request = "GET /repos/ada/calc/actions/jobs/7/logs"
    assert f"GitHub refused `{request}` (403)" in refusals.stopped(refusal_of(LACKS), request)


# GH-14
def test_permissions_are_named_only_where_one_is_missing() -> None:
    refusal = refusal_of(Refused(403, "Repository was archived so is read-only.", needs="contents=write"))
    assert "Contents" not in refusals.explained("the commit", refusal)


# GH-14
def test_a_limit_and_a_github_that_is_out_of_order_are_no_refusals() -> None:
    assert not is_final(Refused(403, "secondary rate limit", retry_after=60))
    assert not is_final(Refused(502, "Bad Gateway"))
    assert is_final(NOT_FOUND)


# GH-14
def test_githubs_words_can_not_leave_their_place() -> None:
    bad = Refusal(status=422, kind="other", words="@all ` <img src=x> ![x](y) \n# big")
    assert "\n" not in refusals.explained("the commit", bad)
    assert refusals.explained("the commit", bad).count("``") == 2


# GH-14, SC-2
@pytest.mark.parametrize("refusal", [SECRET, RULES, LACKS, NOT_FOUND], ids=lambda one: str(one.status))
async def test_an_apply_that_github_refuses_becomes_a_pull_request(world: MemoryWorld, refusal: Refused) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    world.publisher.refuses_commits = refusal
    answer = await world.says("/heal apply all", comment_id=1)
    assert "is in pull request #50. Merge it to apply the fix." in answer
    assert " ".join(refusal.message.split()) in answer
    assert "rollback" not in answer, "what is not merged can't be rolled back"
    assert list(world.publisher.fixups) == ["<!-- heal:v1 fixup branch=heal/apply/1 -->"]


# GH-14, SC-2
async def test_where_github_refuses_the_pull_request_too_the_answer_holds_the_patch(world: MemoryWorld) -> None:
    world.will_heal(fix_of(world))
    await world.ci_fails()
    world.publisher.refuses_commits = world.publisher.refuses_fixups = SECRET
    answer = await world.says("/heal apply all", comment_id=1)
    assert "was **not** applied. Its patch is below." in answer
    assert "the commit and the pull request (422): `Secret detected in content" in answer
    assert "Push protection found" in answer
    assert "git apply heal-" in answer
    assert "reverts one" not in answer


# GH-14, SC-5
@pytest.mark.parametrize("pull_too", [False, True])
async def test_a_rollback_that_github_refuses_becomes_a_pull_request_or_is_shown(
    world: MemoryWorld, pull_too: bool
) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    await world.says("/heal apply all", comment_id=1)
    world.publisher.refuses_commits = RULES
    world.publisher.refuses_fixups = RULES if pull_too else None
    answer = await world.says("/heal rollback all", comment_id=2)
    assert "Changes must be made through a pull request." in answer
    assert ("To do it by hand" in answer) == pull_too
    assert ("Merge pull request #50 to revert" in answer) != pull_too
    assert world.status(fix) == "applied"


# GH-14, GH-1
@pytest.mark.parametrize("refusal", [SECRET, RULES, LACKS, NOT_FOUND], ids=lambda one: str(one.status))
async def test_a_refused_fixup_pull_request_leaves_a_patch_and_the_check_run_says_why(
    world: MemoryWorld, refusal: Refused
) -> None:
    far = far_fix_of(world)
    world.will_heal(far)
    world.publisher.refuses_fixups = refusal
    await world.ci_fails()
    (stored,) = world.store.proposals_.values()
    assert (stored.status, stored.delivery) == ("offered", "patch")
    assert f"GitHub refused the fixup pull request ({refusal.status}): `" in world.check.summary
    assert (world.check.status, world.check.conclusion) == ("completed", "neutral")


# GH-14
async def test_a_command_whose_comment_is_there_is_obeyed_though_the_reaction_is_not_found(world: MemoryWorld) -> None:
    world.publisher.taken_back = {1}  # as GitHub answers where the App may not react
    world.hub.conversation.append(Comment(id=1, body="/heal list", author="ada", author_is_bot=False))
    assert "No fix for this pull request yet" in await world.says("/heal list", comment_id=1)
