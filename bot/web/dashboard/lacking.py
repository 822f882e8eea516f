"""What installations do not grant, by the newest word of GitHub: the person's listing, or a webhook after it."""

from bot.github.permissions import Missing, missing
from bot.store.grants import grants
from bot.web.dashboard.visits import Visit


async def lacking(visit: Visit) -> dict[int, tuple[Missing, ...]]:
    """For each installation that the person sees."""
    seen = visit.seen
    granted = {one.installation_id: one for one in await grants(visit.desk.database) if one.seen_at >= seen.at}
    newest = {
        one.id: granted[one.id].permissions if one.id in granted else one.permissions for one in seen.installations
    }
    return {number: missing(permissions) for number, permissions in newest.items()}
