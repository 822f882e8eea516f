"""The list of all open fixes, by pull request."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.responses import Response

from bot.store.attention import MAX_FIXES, ListedFix, open_fixes
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
        """The display name of the pull request."""
        return self.fixes[0].title or (f"Pull request #{self.number}" if self.number else "The default branch")

    @property
    def posted(self) -> bool:
        """Whether any of the fixes was posted on the pull request."""
        return any(fix.status == "offered" and fix.delivery != "none" for fix in self.fixes)


async def show(visit: Visit) -> Response:
    fixes = await open_fixes(visit.services.database, visit.repos)
    return visit.render(
        "fixes.html",
        section="fixes",
        waiting=pulls_of(visit, fixes),
        fixes=len(fixes),
        asked=asked_word(visit),
        whole=len(fixes) < MAX_FIXES,
        now=visit.services.now(),
    )


def pulls_of(visit: Visit, fixes: Sequence[ListedFix]) -> list[PullFixes]:
    """Groups fixes by pull request, in the order of the first fix of each."""
    by_pull: dict[tuple[int, int], list[ListedFix]] = {}
    for fix in fixes:
        by_pull.setdefault((fix.repo_id, fix.number), []).append(fix)
    return [
        PullFixes(visit.visible.repos[repo], number, tuple(group), visit.may_write(repo))
        for (repo, number), group in by_pull.items()
    ]
