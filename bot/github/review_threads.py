"""Reads the review threads of a pull request: GitHub tells their ids only through GraphQL."""

from typing import Any

from bot.github.client import RepoClient
from handlers.model import ReviewThread

MOST_PAGES = 20
_QUERY = """
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 100, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { id isResolved resolvedBy { login } comments(first: 1) { nodes { fullDatabaseId } } } } } } }"""


async def review_threads(client: RepoClient, number: int) -> tuple[ReviewThread, ...]:
    """All of them. Raises Refused."""
    where = {"owner": client.owner, "name": client.full_name.partition("/")[2], "number": number}
    found: list[ReviewThread] = []
    after: str | None = None
    for _ in range(MOST_PAGES):
        data = await client.graphql(_QUERY, {**where, "after": after}, repeatable=True)
        pull = (data.get("repository") or {}).get("pullRequest") or {}
        page = pull.get("reviewThreads") or {}
        found += [made for node in page.get("nodes") or () if node and (made := _thread(node))]
        info = page.get("pageInfo") or {}
        after = info.get("endCursor")
        if not info.get("hasNextPage") or after is None:
            break
    return tuple(found)


def _thread(node: dict[str, Any]) -> ReviewThread | None:
    """None for a thread without comments."""
    comments = [one for one in (node.get("comments") or {}).get("nodes") or () if one and one.get("fullDatabaseId")]
    if not comments:
        return None
    by = (node.get("resolvedBy") or {}).get("login")
    return ReviewThread(
        id=node["id"],
        comment_id=int(comments[0]["fullDatabaseId"]),
        resolved=bool(node["isResolved"]),
        resolved_by=by.removesuffix("[bot]") if by else None,
    )
