"""A run's integration branch: each accepted proposal is one `--no-ff` merge, first come, first served.

The same queue as for agents from outside, served by the run itself and kept in memory: a run that was killed is run
again, and what was merged is merged again, in the order of before, into the same commits.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from healing.edits.commuting import Fix, commute
from healing.edits.exact import apply_edits
from healing.git import Git
from healing.git.branches import OwnBranches
from healing.model import Proposal
from healing.steps import Steps
from healing.verify.queue.books import SessionRecords
from healing.verify.queue.merge_queue import MergeQueue
from healing.verify.queue.merging import conflicting_files
from healing.verify.queue.records import RecordsInMemory
from healing.verify.queue.session import Agent, Handback, QueueLimits

AUTHOR = "Heal <heal@localhost>"
WHEN = datetime(2020, 1, 1, tzinfo=UTC)  # always the same: the same proposals make the same commits
HEAD = "head"
LIMITS = QueueLimits(agents=1000)  # how many are at work at a time is the agent pool's to say
LONGEST_WAIT = 20.0  # seconds; how long an entry waits for one that came before it when the run was killed
MOST_SHOWN = 6_000  # characters of one side of a conflict that its maker is shown


class Conflicting(Exception):
    """A proposal that does not go together with what was merged before; the message has files, base and both sides.
    `over`: it came back too often and has ended."""

    def __init__(self, message: str, over: bool) -> None:
        super().__init__(message)
        self.over = over


class Moved(Exception):
    """The branch is no longer what a proposal was proven for: prove it on what the branch holds now."""


class AlreadyFixed(Exception):
    """A proposal that changes nothing: the message says so; `by` is an accepted proposal that makes its whole change,
    empty where several do together."""

    def __init__(self, message: str, by: str = "") -> None:
        super().__init__(message)
        self.by = by


class Integration:
    """The branch of one run: `tree` is what it holds, `accepted` what was merged into it, in order."""

    def __init__(self, git: Git, head: str, steps: Steps, longest_wait: float = LONGEST_WAIT) -> None:
        """`head` is the tree that it starts with; `longest_wait` in seconds."""
        self._longest_wait = longest_wait
        self.git, self.head, self.tree, self.steps = git, head, head, steps
        self.accepted: list[Proposal] = []
        self.branches = OwnBranches(git)
        self.queue = MergeQueue(self.branches, SessionRecords(RecordsInMemory(), WHEN.timestamp, LIMITS))
        self._number = 0
        self._commits: dict[str, str] = {}  # tree → this branch's commit with it
        self._news = asyncio.Condition()
        self._came: list[str] = []
        self._served = 0
        self._at_work = 0
        self._late = False  # who was waited for did not come: this time the run takes another way

    @property
    def session(self) -> str:
        """The queue's name for the branch."""
        return f"run-{self._number}"

    @asynccontextmanager
    async def working(self, who: str) -> AsyncIterator[None]:
        """Somebody is at work who may hand something in; who goes with a conflict unsolved leaves the queue."""
        self._at_work += 1
        try:
            yield
        finally:
            self._at_work -= 1
            await self.leave(who)
            async with self._news:
                self._news.notify_all()

    async def merge(self, who: str, proposal: Proposal, seen: str | None = None) -> None:
        """Merges it once its turn has come. Raises Conflicting, AlreadyFixed, and the queue's Refusal, and Moved where
        the branch no longer holds the tree `seen` or the proposal, as it is, would not apply in every order beside the
        others; then nothing has changed."""
        async with self._turn(who):
            if seen not in (None, self.tree):
                raise Moved("other fixes were merged meanwhile")
            merged = await asyncio.to_thread(self.would_be, self.tree, proposal)
            if merged == self.tree or self.holds(proposal, proposal.base_tree):
                raise self.already_fixed(proposal)
            if merged is not None and set(self.underneath(proposal)) - set(proposal.needs):
                raise Moved("it has to come after fixes that it does not name")
            await self._take(who, proposal)
            self.accepted.append(proposal)

    def holds(self, fix: Fix, base: str) -> bool:
        """Whether an accepted proposal made the whole change of a fix, on the same tree `base`. Merging it again need
        not show that: among equal lines it may look like a conflict."""
        return any(one.base_tree == base and set(fix.edits) <= set(one.edits) for one in self.accepted)

    def already_fixed(self, fix: Fix) -> AlreadyFixed:
        """What to raise for a fix whose change the branch holds already."""
        by = next((one.id for one in reversed(self.accepted) if set(fix.edits) <= set(one.edits)), "")
        return AlreadyFixed(f"the accepted fix {by} makes this change" if by else "accepted fixes make this change", by)

    def underneath(self, fix: Fix) -> tuple[str, ...]:
        """Ids of the accepted proposals that a fix made for the head has to come after, in their order: none where it
        can be applied before and after each of them alike; else all that change a file of it, and what these need."""
        files = {edit.file for edit in fix.edits}
        sharing = [one for one in self.accepted if any(edit.file in files for edit in one.edits)]
        free = not any(one.needs for one in sharing)
        if free and commute(fix, sharing, self.git.view(self.head).read):
            return ()
        wanted = {id_ for one in sharing for id_ in (one.id, *one.needs)}
        return tuple(one.id for one in self.accepted if one.id in wanted)

    def with_only(self, ids: Collection[str]) -> str | None:
        """The head with these accepted proposals alone, which hold all that they need; None where they conflict."""
        tree: str | None = self.head
        for proposal in self.accepted:
            if proposal.id in ids and tree is not None:
                tree = self.would_be(tree, proposal)
        return tree

    async def holds_all(self, ids: Collection[str]) -> bool:
        """Whether these proposals are merged. After a kill those that will be merged again are waited for, not too
        long."""
        async with self._news:
            while not set(ids) <= {one.id for one in self.accepted}:
                if self._late:
                    return False
                await self._changed()
        return True

    async def go_on_from(self, tree: str, accepted: Iterable[Proposal]) -> None:
        """Begins with what was accepted in another place: `tree` holds it all."""
        await self._begun()
        if tree != self.head:
            parent = self._commits[self.head]
            await self._merged("before", self.git.commit(tree, [parent], "What was accepted before\n", AUTHOR, WHEN))
        self.accepted = list(accepted)

    async def leave(self, who: str) -> None:
        """Whoever has a conflict and will not solve it goes."""
        known = self.queue.books.sessions.get(self.session)
        agent = known.agents.get(who) if known else None
        if agent and agent.at_work:
            await self.queue.dequeue(self.session, who)

    async def again(self, proposals: Iterable[Proposal]) -> tuple[Proposal, ...]:
        """Makes the branch again of these alone. Gives those that do not fit without the ones that are gone."""
        left_out: list[Proposal] = []
        async with self._news:
            self._number += 1
            self._commits, self.accepted, self.tree = {}, [], self.head
            for proposal in proposals:
                try:
                    if not set(proposal.needs) <= {p.id for p in self.accepted}:
                        raise Conflicting("it needs a proposal that was withdrawn", over=True)
                    await self._take(f"again-{proposal.id}", proposal)
                    self.accepted.append(proposal)
                except Conflicting:
                    left_out.append(proposal)
        return tuple(left_out)

    def would_be(self, tree: str, proposal: Proposal) -> str | None:
        """What the proposal makes of a tree; None: they conflict."""
        return self.git.merge(proposal.base_tree, tree, self._applied(proposal)).tree

    def _applied(self, proposal: Proposal) -> str:
        changes = apply_edits(proposal.edits, self.git.view(proposal.base_tree).read)
        modes = {edit.file: edit.mode for edit in proposal.edits if edit.kind == "create"}
        return self.git.write_tree(proposal.base_tree, changes, modes)

    async def _take(self, who: str, proposal: Proposal) -> None:
        await self._begun()
        await self._merged(who, await asyncio.to_thread(self._commit, proposal))

    async def _merged(self, who: str, commit: str) -> None:
        branch = f"agent/{self.session}/{who}"
        await self.queue.register(self.session, who, branch, "")
        self.branches.move(branch, commit, self.branches.tip(branch))
        agent = await self.queue.enqueue(self.session, who)
        while agent.waiting:
            await self.queue.merger.serve()
            agent = self.queue.books.agent(self.session, who)
        if agent.state != "MERGED":
            raise Conflicting(await asyncio.to_thread(self._conflict_text, agent), bool(agent.ended))
        tip = self.queue.books.session(self.session).tip
        self.tree = self.git.tree_of(tip)
        self._commits[self.tree] = tip

    async def _begun(self) -> None:
        if not self._commits:
            start = self.git.commit(self.head, [], "What was looked at\n", AUTHOR, WHEN)
            self.branches.move(HEAD, start, self.branches.tip(HEAD))
            await self.queue.begin(self.session, HEAD)
            self._commits[self.head] = start

    def _commit(self, proposal: Proposal) -> str:
        """The proposal as a commit on what it was made on; carried over to the tip where that is not in this branch. A
        tree that is neither, nor can be carried over, is its author's own: a commit on the head then, so that the
        conflict is shown to who can solve it."""
        message = f"{proposal.title}\n\n{proposal.explanation}\n"
        parent, tree = self._commits.get(proposal.base_tree), self._applied(proposal)
        if parent is None:
            carried = self.git.merge(proposal.base_tree, self.tree, tree)
            if carried.tree is None and self.git.merge(self.head, self.tree, tree).tree is not None:
                # With the head beneath it, what else that tree holds would come in unproven.
                names = ", ".join(conflict.file for conflict in carried.conflicts[:5])
                raise Conflicting(f"it conflicts with a proposal that was accepted before, in {names}", over=True)
            parent, tree = self._commits[self.tree if carried.tree else self.head], carried.tree or tree
        return self.git.commit(tree, [parent], message, AUTHOR, WHEN)

    def _conflict_text(self, agent: Agent) -> str:
        if agent.handback is None:
            return agent.why
        return conflict_in_words(conflicting_files(self.branches, agent.handback), agent.handback)

    @asynccontextmanager
    async def _turn(self, entry: str) -> AsyncIterator[None]:
        """Alone with the branch, in the order of coming; after a kill in the order that was noted before it."""
        async with self._news:
            self._came.append(entry)
            self._news.notify_all()
            try:
                while entry != await self._next():
                    await self._changed()
                try:
                    yield
                except Moved:
                    self._served -= 1  # it comes again, and is next
                    raise
                finally:
                    self._served += 1
            finally:
                self._came.remove(entry)
                self._news.notify_all()

    async def _next(self) -> str:
        """Who is served now. Who was served then is waited for, as long as somebody is still to come and it is not
        too long."""

        async def first() -> str:
            return self._came[0]

        noted = str(await self.steps.run("merge-order", self._served, first))
        to_come = self._at_work > len(self._came) and not self._late
        return noted if noted in self._came or to_come else self._came[0]

    async def _changed(self) -> None:
        try:
            async with asyncio.timeout(self._longest_wait):
                await self._news.wait()
        except TimeoutError:
            self._late = True


def conflict_in_words(files: list[dict[str, object]], handback: Handback) -> str:
    """A conflict as text for who has to solve it."""
    parts = [f"it conflicts with what was accepted before, in {', '.join(handback.files[:5])}"]
    for file in files:
        sides = (("before both", "base"), ("accepted before", "ours"), ("yours", "theirs"))
        for name, side in sides:
            text = file[side]
            shown = "(not there, or not text)" if text is None else str(text)
            cut = f"\n(the first {MOST_SHOWN} characters of it)" if len(shown) > MOST_SHOWN else ""
            parts.append(f"== {file['file']}, {name}:\n{shown[:MOST_SHOWN]}{cut}")
    return "\n".join(parts)
