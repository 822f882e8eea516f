"""The certificates with which the vendors' clients verify servers."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl


@cache
def certificates() -> "ssl.SSLContext":
    """What a client would load for itself, loaded once per process: it takes 40 ms, and each run has its clients."""
    import httpx2

    return httpx2.create_ssl_context()
