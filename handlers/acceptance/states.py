"""Whether fixes are on a pull request's head, and whether the pull request brought them: from commits, never from text
alone."""

import asyncio
from collections.abc import Iterable
from typing import Literal, NamedTuple

from handlers.model import Context, Pull, StoredProposal
from healing.edits.presence import Presence, Tracked, anchored, presence, presences

FixState = Literal["applied", "absent", "edited", "unclear", "base"]
GONE = Presence("unclear")  # in a commit that nobody has any more: that is no commit without files


class FixAtHead(NamedTuple):
    """How a fix stands on a head. `base`: it is there, and the base branch brought it. `item` is the fix as it is to be
    stored where its state changes: the head is its reference, if its text can say there how it stands. `tracked` is it
    at the reference that it was judged by."""

    state: FixState
    item: StoredProposal
    tracked: Tracked


async def fix_states(context: Context, pull: Pull, items: Iterable[StoredProposal]) -> dict[str, FixAtHead]:
    """Of these fixes, by their ids, on the pull request's head. Nothing is stored."""
    wanted = {item.proposal.id: item for item in items}
    if not wanted:
        return {}
    reader = _StateReader(context, pull)
    found = await reader.at_head(wanted)
    if any(one.state == "edited" for one in found.values()):  # the others may explain what stands there
        every = {item.proposal.id: item for item in await context.store.proposals(pull.number)} | wanted
        found = {id_: one for id_, one in (await reader.at_head(every, tuple(wanted))).items() if id_ in wanted}
    return {id_: await reader.at_head_with_origin(wanted[id_], one) for id_, one in found.items()}


class _StateReader:
    """What was read for one question, once."""

    def __init__(self, context: Context, pull: Pull) -> None:
        self._world = context
        self._pull = pull
        self._files: dict[str, dict[str, bytes | None] | None] = {}  # by commit
        self._forks: dict[str, str | None] = {}  # commit → where it left the base branch

    async def at_head(
        self, items: dict[str, StoredProposal], wanted: tuple[str, ...] | None = None
    ) -> dict[str, Presence]:
        tracked = {id_: await self._tracked(item) for id_, item in items.items()}
        now = await self._read(self._pull.head_sha, frozenset().union(*(one.files for one in tracked.values())))
        if now is None:
            return dict.fromkeys(wanted or items, GONE)
        return await asyncio.to_thread(presences, wanted or tuple(items), tracked, now.get)

    async def _tracked(self, item: StoredProposal) -> Tracked:
        status: Literal["applied", "absent"] = "applied" if item.status == "applied" else "absent"
        bare = Tracked(item.proposal, status, None)
        files = await self._read(_reference(item), bare.files)
        return Tracked(item.proposal, status, files.get if files is not None else None)

    async def _read(self, sha: str, paths: frozenset[str]) -> dict[str, bytes | None] | None:
        known = self._files.get(sha, {})
        if known is None:
            return None
        if missing := paths - known.keys():
            more = await self._world.healer.files(sha, missing)
            self._files[sha] = None if more is None else known | more
        return self._files[sha]

    async def at_head_with_origin(self, item: StoredProposal, found: Presence) -> FixAtHead:
        """With who brought it, and the fix anchored where it stands now."""
        state = await self._state_by_origin(item) if found.state == "applied" else found.state
        tracked = await self._tracked(item)
        here = await self._read(self._pull.head_sha, frozenset()) or {}
        proposal = anchored(item.proposal, found.state, here.get, found.turned)
        if proposal is not None:
            item = item.model_copy(update={"proposal": proposal, "reference": self._pull.head_sha})
        return FixAtHead(state, item, tracked)

    async def _state_by_origin(self, item: StoredProposal) -> FixState:
        """The base branch brought it if the head's part of that branch has the fix, and the reference's had not: where
        a pull request made what it then fixed, both look as if they had it."""
        here, before = await self._fork_point(self._pull.head_sha), await self._fork_point(_reference(item))
        if here is None or here == before:
            return "applied"
        tracked = await self._tracked(item)
        if before is None:
            there = await self._read(here, tracked.files)
            if there is not None and not any(data is not None for data in there.values()):
                return "applied"  # the base branch hasn't the files
            return "applied" if (await self._at(here, tracked)).state == "absent" else "unclear"
        then = await self._at(before, tracked)
        if then.state == "applied":
            return "applied"
        return "base" if await self._is_in_base_commit(here, before, tracked, then) else "applied"

    async def _is_in_base_commit(self, here: str, before: str, tracked: Tracked, then: Presence) -> bool:
        """Whether the fix is in this commit of the base branch. An earlier one, which hadn't the fix, says so better
        than the reference: at that the pull request may have changed the lines right beside it."""
        files = await self._read(before, tracked.files)
        proposal = anchored(tracked.proposal, then.state, files.get, then.turned) if files is not None else None
        if files is not None and proposal is not None:
            now = (await self._at(here, Tracked(proposal, "absent", files.get))).state
            if now in ("applied", "absent"):
                return now == "applied"
        return (await self._at(here, tracked)).state == "applied"

    async def _fork_point(self, sha: str) -> str | None:
        """Where the commit left the base branch as that is now: GitHub's `base.sha` may be of an earlier time."""
        if sha not in self._forks:
            self._forks[sha] = await self._world.github.merge_base(self._pull.base_ref, sha)
        return self._forks[sha]

    async def _at(self, sha: str, tracked: Tracked) -> Presence:
        files = await self._read(sha, tracked.files)
        return GONE if files is None else await asyncio.to_thread(presence, tracked, files.get)


def _reference(item: StoredProposal) -> str:
    """Those that were stored before there were references were last seen where they were applied or proven."""
    return item.reference or (item.status == "applied" and item.applied_sha) or item.proposal.base_tree
