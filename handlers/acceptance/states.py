"""Determines whether a pull request's head contains fixes, and whether the pull request or its base branch brought
them. Commits decide this, never the text of the files alone."""

import asyncio
from collections.abc import Iterable
from typing import Literal, NamedTuple

from handlers.model import Context, Pull, StoredProposal
from healing.edits.presence import Presence, Tracked, anchored, presence, presences

FixState = Literal["applied", "absent", "edited", "unclear", "base"]
GONE = Presence("unclear")  # the commit can't be read any more, which does not mean that it has no files


class FixAtHead(NamedTuple):
    """The state of a fix on a head. `base`: the head contains it because the base branch does. `item` is the fix to
    store if its state changes; its reference is the head, if the fix can be tracked from there. `tracked` is the fix at
    the reference by which the state was determined."""

    state: FixState
    item: StoredProposal
    tracked: Tracked


async def fix_states(context: Context, pull: Pull, items: Iterable[StoredProposal]) -> dict[str, FixAtHead]:
    """The states of these fixes on the pull request's head, by their ids. Stores nothing."""
    wanted = {item.proposal.id: item for item in items}
    if not wanted:
        return {}
    reader = _StateReader(context, pull)
    found = await reader.at_head(wanted)
    if any(one.state == "edited" for one in found.values()):  # other fixes may have made these edits
        every = {item.proposal.id: item for item in await context.store.proposals(pull.number)} | wanted
        found = {id_: one for id_, one in (await reader.at_head(every, tuple(wanted))).items() if id_ in wanted}
    return {id_: await reader.at_head_with_origin(wanted[id_], one) for id_, one in found.items()}


class _StateReader:
    """Reads each file and commit at most once."""

    def __init__(self, context: Context, pull: Pull) -> None:
        self._context = context
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
            more = await self._context.healer.files(sha, missing)
            self._files[sha] = None if more is None else known | more
        return self._files[sha]

    async def at_head_with_origin(self, item: StoredProposal, found: Presence) -> FixAtHead:
        """The state with its origin (`base`), and the fix anchored at its current place."""
        state = await self._state_by_origin(item) if found.state == "applied" else found.state
        tracked = await self._tracked(item)
        here = await self._read(self._pull.head_sha, frozenset()) or {}
        proposal = anchored(item.proposal, found.state, here.get, found.turned)
        if proposal is not None:
            item = item.model_copy(update={"proposal": proposal, "reference": self._pull.head_sha})
        return FixAtHead(state, item, tracked)

    async def _state_by_origin(self, item: StoredProposal) -> FixState:
        """Returns `base` if the base branch has the fix where the head left it, and didn't have it where the reference
        left it. Both seem to have it if the pull request itself introduced the lines that it later fixed."""
        here, before = await self._fork_point(self._pull.head_sha), await self._fork_point(_reference(item))
        if here is None or here == before:
            return "applied"
        tracked = await self._tracked(item)
        if before is None:
            there = await self._read(here, tracked.files)
            if there is not None and not any(data is not None for data in there.values()):
                return "applied"  # the base branch has none of the files
            return "applied" if (await self._at(here, tracked)).state == "absent" else "unclear"
        then = await self._at(before, tracked)
        if then.state == "applied":
            return "applied"
        return "base" if await self._is_in_base_commit(here, before, tracked, then) else "applied"

    async def _is_in_base_commit(self, here: str, before: str, tracked: Tracked, then: Presence) -> bool:
        """Whether the commit `here` of the base branch has the fix. It is compared with `before`, an earlier commit
        without the fix, because at the reference the pull request may have changed adjacent lines."""
        files = await self._read(before, tracked.files)
        proposal = anchored(tracked.proposal, then.state, files.get, then.turned) if files is not None else None
        if files is not None and proposal is not None:
            now = (await self._at(here, Tracked(proposal, "absent", files.get))).state
            if now in ("applied", "absent"):
                return now == "applied"
        return (await self._at(here, tracked)).state == "applied"

    async def _fork_point(self, sha: str) -> str | None:
        """The merge base of the commit and the current base branch; GitHub's `base.sha` may be outdated."""
        if sha not in self._forks:
            self._forks[sha] = await self._context.github.merge_base(self._pull.base_ref, sha)
        return self._forks[sha]

    async def _at(self, sha: str, tracked: Tracked) -> Presence:
        files = await self._read(sha, tracked.files)
        return GONE if files is None else await asyncio.to_thread(presence, tracked, files.get)


def _reference(item: StoredProposal) -> str:
    """The commit at which the fix was last tracked. Old rows have none: there it is the commit that applied or proved
    the fix."""
    return item.reference or (item.status == "applied" and item.applied_sha) or item.proposal.base_tree
