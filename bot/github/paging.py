"""From one page of a list to the next."""

from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

if TYPE_CHECKING:
    import httpx


def next_page(answer: "httpx.Response", base_url: str) -> str | None:
    """Where the next page is, None after the last. The token goes nowhere but below `base_url`: where GitHub names
    another host (it stands behind a proxy, or has several names) the same list is asked here for what it named."""
    named = answer.links.get("next", {}).get("url", "")
    whole = urljoin(str(answer.url), named) if named else ""
    if whole.startswith(f"{base_url}/"):
        return whole
    query = urlsplit(whole).query
    return str(answer.url.copy_with(query=query.encode())) if query else None
