"""Random conversations over fixes of the same files, beside plain git: after every step the bytes, what is stored of
each fix and every answer agree with the commits (SC-4, SC-5, SC-6, SC-7, GH-6, IN-3).

`HEAL_HISTORIES=4000 python -m pytest -n 0 tests/handlers/test_histories.py` looks at more of them, and at others each
time: about 30 minutes.
"""

import asyncio
import os
import subprocess
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from handlers import router
from handlers.events import PullChanged, PullClosed
from handlers.model import StoredProposal
from healing.edits.exact import EditError, apply_edits, edits_between
from healing.model import Edit, Proposal
from healing.steps import MemorySteps
from tests.handlers.histories import FILE_OF, FIXES, INTRODUCED, NOTES, GitHub, State, crowded, id_of
from tests.handlers.hub import ADA, REPO
from tests.handlers.world import MemoryWorld

LONG = int(os.environ.get("HEAL_HISTORIES", "0"))
STANDING = ("pending", "offered")
NUMBERS = st.sampled_from(sorted(FIXES))
T = TypeVar("T")


class Histories(RuleBasedStateMachine):
    """`truth` is what each commit holds by construction; git has to have those bytes."""

    folder: Path

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.hub = GitHub(self.folder)
        self.truth: dict[str, State] = {}
        self.base_fixes: dict[str, frozenset[int]] = {}
        self.line: list[str] = []
        self.ids = 1000
        self.heard = ""
        self.before: dict[int, str] = {}
        self.doubtful: set[int] = set()  # a commit that said how they stood is gone
        self.disputed: set[int] = set()  # the pull request took out what the base had brought: whose is it then?

    @initialize(with_base=st.booleans())
    def begin(self, with_base: bool) -> None:
        """A pull request; its base branch has the files too (without what it introduced), or not yet."""
        base = State(INTRODUCED).files() if with_base else {"other.txt": b"0\n"}
        self.world = MemoryWorld(base, State().files(), self.hub)
        self.with_base = with_base
        self.base_fixes[self.pull.base_sha] = INTRODUCED
        self.truth[self.world.head] = State()
        self.line = [self.world.head]
        self.heard = self.world.head
        self.retry()

    def teardown(self) -> None:
        self.runner.close()

    @property
    def pull(self):  # type: ignore[no-untyped-def]
        return self.hub.pulls[5]

    @property
    def state(self) -> State:
        return self.truth[self.world.head]

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def stored(self, number: int) -> StoredProposal | None:
        return self.world.store.proposals_.get((5, id_of(number)))

    def status(self, number: int) -> str:
        item = self.stored(number)
        return item.status if item else ""

    @property
    def open(self) -> set[int]:
        """Of these both can be said."""
        return self.doubtful | self.disputed

    def watched_without(self, number: int, status: str) -> None:
        """Heal noted a head without the fix, though the base branch has it."""
        if number not in self.state.fixes and self.from_base(number) and self.status(number) == status:
            self.disputed.add(number)

    def from_base(self, number: int) -> bool:
        """Whether the head's part of the base branch has the fix, and brought it."""
        base = self.run(self.hub.merge_base("main", self.world.head)) or ""
        return self.with_base and number not in INTRODUCED and number in self.base_fixes[base]

    def proposal(self, number: int) -> Proposal:
        """What the engine would find on the head."""
        before, after = (self.state.with_fixes(fixes).files()[FILE_OF[number]] for fixes in self._with(number))
        edits = edits_between(FILE_OF[number], before, after)
        return self.world.proposal(*edits, id=id_of(number), source=f"fixer:{number}", error_ids=("E1",))

    def _with(self, number: int) -> tuple[frozenset[int], frozenset[int]]:
        return self.state.fixes - {number}, self.state.fixes | {number}

    def push(self, state: State, *parents: str, hear: bool = True) -> None:
        """Somebody pushes; the event may come later."""
        self.hub.push(5, state.files(), "change", parents)
        if parents:
            self.line = []
        self.moved(state)
        if hear:
            self.hear()

    def moved(self, state: State) -> None:
        self.truth[self.world.head] = state
        self.line.append(self.world.head)

    def event(self, action: str) -> PullChanged:
        reported = {"installation_id": 3, "repo": REPO, "sender": ADA, "number": 5}
        return PullChanged.model_validate({**reported, "action": action, "head_sha": self.world.head})

    def hear(self) -> None:
        """GitHub tells of the head; then everything that is stored has to be so."""
        if self.pull.state == "closed":
            return
        self.before = {number: self.status(number) for number in FIXES}
        self.world.steps = MemorySteps()
        self.run(router.handle(self.event("synchronize"), self.world))
        self.heard = self.world.head
        for number, was in self.before.items():
            if was == "applied":
                self.watched_without(number, "rolled-back")
        self.agrees()

    def agrees(self) -> None:
        """Each status with what the commits say."""
        for number, was in self.before.items():
            now, here = self.status(number), number in self.state.fixes
            why = f"fix {number} was {was or 'unknown'} and is {now}; on the branch: {here}"
            if not was or was in ("rejected", "muted"):
                assert now == was, why
            elif number in self.open or crowded(number):
                assert now in (was, "outdated") or (now == "applied") == here or now == "rolled-back", why
            elif here and self.from_base(number):
                assert now == ("rolled-back" if was == "rolled-back" else "outdated"), why
            elif here:
                assert now == "applied", why
            elif was == "applied":
                assert now in ("rolled-back", "outdated"), why
            else:
                assert now == was or {now, was} <= set(STANDING), why

    def says(self, command: str) -> str:
        self.ids += 1
        return self.run(self.world.says(command, comment_id=self.ids))

    @rule()
    def retry(self) -> None:
        """CI is red on the head, and the engine finds what isn't fixed there."""
        if self.pull.state == "closed" or self.heard != self.world.head:
            return
        absent = [number for number in FIXES if number not in self.state.fixes]
        self.world.will_heal(*map(self.proposal, absent), run_id=f"run{self.world.head[:8]}")
        self.ids += 1
        self.run(self.world.ci_fails(check_run_id=self.ids))
        self.says("/heal retry")
        self.run(self.world.work())
        self.doubtful -= {n for n in absent if self.status(n) in STANDING}
        for number in absent:
            self.watched_without(number, "offered")

    @rule(numbers=st.lists(NUMBERS, min_size=1, max_size=3, unique=True), hear=st.booleans())
    def accept(self, numbers: list[int], hear: bool) -> None:
        """Suggestions are accepted on the page, in one commit."""
        kept = {comment.id for comment in self.hub.review_comments_ if comment.line is not None}
        items = [self.stored(number) for number in numbers]
        edits: list[Edit] = []
        taken: set[int] = set()
        for number, item in zip(numbers, items, strict=True):
            if item is not None and item.status == "offered" and item.comment_id in kept:
                edits += item.proposal.edits
                taken.add(number)
        if not taken or self.heard != self.world.head:
            return
        state = self.state.with_fixes(self.state.fixes | taken)
        try:
            changes = apply_edits(edits, self.world.files.get)
        except EditError:  # what a doubtful one replaces may be gone already, and then nobody can accept it
            assert taken & self.open
            return
        if changes.items() <= state.files().items():
            self.push(state, hear=hear)

    @rule(number=NUMBERS)
    def apply(self, number: int) -> None:
        if not self.status(number):
            return
        self.applying(f"/heal apply {id_of(number)}", [number])

    @rule()
    def apply_all(self) -> None:
        self.applying("/heal apply all", [number for number in FIXES if self.status(number) in STANDING])

    def applying(self, command: str, numbers: list[int]) -> None:
        before, head, closed = self.state, self.world.head, self.pull.state == "closed"
        answer = self.says(command)
        lines = {number: line for number in numbers for line in answer.splitlines() if f"`{id_of(number)[:8]}`" in line}
        done = {number for number, line in lines.items() if "committed as" in line}
        if closed or not numbers:
            assert self.world.head == head
            return
        for number in numbers:
            here, why = number in before.fixes, f"fix {number}: {lines.get(number, answer)}"
            if number in self.open or crowded(number):
                assert not (here and number in done), why
            elif here:
                expected = "already on the base branch" if self.from_base(number) else "is already on the branch"
                assert expected in lines[number], why
            else:
                assert number in done, why
        if self.world.head != head:
            self.moved(before.with_fixes(before.fixes | done))
            self.hear()

    @rule(number=NUMBERS)
    def reject(self, number: int) -> None:
        if self.status(number):
            self.says(f"/heal reject {id_of(number)}")

    @rule(number=NUMBERS)
    def rollback(self, number: int) -> None:
        if self.status(number):
            self.rolling_back(f"/heal rollback {id_of(number)}", {number})

    @rule()
    def rollback_run(self) -> None:
        self.rolling_back("/heal rollback run", None)

    def rolling_back(self, command: str, numbers: set[int] | None) -> None:
        before, head, closed = self.state, self.world.head, self.pull.state == "closed"
        answer = self.says(command)
        named = {number for number in FIXES if f"`{id_of(number)[:8]}`" in answer}
        if self.world.head == head:
            assert "Reverted" not in answer
            for number in () if closed or numbers is None else numbers - self.open:
                fine = number not in before.fixes or self.from_base(number) or crowded(number)
                assert fine, f"fix {number} is on the branch, and not taken back: {answer}"
            return
        assert "Reverted" in answer
        assert named <= before.fixes, f"taken back what wasn't there: {answer}"
        assert not any(self.from_base(number) for number in named - self.disputed)
        assert numbers is None or named == numbers
        self.moved(before.with_fixes(before.fixes - named))
        for number in named:
            assert self.status(number) == "rolled-back"
        self.hear()

    @rule(number=st.sampled_from(NOTES), version=st.integers(0, 3), hear=st.booleans())
    def note(self, number: int, version: int, hear: bool) -> None:
        """A push somewhere else in the same files."""
        self.push(self.state.noted(number, version), hear=hear)

    @rule(number=NUMBERS, hear=st.booleans())
    def same_edit_by_hand(self, number: int, hear: bool) -> None:
        if number not in self.state.fixes:
            self.push(self.state.with_fixes(self.state.fixes | {number}), hear=hear)

    @rule(number=NUMBERS, hear=st.booleans())
    def revert_by_hand(self, number: int, hear: bool) -> None:
        if number in self.state.fixes:
            self.push(self.state.with_fixes(self.state.fixes - {number}), hear=hear)

    @rule()
    def revert_the_last_commit(self) -> None:
        """What the last commit brought goes, and what it took comes back."""
        if len(self.line) > 1:
            self.push(self.truth[self.line[-2]])

    @rule(back=st.integers(1, 4), hear=st.booleans())
    def push_by_force(self, back: int, hear: bool) -> None:
        """The last commits are thrown away."""
        if len(self.line) > back:
            del self.line[-back:]
            self.hub.move(5, self.line[-1])
            if hear:
                self.hear()

    @rule()
    def squash(self) -> None:
        """All commits become one on the same fork of the base branch."""
        base = self.run(self.hub.merge_base("main", self.world.head))
        assert base is not None
        self.push(self.state, base)

    @rule()
    def collect_garbage(self) -> None:
        """What was thrown away is gone for good."""
        kept = set(self.hub.git("rev-list", self.world.head, self.pull.base_sha).decode().split())
        self.hub.lost |= self.hub.commits.keys() - kept
        for number in FIXES:
            item = self.stored(number)
            if item is not None and item.reference in self.hub.lost:
                self.doubtful.add(number)

    @rule(number=NUMBERS)
    def base_fixes_it_itself(self, number: int) -> None:
        fixes = self.base_fixes[self.pull.base_sha] | {number}
        files = State(fixes).files() if self.with_base else {"other.txt": b"%d\n" % len(self.hub.commits)}
        base = self.hub.commit(files, "base", self.pull.base_sha)
        self.base_fixes[base] = fixes if self.with_base else INTRODUCED
        self.hub.pulls[5] = self.pull.model_copy(update={"base_sha": base})

    @rule(rebase=st.booleans(), hear=st.booleans())
    def take_the_base_in(self, rebase: bool, hear: bool) -> None:
        """By a merge or a rebase; what the pull request introduced stays. Git does nothing where it is in."""
        if self.run(self.hub.merge_base(self.pull.base_sha, self.world.head)) == self.pull.base_sha:
            return
        brought = self.base_fixes[self.pull.base_sha] - INTRODUCED if self.with_base else frozenset()
        state = self.state.with_fixes(self.state.fixes | brought)
        parents = (self.pull.base_sha,) if rebase else (self.world.head, self.pull.base_sha)
        self.push(state, *parents, hear=hear)

    @rule()
    def close(self) -> None:
        if self.pull.state == "open":
            self.hub.pulls[5] = self.pull.model_copy(update={"state": "closed"})
            reported = {"installation_id": 3, "repo": REPO, "sender": ADA, "number": 5, "merged": False}
            self.run(router.handle(PullClosed.model_validate(reported), self.world))

    @precondition(lambda self: self.pull.state == "closed")
    @rule()
    def reopen(self) -> None:
        self.hub.pulls[5] = self.pull.model_copy(update={"state": "open"})
        self.run(router.handle(self.event("reopened"), self.world))
        self.hear()

    @precondition(lambda self: self.heard != self.world.head)
    @rule()
    def hear_of_it(self) -> None:
        self.hear()

    @invariant()
    def git_has_these_bytes(self) -> None:
        if self.truth:
            assert self.hub.files_of(self.world.head) == self.state.files()


# SC-4 SC-5 SC-6 SC-7 GH-6 IN-3
@pytest.mark.timeout(0 if LONG else 900)
def test_conversations_and_plain_git_agree() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Histories.folder = Path(folder)
        subprocess.run(["git", "init", "-q", "--bare", folder], check=True)
        machine = Histories.TestCase
        machine.settings = settings(
            max_examples=LONG or 80,
            stateful_step_count=50,
            derandomize=not LONG,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            print_blob=bool(LONG),
            report_multiple_bugs=False,
        )
        machine("runTest").runTest()
