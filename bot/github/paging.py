"""Pagination of lists."""

from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

if TYPE_CHECKING:
    import httpx


def next_page(answer: "httpx.Response", base_url: str) -> str | None:
    """Returns the URL of the next page, None after the last. The token is sent only to URLs below `base_url`: if GitHub
    names another host (behind a proxy, or with several names), its query is applied to the current URL."""
    link = answer.links.get("next", {}).get("url", "")
    url = urljoin(str(answer.url), link) if link else ""
    if url.startswith(f"{base_url}/"):
        return url
    query = urlsplit(url).query
    return str(answer.url.copy_with(query=query.encode())) if query else None
