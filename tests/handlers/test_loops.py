"""Whatever happens in whatever order, Heal never answers itself: bounded runs, bounded posts, still where it was told
to be (IN-4). Everything that Heal does comes back to it as GitHub's events, late, twice or not at all."""

import asyncio
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from handlers import router
from handlers.events import AnyEvent, CheckFailed, CommentCreated, Person, PullChanged, RerunAsked, SuiteSettled
from handlers.model.repo_policy import RepoPolicy
from handlers.runs import healing_run
from healing.steps import MemorySteps
from tests.handlers.hub import ADA, BOT, REPO, SLUG
from tests.handlers.pull import BASE, HEAD, fix_of
from tests.handlers.world import MemoryWorld

ROBOT = Person(login=BOT, id=77, is_bot=True)
OF = {"installation_id": 3, "repo": REPO}
COMMANDS = ("/heal", "/heal apply all", "/heal rollback run", "/heal pause", "/heal resume", "/heal retry")


@dataclass
class Storm:
    """One pull request whose CI is always red, and everything that is heard about it."""

    world: MemoryWorld
    inbox: list[AnyEvent] = field(default_factory=list)
    wishes: int = 0  # of people: pushes and commands
    ids: int = 100
    seen: set[str] = field(default_factory=set)

    def number(self) -> int:
        self.ids += 1
        return self.ids

    async def act(self, what: str) -> None:
        """Somebody does something."""
        self.wishes += 1
        if what == "push":
            self.world.hub.push(5, {**self.world.files, "other.txt": f"{self.ids}\n".encode()})
        elif what == "rerun":
            self.inbox.append(RerunAsked.model_validate(OF | {"sender": ADA, "sha": self.world.head}))
        else:
            reported = {"sender": ADA, "number": 5, "comment_id": self.number(), "where": "issue", "body": what}
            self.inbox.append(CommentCreated.model_validate(OF | reported))

    def echo(self) -> None:
        """GitHub tells of every commit, comment and check run that is new, those of Heal's own too."""
        pull = self.world.hub.pulls[5]
        heads = {"sha": pull.head_sha, "head_branch": pull.head_ref, "pull_numbers": (5,)}
        if self._new(f"head {pull.head_sha}"):
            moved = {"sender": ROBOT, "number": 5, "action": "synchronize", "head_sha": pull.head_sha}
            failed = {"sender": ROBOT, "source": "check_run", "name": "ci", "check_run_id": self.number()}
            self.inbox.append(PullChanged.model_validate(OF | moved))
            self.inbox.append(CheckFailed.model_validate(OF | heads | failed | {"app_slug": "github-actions"}))
            settled = {"sender": ROBOT, "check_suite_id": self.number(), "app_slug": "github-actions"}
            self.inbox.append(SuiteSettled.model_validate(OF | heads | settled))
        posted = self.world.publisher
        for name in posted.checks:
            if self._new(f"check {name}"):
                own = {"sender": ROBOT, "source": "check_run", "name": "Heal", "check_run_id": 3, "app_slug": SLUG}
                self.inbox.append(CheckFailed.model_validate(OF | heads | own))
        bodies = [*(b for b, _ in posted.answers.values()), *posted.stickies.values()]
        bodies += [comment.body for comment in self.world.hub.review_comments_]
        for body in bodies:
            if self._new(f"said {body}"):
                reported = {"sender": ROBOT, "number": 5, "comment_id": self.number(), "where": "issue"}
                # The worst case: what it says would be a command.
                self.inbox.append(CommentCreated.model_validate(OF | reported | {"body": f"/heal apply all\n{body}"}))

    def _new(self, what: str) -> bool:
        fresh = what not in self.seen
        self.seen.add(what)
        return fresh

    async def hear(self, at: int, lost: bool, twice: bool) -> None:
        """One event of those that wait, not the oldest of need."""
        event = self.inbox.pop(at % len(self.inbox))
        for _ in range(0 if lost else 2 if twice else 1):
            self.world.steps = MemorySteps()
            await router.handle(event, self.world)

    async def work(self) -> None:
        """One run of those that are queued."""
        run = self.world.queued.pop(0)
        paused = await self.world.store.paused_by(5)
        before = self.posted()
        healed = len(self.world.healer.healed)
        await healing_run.execute(self.world, run)
        if paused:
            assert (self.posted(), len(self.world.healer.healed)) == (before, healed), "it was told to be still"

    def posted(self) -> int:
        """What people are told of: reviews and comments."""
        return len(self.world.publisher.reviews) + len(self.world.publisher.stickies)

    async def settle(self) -> int:
        """Nobody does anything any more: everything is heard and worked off. Gives how many steps that took."""
        for steps in range(2_000):
            self.echo()
            if self.inbox:
                await self.hear(0, lost=False, twice=False)
            elif self.world.queued:
                await self.work()
            else:
                return steps
        raise AssertionError("it never comes to rest")


Step = tuple[str, int, bool, bool]
STEPS = st.tuples(
    st.sampled_from([*COMMANDS, "push", "rerun", "hear", "hear", "hear", "hear", "work", "work", "echo", "echo"]),
    st.integers(0, 50), st.booleans(), st.booleans(),
)  # fmt: skip


# IN-4, GH-4, SC-1
@settings(max_examples=150, deadline=None)
@given(st.lists(STEPS, max_size=40))
def test_heal_comes_to_rest_posts_little_and_never_answers_itself(steps: list[Step]) -> None:
    asyncio.run(_storm(steps))


async def _storm(steps: list[Step]) -> None:
    world = MemoryWorld(BASE, HEAD)
    world.will_heal(fix_of(world))
    storm = Storm(world)
    for what, at, lost, twice in steps:
        if what == "echo":
            storm.echo()
        elif what == "hear":
            if storm.inbox:
                await storm.hear(at, lost and at % 5 == 0, twice)
        elif what == "work":
            if world.queued:
                await storm.work()
        else:
            await storm.act(what)
    assert await storm.settle() < 1_500
    commits = len([1 for _, message in world.hub.commits.values() if "Heal-Id:" in message])
    pushes = storm.wishes
    # A wish leads to a look, and to at most so many commits of Heal's own, each looked at once.
    assert len(world.healer.healed) <= (1 + pushes) * (1 + RepoPolicy().generations)
    assert commits <= storm.wishes
    assert len(world.publisher.reviews) <= len(world.healer.healed) + pushes + commits
    assert len(world.publisher.stickies) <= 1
    assert len(world.publisher.answers) <= 2 * storm.wishes
    # What was lost is heard at last; heard all over again, all of it changes nothing.
    storm.seen.clear()
    await storm.settle()
    before = (storm.posted(), len(world.healer.healed), len(world.publisher.answers), len(world.hub.commits))
    storm.seen.clear()
    await storm.settle()
    after = (storm.posted(), len(world.healer.healed), len(world.publisher.answers), len(world.hub.commits))
    assert after[0] == before[0]
    assert after[2:] == before[2:]
    assert after[1] <= before[1] + 1  # the same red check, newly numbered, is a failure like any other
