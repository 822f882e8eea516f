"""What Heal does on a red pull request, in a world in memory."""

import asyncio

import pytest

from handlers import router
from handlers.comments import answers, skips
from handlers.events import Person, PullClosed
from handlers.model import Refused
from healing.model import Edit, NotChecked, Unfixable
from tests.handlers.hub import ADA, BOT, REPO, SLUG
from tests.handlers.pull import BASE, EVE, HEAD, STICKY, far_fix_of, fix_of
from tests.handlers.world import ERROR, MemoryWorld


@pytest.fixture
def world() -> MemoryWorld:
    return MemoryWorld(BASE, HEAD)


# GH-1, GH-3, GH-4
async def test_a_red_pull_request_gets_a_review_a_check_and_a_summary(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    (review,) = world.publisher.reviews.values()
    assert [comment.proposal_id for comment in review.comments] == [fix.id]
    check = world.check
    assert (check.status, check.conclusion, check.title) == ("completed", "neutral", "1 error has a tested fix")
    assert [action[2] for action in check.actions] == ["apply-all", "retry"]
    assert world.status(fix) == "offered"
    assert STICKY in world.publisher.stickies


# GH-4
async def test_doing_a_run_twice_posts_nothing_twice(world: MemoryWorld) -> None:
    from handlers.runs import healing_run

    world.will_heal(fix_of(world))
    await world.ci_fails()
    (run,) = world.store.runs_.values()
    await world.store.save_run(run.model_copy(update={"state": "running"}))  # as after a crash
    await healing_run.execute(world, run)
    assert len(world.publisher.reviews) == 1
    assert len(world.hub.review_comments_) == 1


# GH-4, OP-3
async def test_a_run_that_waited_for_its_concurrency_key_goes_on_from_what_is_known_then(world: MemoryWorld) -> None:
    from handlers.runs import healing_run

    world.will_heal(fix_of(world))
    await world.ci_fails()
    (done,) = world.store.runs_.values()
    begun = done.model_copy(update={"state": "running", "outcome": None})
    await world.store.save_run(begun)
    looked = len(world.healer.healed)
    async with world.work_lock(5):  # the same run, carried on by somebody else
        waiting = asyncio.create_task(healing_run.execute(world, begun))
        await asyncio.sleep(0.05)
        await world.store.save_run(done.model_copy(update={"state": "running"}))
    await waiting
    assert len(world.healer.healed) == looked
    assert len(world.publisher.reviews) == 1
    (last,) = world.store.runs_.values()
    assert (last.state, last.outcome) == ("done", done.outcome)


# GH-4
async def test_with_nothing_to_offer_only_the_check_run_speaks(world: MemoryWorld) -> None:
    report = Unfixable(id="U1", error_ids=("E1",), reason="no-key", tried="", why="no model", advice="set a key")
    world.will_heal(verdict="not-healed", unfixables=(report,))
    await world.ci_fails()
    assert not world.publisher.reviews
    assert not world.publisher.stickies
    assert "no model" in world.check.summary


# OP-11
async def test_a_run_keeps_its_reason_and_what_its_pull_request_is_called(world: MemoryWorld) -> None:
    reports = tuple(
        Unfixable(id=f"U{n}", error_ids=("E1",), reason="given-up", tried="", why=f"no way {n}", advice="")
        for n in (1, 2)
    )
    world.will_heal(verdict="partly", unfixables=reports)
    await world.ci_fails()
    [run] = await world.store.runs(5)
    assert (run.state, run.reason) == ("done", "no way 1 (and 1 more reason)")
    assert world.store.pulls_[5] == await world.github.pull(5)


# OP-11
async def test_a_draft_is_remembered_with_why_nothing_was_done_until_it_is_closed() -> None:
    world = MemoryWorld(BASE, HEAD, draft=True, title="Try it")
    await world.ci_fails()
    [run] = await world.store.runs(5)
    assert (run.state, run.reason) == ("stopped", skips.DRAFT)
    assert (world.store.pulls_[5].title, world.store.pulls_[5].state) == ("Try it", "open")
    world.hub.pulls[5] = world.hub.pulls[5].model_copy(update={"state": "closed"})
    closed = PullClosed(installation_id=3, repo=REPO, sender=ADA, number=5, merged=False)
    await router.handle(closed, world)
    assert world.store.pulls_[5].state == "closed"


# GH-10, IN-4, IN-5
@pytest.mark.parametrize(
    ("pull", "message", "output"),
    [
        ({"draft": True}, "x", "this pull request is a draft"),
        ({"head_repo": "eve/calc"}, "x", "this pull request comes from a fork"),
        ({"head_repo": None}, "x", "this pull request comes from a fork"),
        ({"author": "dependabot[bot]"}, "x", "a dependency bot opened this pull request"),
        ({"author": BOT}, "x", "Heal doesn't repair its own pull requests"),
        ({}, "x [skip heal]", "[skip heal]"),
        ({}, "x\n\nHeal-Generation: 2", "has reached its limit of runs on its own commits"),
        ({}, "x\n\nHeal-Rollback: ab\nHeal-Generation: 1", "reverted a fix"),
    ],
)
async def test_why_heal_did_nothing_is_one_line_in_the_check_run(
    pull: dict[str, object], message: str, output: str
) -> None:
    world = MemoryWorld(BASE, HEAD, **pull)
    world.hub.push(5, HEAD, message)
    await world.ci_fails()
    assert not world.healer.healed
    assert output in world.check.summary
    assert not world.publisher.reviews


# IN-4
async def test_a_commit_of_heals_is_healed_once(world: MemoryWorld) -> None:
    world.hub.push(5, HEAD, "fix: x\n\nHeal-Id: apply-1\nHeal-Generation: 1")
    world.will_heal(far_fix_of(world))
    await world.ci_fails()
    assert len(world.healer.healed) == 1
    (fixup,) = world.publisher.fixups.values()
    assert "Heal-Generation: 2" in fixup.commits[0][1]


# IN-4
async def test_heals_own_check_and_bots_comments_are_not_heard(world: MemoryWorld) -> None:
    failed = {"installation_id": 3, "repo": REPO, "sender": ADA, "sha": world.head, "source": "check_run"}
    from handlers.events import CheckFailed

    await router.handle(CheckFailed.model_validate({**failed, "name": "Heal", "app_slug": SLUG}), world)
    assert not world.queued
    robot = Person(login="robot", id=9, is_bot=True)
    assert await world.says("/heal help", by=robot) == ""
    assert not world.publisher.reactions


# IN-5
async def test_a_maintainer_starts_a_forks_run_and_nothing_is_pushed() -> None:
    world = MemoryWorld(BASE, HEAD, head_repo="eve/calc", author="eve")
    near, far = fix_of(world), far_fix_of(world)
    world.will_heal(near, far)
    await world.ci_fails()
    assert not world.healer.healed
    assert "needs write access" in await world.says("/heal", by=EVE, comment_id=901)
    assert not world.queued
    assert "Started a run" in await world.says("/heal", comment_id=902)
    await world.work()
    assert len(world.healer.healed) == 1
    assert not world.publisher.fixups
    assert "git apply heal-" in world.publisher.stickies[STICKY]
    before = world.head
    assert "never pushes to forks" in await world.says("/heal apply all", comment_id=903)
    assert world.head == before


# IN-3
async def test_a_head_that_moved_while_healing_gets_what_was_found(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    world.healer.while_healing = ["push"]
    await world.ci_fails()
    (run,) = world.store.runs_.values()
    assert run.state == "superseded"
    assert [review.commit_sha for review in world.publisher.reviews.values()] == [world.head]
    assert world.status(fix) == "offered"
    assert all(check.status == "completed" for check in world.publisher.checks.values())


async def test_a_pull_request_closed_while_healing_ends_quietly_and_keeps_what_was_found(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    world.healer.while_healing = ["close"]
    await world.ci_fails()
    (run,) = world.store.runs_.values()
    assert run.state == "stopped"
    assert not world.publisher.reviews
    assert world.status(fix) == "pending"


async def test_an_uninstalled_app_ends_the_run_quietly_and_a_rate_limit_does_not(world: MemoryWorld) -> None:
    world.hub.refusal = Refused(403, "secondary rate limit", retry_after=60)
    with pytest.raises(Refused):
        await world.ci_fails()
    (run,) = world.store.runs_.values()
    assert run.state == "gathering"
    world.hub.refusal = Refused(404, "Not Found")
    await world.healing(run)
    await world.work()
    assert [run.state for run in world.store.runs_.values()] == ["stopped"]


async def test_a_red_default_branch_gets_a_fixup_pull_request(world: MemoryWorld) -> None:
    world.hub.pulls[5] = world.hub.pulls[5].model_copy(update={"number": 5, "head_ref": "main"})
    sha = world.hub.branches["main"] = world.hub.commit(HEAD, "on main")
    failure: dict[str, object] = {"source": "check_run", "head_branch": "main", "default_branch": "main"}
    run = await world.store.open_attempt("check_run:1", 3, sha, failure)
    world.will_heal(far_fix_of(world))
    await world.healing(run)
    await world.work()
    (fixup,) = world.publisher.fixups.values()
    assert (fixup.base_ref, fixup.start_sha) == ("main", sha)
    assert not world.publisher.stickies


# GH-6, IN-3
async def test_accepting_one_suggestion_leaves_the_others_standing() -> None:
    world = MemoryWorld({}, {"calc.py": b"a = 1\nb = 1\nc = 1\nd = 1\ne = 1\nf = 1\n"})
    fixes = [
        world.proposal(
            Edit(file="calc.py", old_string=f"{name} = 1", new_string=f"{name} = 2"), error_ids=(f"E{name}",)
        )
        for name in ("a", "c", "f")
    ]
    world.will_heal(*fixes)
    await world.ci_fails()
    await world.accepts(fixes[0])
    assert [world.status(fix) for fix in fixes] == ["applied", "offered", "offered"]
    assert len(world.publisher.reviews) == 1  # their comments still stand: nothing is said again
    (run,) = await world.store.runs(5)
    assert run.outcome is not None
    assert [r.how for r in run.outcome.resolutions if r.error_id == "Ea"] == [f"fix:{fixes[0].id}"]


# GH-6
async def test_a_suggestion_whose_lines_moved_away_is_offered_again_once(world: MemoryWorld) -> None:
    fix = world.proposal(Edit(file="calc.py", old_string="math.pi", new_string="3.14"))
    world.will_heal(fix)
    await world.ci_fails()
    again = {**HEAD, "calc.py": b"def area(r):\n    return math.pi * r ** 2\n"}
    await world.pushed(again)
    assert world.status(fix) == "offered"
    assert list(world.publisher.reviews) == [
        "<!-- heal:v1 review run=run1 attempt=1 phase=fast -->",
        f"<!-- heal:v1 renewal proposal={fix.id} head={world.head} -->",
    ]
    await world.pushed({**again, "new.txt": b"x\n"})
    assert len(world.publisher.reviews) == 2


# GH-6
async def test_a_fix_that_no_longer_holds_is_marked_outdated_with_the_reason(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    await world.pushed({**HEAD, "calc.py": b"BROKEN\n" + HEAD["calc.py"]})
    assert world.status(fix) == "outdated"
    assert world.store.proposals_[5, fix.id].reason == "its check: it is red on the new head"


# EX-9
async def test_could_not_look_is_said_as_such(world: MemoryWorld) -> None:
    skipped = NotChecked(what="job test", why="its log is gone", advice="re-run the job")
    world.will_heal(verdict="could-not-look", errors=(), resolutions=(), not_looked=(skipped,))
    await world.ci_fails()
    check = world.check
    assert check.title == "Couldn't check this failure"
    assert "its log is gone" in check.summary
    assert ERROR.message not in check.summary


# IN-5
async def test_a_forks_new_commit_is_not_run_to_carry_a_fix_over() -> None:
    world = MemoryWorld(BASE, HEAD, head_repo="eve/calc", author="eve")
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    await world.says("/heal", comment_id=1)
    await world.work()
    assert world.status(fix) == "offered"
    await world.pushed({**HEAD, "other.txt": b"x\n"})
    assert world.status(fix) == "outdated"
    assert "once somebody with write access comments" in world.store.proposals_[5, fix.id].reason


# GH-4
async def test_the_summary_comment_follows_what_people_decide(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    assert "### Heal: 1 tested fix to review" in world.publisher.stickies[STICKY]
    await world.says("/heal reject all", comment_id=1)
    assert "**rejected**" in world.publisher.stickies[STICKY]


# GH-4
async def test_an_error_of_ours_ends_the_check_run_with_an_apology(world: MemoryWorld) -> None:
    from handlers.runs import healing_run

    run = await world.store.open_attempt("check_run:1", 3, world.head, {"source": "check_run"})
    await healing_run.give_up(world, run, answers.apology("run1", "run"))
    check = world.check
    assert (check.status, check.conclusion) == ("completed", "neutral")
    assert "Heal hit an internal error during this run" in check.summary


# GH-1
async def test_a_fix_that_nothing_can_carry_is_not_called_offered(world: MemoryWorld) -> None:
    gone = fix_of(world).model_copy(update={"edits": (Edit(file="calc.py", old_string="nowhere", new_string="x"),)})
    world.will_heal(gone)
    await world.ci_fails()
    assert world.status(gone) == "outdated"
    check = world.check
    assert check.title == "No fix offered for 1 error"
    assert not world.publisher.stickies


# IN-3
async def test_a_draft_that_became_ready_is_looked_at_again() -> None:
    from handlers.events import PullChanged

    world = MemoryWorld(BASE, HEAD, draft=True)
    world.will_heal(fix_of(world))
    await world.ci_fails()
    assert not world.healer.healed
    world.hub.pulls[5] = world.hub.pulls[5].model_copy(update={"draft": False})
    ready = {"installation_id": 3, "repo": REPO, "sender": ADA, "number": 5, "head_sha": world.head}
    await router.handle(PullChanged.model_validate({**ready, "action": "ready_for_review"}), world)
    await world.work()
    assert len(world.healer.healed) == 1


# IN-3
@pytest.mark.parametrize("head", [{**HEAD, "other.txt": b"x\n"}, {**HEAD, "calc.py": b"BROKEN\n" + HEAD["calc.py"]}])
@pytest.mark.parametrize(("command", "ends"), [("reject all", "rejected"), ("apply all", "applied")])
async def test_what_a_person_decides_while_a_fix_is_carried_over_stays_decided(
    world: MemoryWorld, head: dict[str, bytes], command: str, ends: str
) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()

    async def decides() -> None:
        sound = world.files
        world.hub.push(5, HEAD)  # what the command looks at is fine
        await world.says(f"/heal {command}", comment_id=1)
        world.hub.push(5, sound)

    world.healer.while_verifying = decides
    await world.pushed(head)
    assert world.status(fix) == ends
    applied_sha = world.store.proposals_[5, fix.id].applied_sha
    assert (applied_sha is not None) == (ends == "applied")
