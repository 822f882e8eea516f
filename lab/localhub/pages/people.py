"""The person viewing a page: one of the demo's persons, chosen with a select and stored in a cookie."""

from collections.abc import Sequence

from lab.localhub.hub import Hub
from lab.localhub.state import RANKS, Account, Permission, Pull, Refused, Repo

COOKIE = "localhub_you"


def of_repo(hub: Hub, repo: Repo) -> list[Account]:
    """Returns all persons who have a role in the repository or wrote a pull request; its owner only if there is no
    other admin."""
    logins = dict.fromkeys(repo.collaborators)
    logins |= dict.fromkeys(p.author.login for p in hub.pulls_of(repo) if p.author.type == "User")
    if "admin" not in repo.collaborators.values():
        logins[repo.owner.login] = None
    return [hub.accounts[login] for login in logins if login in hub.accounts and _is_person(hub, login)]


def of_all(hub: Hub) -> list[Account]:
    """Returns all persons of all repositories."""
    accounts = [account for repo in hub.repos.values() if not repo.deleted for account in of_repo(hub, repo)]
    return list({account.login: account for account in accounts}.values())


def chosen(hub: Hub, login: str | None, listed: Sequence[Account]) -> Account | None:
    """Returns the person in the cookie, else the first of those listed."""
    known = hub.accounts.get(login or "")
    if known and _is_person(hub, known.login):
        return known
    return listed[0] if listed else None


def require(hub: Hub, repo: Repo, you: Account | None, wanted: Permission, what: str) -> Account:
    """Returns the person if they have the role. Raises Refused(403) otherwise."""
    if you is None:
        raise Refused(403, f"Nobody is chosen who could {what}.")
    has = hub.permission(repo, you.login)
    if RANKS[has] < RANKS[wanted]:
        raise Refused(403, f"To {what} needs {wanted} access to {repo.full_name}; {you.login} has {has}.")
    return you


def may_push(hub: Hub, pull: Pull, you: Account | None) -> bool:
    """Whether the person may commit to the pull request's head branch."""
    head = hub.repos.get(pull.head_repo_id or 0)
    if head is None or you is None:
        return False
    helped = pull.maintainer_can_modify and hub.may(hub.repos[pull.repo_id], you.login, "write")
    return hub.may(head, you.login, "write") or helped


def _is_person(hub: Hub, login: str) -> bool:
    return hub.accounts[login].type == "User" and login != hub.web_flow.login
