"""One list of all open fixes, by pull request."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.responses import Response

from bot.store.attention import MOST_FIXES, ListedFix, open_fixes
from bot.web.dashboard.asked_for import asked_word
from bot.web.dashboard.visits import Visit


@dataclass(frozen=True)
class PullFixes:
    """The fixes of one pull request; `number` is 0 for those of a branch without one."""

    full_name: str
    number: int
    fixes: tuple[ListedFix, ...]
    may_write: bool

    @property
    def count(self) -> int:
        return len(self.fixes)

    @property
    def title(self) -> str:
        """What people call it."""
        return self.fixes[0].title or (f"Pull request #{self.number}" if self.number else "The default branch")

    @property
    def posted(self) -> bool:
        """Whether any of them is on the pull request's page."""
        return any(fix.status == "offered" and fix.delivery != "none" for fix in self.fixes)


async def show(visit: Visit) -> Response:
    found = await open_fixes(visit.desk.database, visit.repos)
    return visit.render(
        "fixes.html",
        section="fixes",
        waiting=pulls_of(visit, found),
        fixes=len(found),
        asked=asked_word(visit),
        whole=len(found) < MOST_FIXES,
        now=visit.desk.now(),
    )


def pulls_of(visit: Visit, fixes: Sequence[ListedFix]) -> list[PullFixes]:
    """In the order of the first fix of each."""
    found: dict[tuple[int, int], list[ListedFix]] = {}
    for fix in fixes:
        found.setdefault((fix.repo_id, fix.number), []).append(fix)
    return [
        PullFixes(visit.seen.repos[repo], number, tuple(mine), visit.may_write(repo))
        for (repo, number), mine in found.items()
    ]
