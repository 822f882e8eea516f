"""A run's integration branch: each accepted proposal is one `--no-ff` merge, first come, first served.

It uses the same queue as external agents, served by the run itself and kept in memory. A run that was killed is run
again, and its proposals are merged again, in the same order, into the same commits.
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
from healing.verify.queue.merge_queue import MergeQueue
from healing.verify.queue.merging import conflicting_files
from healing.verify.queue.records import RecordsInMemory
from healing.verify.queue.session import Agent, Handback, QueueLimits
from healing.verify.queue.session_records import SessionRecords

AUTHOR = "Heal <heal@localhost>"
WHEN = datetime(2020, 1, 1, tzinfo=UTC)  # fixed, so that the same proposals make the same commits
HEAD = "head"
LIMITS = QueueLimits(agents=1000)  # the agent pool limits how many are at work at a time
MAX_WAIT = 20.0  # seconds that an entry waits, after a kill, for one that came before it in the earlier run
MAX_SHOWN = 6_000  # characters of one side of a conflict that are shown to the proposer


class Conflicting(Exception):
    """A proposal that conflicts with what was merged before; the message has files, base and both sides. `over`: it
    came back too often and has ended."""

    def __init__(self, message: str, over: bool) -> None:
        super().__init__(message)
        self.over = over


class Moved(Exception):
    """The branch is no longer what a proposal was proven for: prove it on the branch as it is now."""


class AlreadyFixed(Exception):
    """A proposal that changes nothing; the message says why. `by` is the id of an accepted proposal that makes its
    whole change, empty if several make it together."""

    def __init__(self, message: str, by: str = "") -> None:
        super().__init__(message)
        self.by = by


class Integration:
    """The branch of one run: `tree` is what it holds, `accepted` what was merged into it, in order."""

    def __init__(self, git: Git, head: str, steps: Steps, longest_wait: float = MAX_WAIT) -> None:
        """`head` is the tree that it starts with; `longest_wait` in seconds."""
        self._longest_wait = longest_wait
        self.git, self.head, self.tree, self.steps = git, head, head, steps
        self.accepted: list[Proposal] = []
        self.branches = OwnBranches(git)
        self.queue = MergeQueue(self.branches, SessionRecords(RecordsInMemory(), WHEN.timestamp, LIMITS))
        self._number = 0
        self._were_merged: set[str] = set()
        self._commits: dict[str, str] = {}  # tree → this branch's commit with it
        self._changed_condition = asyncio.Condition()
        self._arrived: list[str] = []
        self._served = 0
        self._at_work = 0
        self._timed_out = False  # an expected entry did not come: this time the order may differ

    @property
    def session(self) -> str:
        """The queue's name for the branch."""
        return f"run-{self._number}"

    @asynccontextmanager
    async def working(self, who: str) -> AsyncIterator[None]:
        """Marks `who` as at work and able to submit. When it leaves with a conflict unresolved, it leaves the queue
        too."""
        self._at_work += 1
        try:
            yield
        finally:
            self._at_work -= 1
            await self.leave(who)
            async with self._changed_condition:
                self._changed_condition.notify_all()

    async def merge(self, who: str, proposal: Proposal, seen: str | None = None) -> None:
        """Merges the proposal once it is its turn. Raises Conflicting, AlreadyFixed and QueueRefusal, and Moved if the
        branch no longer holds the tree `seen` or if the proposal, as it is, would not apply in every order beside the
        others; then nothing has changed."""
        async with self._turn(who):
            if seen not in (None, self.tree):
                raise Moved("other fixes were merged meanwhile")
            merged = await asyncio.to_thread(self.merged_into, self.tree, proposal)
            if merged == self.tree or self.holds(proposal, proposal.base_tree):
                raise self.already_fixed(proposal)
            if merged is not None and set(self.prerequisites(proposal)) - set(proposal.needs):
                raise Moved("it has to come after fixes that it does not name")
            await self._take(who, proposal)
            self.accepted.append(proposal)
            self._were_merged.add(proposal.id)

    def holds(self, fix: Fix, base: str) -> bool:
        """Whether an accepted proposal made the whole change of a fix, on the same tree `base`. Merging it again need
        not show that: among equal lines it may look like a conflict."""
        return any(proposal.base_tree == base and set(fix.edits) <= set(proposal.edits) for proposal in self.accepted)

    def already_fixed(self, fix: Fix) -> AlreadyFixed:
        """The exception to raise for a fix whose change the branch already holds."""
        by = next((proposal.id for proposal in reversed(self.accepted) if set(fix.edits) <= set(proposal.edits)), "")
        return AlreadyFixed(f"the accepted fix {by} makes this change" if by else "accepted fixes make this change", by)

    def prerequisites(self, fix: Fix) -> tuple[str, ...]:
        """Ids of the accepted proposals that a fix made for the head has to come after, in their order. None if it can
        be applied both before and after each of them; otherwise all that change one of its files, and what these
        need."""
        files = {edit.file for edit in fix.edits}
        sharing = [proposal for proposal in self.accepted if any(edit.file in files for edit in proposal.edits)]
        free = not any(proposal.needs for proposal in sharing)
        if free and commute(fix, sharing, self.git.view(self.head).read):
            return ()
        wanted = {id_ for proposal in sharing for id_ in (proposal.id, *proposal.needs)}
        return tuple(proposal.id for proposal in self.accepted if proposal.id in wanted)

    def tree_with_only(self, ids: Collection[str]) -> str | None:
        """The head with only these accepted proposals, which must include all that they need; None if they conflict."""
        tree: str | None = self.head
        for proposal in self.accepted:
            if proposal.id in ids and tree is not None:
                tree = self.merged_into(tree, proposal)
        return tree

    async def holds_all(self, ids: Collection[str]) -> bool:
        """Whether these proposals are merged, or were and have been withdrawn. After a kill, waits a limited time for
        those that will be merged again."""
        async with self._changed_condition:
            while not set(ids) <= self._were_merged | {proposal.id for proposal in self.accepted}:
                if self._timed_out:
                    return False
                await self._wait_for_change()
        return True

    async def continue_from(self, tree: str, accepted: Iterable[Proposal]) -> None:
        """Starts with what was accepted elsewhere: `tree` holds all of it."""
        await self._begin()
        if tree != self.head:
            parent = self._commits[self.head]
            await self._merged("before", self.git.commit(tree, [parent], "What was accepted before\n", AUTHOR, WHEN))
        self.accepted = list(accepted)

    async def leave(self, who: str) -> None:
        """Removes `who` from the queue if it has a conflict that it will not resolve."""
        known = self.queue.session_records.sessions.get(self.session)
        agent = known.agents.get(who) if known else None
        if agent and agent.at_work:
            await self.queue.dequeue(self.session, who)

    async def again(self, proposals: Iterable[Proposal]) -> tuple[Proposal, ...]:
        """Rebuilds the branch from these proposals only. Returns those that don't fit without the removed ones."""
        async with self._changed_condition:
            return await self._rebuilt(proposals)

    async def withdraw(self, who: str, id_: str) -> tuple[Proposal | None, tuple[Proposal, ...]]:
        """Rebuilds the branch without a proposal, when it is the turn of `who`. Returns that proposal (None: it is not
        in the branch), and those that don't fit without it."""
        async with self._turn(who):
            withdrawn = next((proposal for proposal in self.accepted if proposal.id == id_), None)
            remaining = [proposal for proposal in self.accepted if proposal.id != id_]
            return withdrawn, (await self._rebuilt(remaining) if withdrawn else ())

    async def _rebuilt(self, proposals: Iterable[Proposal]) -> tuple[Proposal, ...]:
        left_out: list[Proposal] = []
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

    def merged_into(self, tree: str, proposal: Proposal) -> str | None:
        """The tree with the proposal merged into it; None if they conflict."""
        return self.git.merge(proposal.base_tree, tree, self._applied(proposal)).tree

    def _applied(self, proposal: Proposal) -> str:
        changes = apply_edits(proposal.edits, self.git.view(proposal.base_tree).read)
        modes = {edit.file: edit.mode for edit in proposal.edits if edit.kind == "create"}
        return self.git.write_tree(proposal.base_tree, changes, modes)

    async def _take(self, who: str, proposal: Proposal) -> None:
        await self._begin()
        await self._merged(who, await asyncio.to_thread(self._commit, proposal))

    async def _merged(self, who: str, commit: str) -> None:
        branch = f"agent/{self.session}/{who}"
        await self.queue.register(self.session, who, branch, "")
        self.branches.move(branch, commit, self.branches.tip(branch))
        agent = await self.queue.enqueue(self.session, who)
        while agent.waiting:
            await self.queue.merger.serve()
            agent = self.queue.session_records.agent(self.session, who)
        if agent.state != "MERGED":
            raise Conflicting(await asyncio.to_thread(self._conflict_text, agent), bool(agent.ended))
        tip = self.queue.session_records.session(self.session).tip
        self.tree = self.git.tree_of(tip)
        self._commits[self.tree] = tip

    async def _begin(self) -> None:
        if not self._commits:
            start = self.git.commit(self.head, [], "What was looked at\n", AUTHOR, WHEN)
            self.branches.move(HEAD, start, self.branches.tip(HEAD))
            await self.queue.begin(self.session, HEAD)
            self._commits[self.head] = start

    def _commit(self, proposal: Proposal) -> str:
        """The proposal as a commit on the tree it was made on, or carried over to the tip if that tree is not in this
        branch. If it can't be carried over either, the tree is the author's own: the commit is then made on the head,
        so that the conflict is shown to a proposer who can resolve it."""
        message = f"{proposal.title}\n\n{proposal.explanation}\n"
        parent, tree = self._commits.get(proposal.base_tree), self._applied(proposal)
        if parent is None:
            carried = self.git.merge(proposal.base_tree, self.tree, tree)
            if carried.tree is None and self.git.merge(self.head, self.tree, tree).tree is not None:
                # A commit on the head would bring in everything else in that tree unproven.
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
        """Gives exclusive access to the branch, in order of arrival; after a kill, in the order that was recorded
        before it."""
        async with self._changed_condition:
            self._arrived.append(entry)
            self._changed_condition.notify_all()
            try:
                while entry != await self._next():
                    await self._wait_for_change()
                try:
                    yield
                except Moved:
                    self._served -= 1  # the same entry comes again, and is next
                    raise
                finally:
                    self._served += 1
            finally:
                self._arrived.remove(entry)
                self._changed_condition.notify_all()

    async def _next(self) -> str:
        """The entry that is served now. One recorded as served before a kill is waited for, as long as more entries may
        still come and it doesn't take too long."""

        async def first() -> str:
            return self._arrived[0]

        noted = str(await self.steps.run("merge-order", self._served, first))
        to_come = self._at_work > len(self._arrived) and not self._timed_out
        return noted if noted in self._arrived or to_come else self._arrived[0]

    async def _wait_for_change(self) -> None:
        try:
            async with asyncio.timeout(self._longest_wait):
                await self._changed_condition.wait()
        except TimeoutError:
            self._timed_out = True


def conflict_in_words(files: list[dict[str, object]], handback: Handback) -> str:
    """A conflict as text for the proposer who has to resolve it."""
    parts = [f"it conflicts with what was accepted before, in {', '.join(handback.files[:5])}"]
    for file in files:
        sides = (("before both", "base"), ("accepted before", "ours"), ("yours", "theirs"))
        for name, side in sides:
            text = file[side]
            shown = "(not there, or not text)" if text is None else str(text)
            cut = f"\n(the first {MAX_SHOWN} characters of it)" if len(shown) > MAX_SHOWN else ""
            parts.append(f"== {file['file']}, {name}:\n{shown[:MAX_SHOWN]}{cut}")
    return "\n".join(parts)
