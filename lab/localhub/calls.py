"""API calls: the request that handlers get, the response that they return, and the table of routes."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlencode

from lab.localhub.hub import Hub
from lab.localhub.state import Account, App, Pull, Refused, Repo, Token

T = TypeVar("T")


@dataclass
class Answer:
    """A response: `body` is JSON unless it is bytes."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Call:
    """An authenticated request. `app` is set for an App's JWT, `token` otherwise."""

    hub: Hub
    method: str
    path: str
    params: Mapping[str, Any]
    query: Mapping[str, str]
    body: dict[str, Any]
    headers: Mapping[str, str]
    token: Token | None = None
    app: App | None = None
    found_repo: Repo | None = None

    @property
    def repo(self) -> Repo:
        """The repository in the path, to which the token has access."""
        if self.found_repo is None:
            raise Refused(404, "Not Found")
        return self.found_repo

    @property
    def account(self) -> Account:
        """The caller: the person, or the App's bot."""
        if self.token is None:
            raise Refused(401, "Requires authentication")
        return self.token.account

    @property
    def app_id(self) -> int | None:
        """The App behind an installation token."""
        installation = self.hub.installations.get(self.token.installation_id or 0) if self.token else None
        return installation.app_id if installation else None

    @property
    def the_app(self) -> App:
        """The App of a JWT."""
        if self.app is None:
            raise Refused(401, "A JSON web token could not be decoded")
        return self.app

    @property
    def pull(self) -> Pull:
        """The pull request in the path."""
        return self.hub.pull(self.repo, self.number("number"))

    def number(self, name: str) -> int:
        """Returns a path parameter that is an id."""
        text = str(self.params[name])
        if not text.isdecimal():
            raise Refused(404, "Not Found")
        return int(text)

    def need(self, name: str, kind: type[T]) -> T:
        """Returns a required field of the body. Raises Refused(422) with GitHub's message."""
        value = self.body.get(name)
        if value is None:
            raise Refused(422, f'Invalid request.\n\n"{name}" wasn\'t supplied.')
        if not isinstance(value, kind):
            raise Refused(422, f"Invalid request.\n\nFor 'properties/{name}', {value!r} is not of the right type.")
        return value

    def maybe(self, name: str, kind: type[T]) -> T | None:
        """Returns an optional field of the body."""
        return None if self.body.get(name) is None else self.need(name, kind)


Handler = Callable[[Call], Answer]


@dataclass(frozen=True)
class Route:
    """One operation. `needs`: permissions, one of which suffices (`contents:read`), or `jwt`, `token`, `open`."""

    method: str
    path: str
    needs: tuple[str, ...]
    handler: Handler


class Table:
    """The operations of one module, in the order in which they are matched."""

    def __init__(self) -> None:
        self.routes: list[Route] = []

    def on(self, method: str, path: str, *needs: str) -> Callable[[Handler], Handler]:
        """Returns a decorator that registers a handler. `R` stands for `{owner}/{repo}`."""

        def register(handler: Handler) -> Handler:
            full = path.replace("/R", "/repos/{owner}/{repo}", 1) if path.startswith("/R") else path
            self.routes.append(Route(method, full, needs, handler))
            return handler

        return register


def paged(
    call: Call, items: Iterable[T], shape: Callable[[T], Any], key: str | None = None, limit: int = 100
) -> Answer:
    """Returns one page of a list, with the Link header; with `key` in an object with `total_count`."""
    entries = list(items)
    size = _positive(call.query.get("per_page"), 30, limit)
    at = _positive(call.query.get("page"), 1, 10**6)
    last = max(1, -(-len(entries) // size))
    shown = [shape(item) for item in entries[(at - 1) * size : at * size]]
    links = {"prev": at - 1, "next": at + 1, "last": last, "first": 1}
    wanted = {"prev": at > 1, "next": at < last, "last": at < last, "first": at > 1}
    header = ", ".join(f'<{_address(call, page)}>; rel="{name}"' for name, page in links.items() if wanted[name])
    body: Any = {"total_count": len(entries), key: shown} if key else shown
    return Answer(body, headers={"Link": header} if header else {})


def _address(call: Call, page: int) -> str:
    query = urlencode({**call.query, "page": page})
    return f"{call.hub.url}{call.path}?{query}"


def _positive(text: str | None, default: int, most: int) -> int:
    number = int(text) if text and text.isdecimal() else default
    return min(max(number, 1), most)
