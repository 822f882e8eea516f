"""Repositories: creating, forking, roles, and commits by persons."""

from collections.abc import Mapping
from pathlib import Path

from lab.localhub.bare import Bare, Signature
from lab.localhub.hub import Hub
from lab.localhub.state import Account, Permission, Refused, Repo

PROTECTED_PUSH = "Secret detected in content"  # the message of push protection
FileTree = Mapping[str, bytes | str | tuple[bytes, str] | None]
"""Path → content, (content, mode), or None to delete."""


def create_repo(
    hub: Hub, owner: str, name: str, files: FileTree | None = None, branch: str = "main", private: bool = False
) -> Repo:
    """Creates a repository of `owner` with `files` in its first commit (none: an empty repository)."""
    account = hub.person(owner)
    with hub.lock:
        repo = _register(hub, account, name, branch, private)
        bare = Bare.create(repo.path, branch)
        if files is not None:
            bare.set_ref(f"refs/heads/{branch}", commit_object(hub, repo, [], files, "Initial commit", account))
    return repo


def fork(hub: Hub, parent: Repo, owner: str, name: str = "") -> Repo:
    """Creates a fork of `parent` under another account, or under the same one with another name."""
    with hub.lock:
        repo = _register(hub, hub.person(owner), name or parent.name, parent.default_branch, parent.private)
        repo.parent_id = parent.id
        bare = Bare.create(repo.path, parent.default_branch)
        bare.git("fetch", "-q", str(parent.path), "refs/heads/*:refs/heads/*")
    return repo


def add_collaborator(repo: Repo, login: str, permission: Permission) -> None:
    """Grants a role, or with `none` removes it."""
    repo.collaborators[login] = permission


def signature(hub: Hub, account: Account) -> Signature:
    """Returns a person's signature for a commit made now."""
    return Signature(account.name or account.login, account.email, hub.now())


def committer(hub: Hub) -> Signature:
    """Returns the committer of commits made on GitHub's pages and through its API."""
    return Signature("GitHub", "noreply@github.com", hub.now())


def commit_object(
    hub: Hub,
    repo: Repo,
    parents: list[str],
    files: FileTree,
    message: str,
    author: Account,
    by: Signature | None = None,
) -> str:
    """Creates a commit on `parents[0]` with changed `files`; no branch moves. Raises Refused(422) if a file to delete
    is missing."""
    bare = hub.bare(repo)
    changes: list[tuple[str, str | None, str]] = []
    modes = {e.path: e.mode for e in bare.entries(parents[0], recursive=True)} if parents else {}
    for path, content in files.items():
        if content is None:
            if path not in modes:
                raise Refused(422, f"A path was requested for deletion which does not exist: {path}")
            changes.append(("0", None, path))
            continue
        data, mode = content if isinstance(content, tuple) else (content, modes.get(path, "100644"))
        changes.append((mode, bare.blob(data.encode() if isinstance(data, str) else data), path))
    tree = bare.tree(parents[0] if parents else None, changes)
    return bare.commit(tree, parents, message, signature(hub, author), by or signature(hub, author))


def _register(hub: Hub, owner: Account, name: str, branch: str, private: bool) -> Repo:
    """Creates the record of a new repository, without its folder."""
    if any(r.full_name.lower() == f"{owner.login}/{name}".lower() and not r.deleted for r in hub.repos.values()):
        raise Refused(422, "Repository creation failed.")
    number = hub.next_id()
    path = Path(hub.folder) / "git" / str(number) / f"{name}.git"
    path.parent.mkdir(parents=True)
    now = hub.now()
    repo = Repo(number, owner, name, path.resolve(), branch, created_at=now, pushed_at=now, private=private)
    hub.repos[number] = repo
    return repo
