"""The HTTP client for GitHub's API, over githubkit with its cache and retries switched off."""

import re
from collections.abc import Awaitable, Callable
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bot import __version__
from bot.github.pace import Pace, creates_content
from bot.secrets import hide_tokens
from handlers.model import Refused

if TYPE_CHECKING:
    import ssl

    import httpx

Sleep = Callable[[float], Awaitable[None]]
Observe = Callable[[str, "httpx.Response | None"], None]
API_VERSION = "2022-11-28"  # accepted by every supported GitHub Enterprise Server
SECONDS = 20.0
_WAIT_AT_LEAST = 60.0
# Limits that can be distinguished from other refusals only by the message; some have status 422.
_ABUSE = re.compile(r"secondary rate limit|submitted too quickly|abuse detection", re.IGNORECASE)


class Unsure(Refused):
    """The request may or may not have been performed: a time-out, a broken connection or a 5xx response."""


class Transport:
    """Sends requests with a given Authorization header. Used with `async with`, in the task that sends the requests, it
    keeps connections open; otherwise every request opens its own."""

    def __init__(self, base_url: str, pace: Pace, observe: Observe = lambda *_: None) -> None:
        """`observe` is called with every request's method and response, None if there was no response."""
        from githubkit import GitHub
        from githubkit.cache import MemCacheStrategy
        from httpx import Timeout

        self.base_url = base_url.rstrip("/")
        self.pace = pace
        self._observe = observe
        self.config: dict[str, Any] = {
            "base_url": self.base_url,
            "user_agent": f"heal/{__version__}",  # GitHub requires one that identifies the App
            "timeout": Timeout(SECONDS, connect=5),
            "http_cache": False,
            "auto_retry": False,
            "follow_redirects": False,
            "ssl_verify": certificates(),
        }
        self._github = GitHub(**self.config, cache_strategy=MemCacheStrategy())

    async def __aenter__(self) -> "Transport":
        await self._github.__aenter__()  # type: ignore[no-untyped-call]
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._github.__aexit__()

    @property
    def graphql_url(self) -> str:
        """The GraphQL URL that belongs to this REST base URL."""
        if self.base_url.endswith("/api/v3"):
            return self.base_url.removesuffix("/v3") + "/graphql"
        return f"{self.base_url}/graphql"

    async def sleep(self, seconds: float) -> None:
        """Waits, with the clock of `pace`."""
        await self.pace.sleep(seconds)

    async def send(self, method: str, url: str, authorization: str | None, **options: Any) -> "httpx.Response":
        """Sends one request and returns its response, whatever the status. `authorization` is None for requests that
        sign users in. Writes are sent one after another. Raises Refused for a rate limit, and Unsure if there was no
        response."""
        if method != "GET":
            async with self.pace.turn(creates_content(method, urlsplit(url).path)):
                return await self._send(method, url, authorization, **options)
        await self.pace.refuse_while_closed()
        return await self._send(method, url, authorization, **options)

    async def _send(self, method: str, url: str, authorization: str | None, **options: Any) -> "httpx.Response":
        from githubkit.exception import RequestError, RequestFailed

        headers = {"X-GitHub-Api-Version": API_VERSION, **options.pop("headers", {})}
        if authorization is not None:
            headers["Authorization"] = authorization
        try:
            answer = (await self._github.arequest(method, url, headers=headers, **options)).raw_response
        except RequestFailed as error:
            answer = error.response.raw_response
        except RequestError as error:
            self._observe(method, None)
            kind = type(error.exc).__name__
            raise Unsure(504, f"no answer to {method} {urlsplit(url).path} ({kind}); is GitHub reachable?") from None
        self._observe(method, answer)
        if answer.status_code in (403, 422, 429):
            await self._refuse_limits(answer)
        elif (used_up := _until_reset(answer)) is not None:
            await self.pace.close(used_up)  # the next request would be refused
        return answer

    async def _refuse_limits(self, answer: "httpx.Response") -> None:
        """Raises Refused (429, whatever GitHub's status was) with the seconds to wait if this is a rate limit; other
        refusals pass. After a limit nothing is sent for this installation until the time has passed."""
        text = message_of(answer)
        if _named_wait(answer) is None and answer.status_code != 429 and not is_limit(text):
            return
        raise await self.limited(answer, text)

    async def limited(self, answer: "httpx.Response", text: str) -> Refused:
        """Returns the refusal for a rate limit, with the time to wait that the response states or else a default."""
        return Refused(429, text, retry_after=await self.pace.close(_named_wait(answer)))


@cache
def certificates() -> "ssl.SSLContext":
    """Those that this machine trusts, loaded once per process: it takes longer than a request."""
    import httpx

    return httpx.create_ssl_context()


def _named_wait(answer: "httpx.Response") -> float | None:
    """Returns the seconds to wait that GitHub states, if it does."""
    headers = answer.headers
    if headers.get("retry-after", "").isdigit():
        return float(headers["retry-after"])
    return None if answer.status_code == 422 else _until_reset(answer)


def _until_reset(answer: "httpx.Response") -> float | None:
    """Returns the seconds until the rate limit resets, if this was the last request of the hour."""
    headers = answer.headers
    if headers.get("x-ratelimit-remaining") != "0" or not headers.get("x-ratelimit-reset", "").isdigit():
        return None
    return max(float(headers["x-ratelimit-reset"]) - _server_time(answer), 1.0)


def _server_time(answer: "httpx.Response") -> float:
    """Returns the time of GitHub's clock, from the response, so that waiting doesn't depend on the local clock."""
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(answer.headers["date"]).timestamp()
    except (KeyError, ValueError, TypeError):
        return float(answer.headers["x-ratelimit-reset"]) - _WAIT_AT_LEAST


def is_limit(text: str) -> bool:
    """Whether a message of GitHub's is about a rate limit."""
    return _ABUSE.search(text) is not None


def message_of(answer: "httpx.Response") -> str:
    """Returns GitHub's message in an error response, with everything that looks like a token masked."""
    try:
        body = answer.json()
    except ValueError:
        return hide_tokens(answer.text[:300]) or answer.reason_phrase
    if not isinstance(body, dict):
        return hide_tokens(str(body)[:300])
    errors = body.get("errors")
    listed = errors if isinstance(errors, list) else [errors]
    details = [str(e.get("message", e)) if isinstance(e, dict) else str(e) for e in listed if e]
    return hide_tokens("; ".join([str(body.get("message", "")), *details])[:1000])


def refused(answer: "httpx.Response") -> Refused:
    """Returns the exception for an error response: Unsure for 5xx, else Refused."""
    kind = Unsure if answer.status_code >= 500 else Refused
    needs = answer.headers.get("x-accepted-github-permissions", "") if answer.status_code == 403 else ""
    request = f"{answer.request.method} {answer.request.url.path}"
    return kind(answer.status_code, message_of(answer), needs=needs, request=request)
