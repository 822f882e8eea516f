"""The trees of a run: fetches its commits by their ids, and reproduces the merge that CI built."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.store.attempts import Origin
from healing.failed_jobs import Trees
from healing.git import Git, GitError, GitView
from healing.git.transport import Transport


@dataclass(frozen=True)
class RunTrees:
    """Trees of one repository. `transport` opens a git transport for reading."""

    git: Git
    transport: Callable[[], Awaitable[Transport]]

    async def fetch(self, *wants: str) -> None:
        """Fetches these commits completely, unless they are here. Raises GitError."""
        missing = [sha for sha in dict.fromkeys(wants) if not self.git.has_whole(sha)]
        if missing:
            await asyncio.to_thread(self.git.fetch, await self.transport(), missing)

    async def reading(self, sha: str, wanted: Callable[[str], bool]) -> GitView:
        """Returns a view of the commit in which the files with a wanted path can be read; others may not be fetched.
        Raises GitError."""
        if not await asyncio.to_thread(self.git.has_files, sha, wanted):
            await asyncio.to_thread(self.git.fetch_files, await self.transport(), sha, wanted)
        return self.git.view(self.git.tree_of(sha))

    async def claimed_merge(self, claimed: str | None, head: str) -> str | None:
        """Returns the merge commit that a log names, if it really is a merge of this head: logs are untrusted."""
        if claimed is None or len(claimed) != 40 or await self.made(claimed) is None:
            return None
        return claimed if head in await asyncio.to_thread(self.git.parents, claimed) else None

    async def made(self, sha: str) -> str | None:
        """Returns the commit's id if GitHub still has it, else None: a branch may have been rewritten, and GitHub may
        have replaced a merge commit; then head and base are merged here."""
        try:
            await self.reading(sha, lambda _: False)
        except GitError:
            return None
        return sha

    async def merged_into(self, merge: str) -> str | None:
        """Returns the first parent of a merge commit that was fetched."""
        return next(iter(await asyncio.to_thread(self.git.parents, merge)), None)

    async def of(self, origin: Origin) -> Trees:
        """Returns the trees of an origin, which are the same on every worker. Raises GitError."""
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
