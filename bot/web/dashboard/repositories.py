"""All repositories that a user may see, and the permissions that their installations lack."""

from dataclasses import dataclass

from starlette.responses import Response

from bot.github.permissions import Missing
from bot.store.insights import RepoActivity, repo_activity
from bot.web.dashboard.missing_permissions import missing_permissions
from bot.web.dashboard.visits import Visit
from bot.web.signin.github import SeenInstallation


@dataclass(frozen=True)
class RepositoryRow:
    """One repository; `standing` is None if it had no run yet."""

    name: str
    standing: RepoActivity | None


@dataclass(frozen=True)
class Group:
    """An installation with its repositories."""

    installation: SeenInstallation
    missing: tuple[Missing, ...]
    rows: tuple[RepositoryRow, ...]


async def show(visit: Visit) -> Response:
    known, lacks = await repo_activity(visit.services.database, visit.repos), await missing_permissions(visit)
    visible = visit.visible
    groups = []
    for owner in visible.installations:
        names = {number: name for number, name in visible.repos.items() if visible.owners.get(number) == owner.id}
        rows = [RepositoryRow(name, known.get(number)) for number, name in names.items()]
        rows.sort(key=lambda row: (-(row.standing.last if row.standing else 0.0), row.name.lower()))
        groups.append(Group(owner, lacks[owner.id], tuple(rows)))
    return visit.render("repositories.html", section="repositories", groups=groups, now=visit.services.now())
