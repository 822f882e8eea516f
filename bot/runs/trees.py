"""The trees of a run: its commits fetched by their ids, and the merge that CI built of them."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.store.attempts import Origin
from healing.failed_jobs import Trees
from healing.git import Git, GitError, GitView
from healing.git.transport import Transport


@dataclass(frozen=True)
class RunTrees:
    """Of one repository. `transport` opens git for reading."""

    git: Git
    transport: Callable[[], Awaitable[Transport]]

    async def fetch(self, *wants: str) -> None:
        """Has these commits here, whole. Raises GitError."""
        missing = [sha for sha in dict.fromkeys(wants) if not self.git.has_whole(sha)]
        if missing:
            await asyncio.to_thread(self.git.fetch, await self.transport(), missing)

    async def reading(self, sha: str, wanted: Callable[[str], bool]) -> GitView:
        """The commit's files, for those whose path is wanted to be read: of the others not even the bytes need be
        here. Raises GitError."""
        if not await asyncio.to_thread(self.git.has_files, sha, wanted):
            await asyncio.to_thread(self.git.fetch_files, await self.transport(), sha, wanted)
        return self.git.view(self.git.tree_of(sha))

    async def claimed_merge(self, claimed: str | None, head: str) -> str | None:
        """The merge commit that a log names, if it really is a merge of this head: anyone can print one."""
        if claimed is None or len(claimed) != 40 or await self.made(claimed) is None:
            return None
        return claimed if head in await asyncio.to_thread(self.git.parents, claimed) else None

    async def made(self, sha: str) -> str | None:
        """The commit of that id, if GitHub has it still: a branch may have been rewritten, and of a merge GitHub may
        have made another meanwhile; then head and base are merged here."""
        try:
            await self.reading(sha, lambda _: False)
        except GitError:
            return None
        return sha

    async def merged_into(self, merge: str) -> str | None:
        """The first parent of a merge that is here."""
        return next(iter(await asyncio.to_thread(self.git.parents, merge)), None)

    async def of(self, origin: Origin) -> Trees:
        """The trees, the same wherever they are made. Raises GitError."""
        await self.fetch(*(sha for sha in (origin.head, origin.base, origin.target, origin.merge, origin.green) if sha))
        return await asyncio.to_thread(self._of, origin)

    def _of(self, origin: Origin) -> Trees:
        head = self.git.tree_of(origin.head)
        if origin.base is None or origin.target is None:
            return Trees(head=head, built=head, green=self.git.tree_of(origin.green) if origin.green else None)
        base, target = self.git.tree_of(origin.base), self.git.tree_of(origin.target)
        built = self.git.tree_of(origin.merge) if origin.merge else self.git.merge(base, head, target).tree
        if built is None or base == target:
            return Trees(head=head, built=built or head, merge_base=base)
        return Trees(head=head, built=built, target=target, merge_base=base)
