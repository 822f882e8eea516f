"""REST for a person's own token: the person, and the installations of an App that they may see."""

from typing import Any

from lab.localhub import oauth
from lab.localhub.calls import Answer, Call, Table, paged
from lab.localhub.shapes import people, repos
from lab.localhub.state import Installation, Permission, Refused, Repo, Token

table = Table()


@table.on("GET", "/user", "token")
def get_user(call: Call) -> Answer:
    """Returns the person of the token."""
    if call.token is None or call.token.installation_id is not None:
        raise Refused(403, "Resource not accessible by integration")
    return Answer(people.public_user(call.hub, call.account))


@table.on("GET", "/user/installations", "token")
def list_installations(call: Call) -> Answer:
    """Lists the installations of the token's App in which the person has repositories."""
    installations = oauth.installations_of(call.hub, _persons(call))
    return paged(call, installations, lambda one: people.installation(call.hub, one), "installations")


@table.on("GET", "/user/installations/{installation}/repositories", "token")
def list_repositories(call: Call) -> Answer:
    """Lists the installation's repositories with explicit access of the person."""
    token = _persons(call)
    installation = _installation(call, token)
    accessible = oauth.repos_of(call.hub, token, installation)
    login = token.account.login

    def shown(repo: Repo) -> dict[str, Any]:
        return repos.full(call.hub, repo) | _permissions(call, repo, login)

    return paged(call, accessible, shown, "repositories")


def _permissions(call: Call, repo: Repo, login: str) -> dict[str, dict[str, bool]]:
    """Returns the person's permissions for a repository."""
    levels: dict[str, Permission] = {
        "admin": "admin",
        "maintain": "maintain",
        "push": "write",
        "triage": "triage",
        "pull": "read",
    }
    return {"permissions": {name: call.hub.may(repo, login, level) for name, level in levels.items()}}


def _persons(call: Call) -> Token:
    if call.token is None or call.token.app_id is None:
        raise Refused(
            403, "You must authenticate with an access token authorized to a GitHub App in order to list installations"
        )
    return call.token


def _installation(call: Call, token: Token) -> Installation:
    number = call.number("installation")
    installation = next(
        (candidate for candidate in oauth.installations_of(call.hub, token) if candidate.id == number), None
    )
    if installation is None:
        raise Refused(404, "Not Found")
    return installation
