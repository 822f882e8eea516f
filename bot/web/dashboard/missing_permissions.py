"""The permissions that installations lack, from GitHub's latest report: the user's listing, or a later webhook."""

from bot.github.permissions import Missing, missing
from bot.store.grants import grants
from bot.web.dashboard.visits import Visit


async def missing_permissions(visit: Visit) -> dict[int, tuple[Missing, ...]]:
    """Returns the missing permissions of each installation that the user may see."""
    visible = visit.visible
    granted = {
        grant.installation_id: grant for grant in await grants(visit.services.database) if grant.seen_at >= visible.at
    }
    newest = {i.id: granted[i.id].permissions if i.id in granted else i.permissions for i in visible.installations}
    return {number: missing(permissions) for number, permissions in newest.items()}
