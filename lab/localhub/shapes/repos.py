"""JSON of repositories, commits, diffs and the git database."""

import base64
from typing import Any
from urllib.parse import quote

from lab.localhub.bare import CommitInfo, Entry
from lab.localhub.diffs import FileDiff
from lab.localhub.hub import Hub
from lab.localhub.shapes.people import api, user, when
from lab.localhub.state import Account, Repo, node_id

LINKS = """archive_url=/{archive_format}{/ref} assignees_url=/assignees{/user} blobs_url=/git/blobs{/sha}
branches_url=/branches{/branch} collaborators_url=/collaborators{/collaborator} comments_url=/comments{/number}
commits_url=/commits{/sha} compare_url=/compare/{base}...{head} contents_url=/contents/{+path}
contributors_url=/contributors deployments_url=/deployments downloads_url=/downloads events_url=/events
forks_url=/forks git_commits_url=/git/commits{/sha} git_refs_url=/git/refs{/sha} git_tags_url=/git/tags{/sha}
hooks_url=/hooks issue_comment_url=/issues/comments{/number} issue_events_url=/issues/events{/number}
issues_url=/issues{/number} keys_url=/keys{/key_id} labels_url=/labels{/name} languages_url=/languages
merges_url=/merges milestones_url=/milestones{/number}
notifications_url=/notifications{?since,all,participating} pulls_url=/pulls{/number} releases_url=/releases{/id}
stargazers_url=/stargazers statuses_url=/statuses/{sha} subscribers_url=/subscribers
subscription_url=/subscription tags_url=/tags teams_url=/teams trees_url=/git/trees{/sha}"""


def repo_url(hub: Hub, repo: Repo) -> str:
    """The REST URL of a repository."""
    return f"{api(hub)}/repos/{repo.full_name}"


def page(hub: Hub, repo: Repo) -> str:
    """The URL of a repository's page."""
    return f"{hub.url}/{repo.full_name}"


def minimal(hub: Hub, repo: Repo) -> dict[str, Any]:
    """A minimal repository."""
    url = repo_url(hub, repo)
    return {
        "id": repo.id,
        "node_id": node_id("R", repo.id),
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
        "owner": user(hub, repo.owner),
        "html_url": page(hub, repo),
        "description": None,
        "fork": repo.parent_id is not None,
        "url": url,
        **{name: url + path for name, path in (link.split("=", 1) for link in LINKS.split())},
    }


def full(hub: Hub, repo: Repo) -> dict[str, Any]:
    """A repository as in most responses."""
    html = page(hub, repo)
    host = hub.url.partition("://")[2]
    pulls = sum(pull.state == "open" for pull in hub.pulls_of(repo))
    zero = ("forks", "forks_count", "size", "stargazers_count", "watchers", "watchers_count")
    return minimal(hub, repo) | {
        "clone_url": f"{html}.git",
        "git_url": f"git://{host}/{repo.full_name}.git",
        "ssh_url": f"git@{host}:{repo.full_name}.git",
        "svn_url": html,
        "mirror_url": None,
        "homepage": None,
        "language": "Python",
        "license": None,
        **dict.fromkeys(zero, 0),
        "open_issues": pulls,
        "open_issues_count": pulls,
        "default_branch": repo.default_branch,
        "topics": [],
        "visibility": "private" if repo.private else "public",
        **dict.fromkeys(("has_issues", "has_downloads"), True),
        **dict.fromkeys(("has_projects", "has_wiki", "has_pages", "has_discussions"), False),
        **dict.fromkeys(("archived", "disabled", "is_template"), False),
        "allow_forking": True,
        "web_commit_signoff_required": False,
        "created_at": when(repo.created_at),
        "updated_at": when(repo.pushed_at),
        "pushed_at": when(repo.pushed_at),
    }


def account_of(hub: Hub, email: str, name: str) -> Account | None:
    """Returns the account of a commit's e-mail address, or None."""
    if email == "noreply@github.com" and name == "GitHub":
        return hub.web_flow
    return next((account for account in hub.accounts.values() if account.email == email), None)


def verification(info: CommitInfo) -> dict[str, Any]:
    """The verification of a commit: only commits by GitHub itself are signed."""
    signed = info.committer_email == "noreply@github.com"
    return {
        "verified": signed,
        "reason": "valid" if signed else "unsigned",
        "signature": "-----BEGIN PGP SIGNATURE-----" if signed else None,
        "payload": f"tree {info.tree}\n" if signed else None,
        "verified_at": info.committed_at if signed else None,
    }


def git_commit(hub: Hub, repo: Repo, info: CommitInfo) -> dict[str, Any]:
    """A commit of the git database."""
    url = repo_url(hub, repo)
    return {
        "sha": info.sha,
        "node_id": node_id("C", int(info.sha[:12], 16)),
        "url": f"{url}/git/commits/{info.sha}",
        "html_url": f"{page(hub, repo)}/commit/{info.sha}",
        "author": {"name": info.author_name, "email": info.author_email, "date": info.authored_at},
        "committer": {"name": info.committer_name, "email": info.committer_email, "date": info.committed_at},
        "tree": {"sha": info.tree, "url": f"{url}/git/trees/{info.tree}"},
        "message": info.message,
        "parents": [
            {
                "sha": parent,
                "url": f"{url}/git/commits/{parent}",
                "html_url": f"{page(hub, repo)}/commit/{parent}",
            }
            for parent in info.parents
        ],
        "verification": verification(info),
    }


def commit(hub: Hub, repo: Repo, info: CommitInfo, files: tuple[FileDiff, ...] | None = None) -> dict[str, Any]:
    """A commit with its accounts; with `files` also its changes."""
    inner = git_commit(hub, repo, info)
    url = f"{repo_url(hub, repo)}/commits/{info.sha}"
    author = account_of(hub, info.author_email, info.author_name)
    committer = account_of(hub, info.committer_email, info.committer_name)
    parents = [{**one, "url": f"{repo_url(hub, repo)}/commits/{one['sha']}"} for one in inner["parents"]]
    keys = ("author", "committer", "message", "tree", "url", "verification")
    shape = {
        "sha": info.sha,
        "node_id": inner["node_id"],
        "commit": {key: inner[key] for key in keys} | {"comment_count": 0},
        "url": url,
        "html_url": inner["html_url"],
        "comments_url": f"{url}/comments",
        "author": user(hub, author) if author else None,
        "committer": user(hub, committer) if committer else None,
        "parents": parents,
    }
    if files is not None:
        added, deleted = sum(f.additions for f in files), sum(f.deletions for f in files)
        shape["stats"] = {"additions": added, "deletions": deleted, "total": added + deleted}
        shape["files"] = [diff_entry(hub, repo, info.sha, file) for file in files]
    return shape


def simple_commit(info: CommitInfo) -> dict[str, Any]:
    """The head commit inside check suites and workflow runs."""
    return {
        "id": info.sha,
        "tree_id": info.tree,
        "message": info.message,
        "timestamp": info.committed_at,
        "author": {"name": info.author_name, "email": info.author_email},
        "committer": {"name": info.committer_name, "email": info.committer_email},
    }


def diff_entry(hub: Hub, repo: Repo, sha: str, file: FileDiff) -> dict[str, Any]:
    """One changed file. Binary files have no `patch`."""
    path = quote(file.path)
    shape = {
        "sha": file.sha,
        "filename": file.path,
        "status": file.status,
        "additions": file.additions,
        "deletions": file.deletions,
        "changes": file.additions + file.deletions,
        "blob_url": f"{page(hub, repo)}/blob/{sha}/{path}",
        "raw_url": f"{page(hub, repo)}/raw/{sha}/{path}",
        "contents_url": f"{repo_url(hub, repo)}/contents/{path}?ref={sha}",
    }
    if file.patch is not None:
        shape["patch"] = file.patch
    return shape | ({"previous_filename": file.previous} if file.previous else {})


def ref(hub: Hub, repo: Repo, name: str, sha: str) -> dict[str, Any]:
    """A git reference; `name` starts with refs/."""
    url = repo_url(hub, repo)
    return {
        "ref": name,
        "node_id": node_id("REF", repo.id),
        "url": f"{url}/git/{quote(name)}",
        "object": {"type": "commit", "sha": sha, "url": f"{url}/git/commits/{sha}"},
    }


def tree(hub: Hub, repo: Repo, sha: str, entries: list[Entry]) -> dict[str, Any]:
    """A git tree."""
    url = repo_url(hub, repo)
    shown = []
    for entry in entries:
        item: dict[str, Any] = {"path": entry.path, "mode": entry.mode, "type": entry.kind, "sha": entry.sha}
        if entry.kind != "commit":
            item["url"] = f"{url}/git/{entry.kind}s/{entry.sha}"
        shown.append(item | ({"size": entry.size} if entry.size is not None else {}))
    return {"sha": sha, "url": f"{url}/git/trees/{sha}", "tree": shown, "truncated": False}


def content(hub: Hub, repo: Repo, at: str, entry: Entry, path: str, data: bytes | None = None) -> dict[str, Any]:
    """A file or folder; with `data` (for a single file) also its content."""
    quoted = quote(path)
    url = f"{repo_url(hub, repo)}/contents/{quoted}?ref={quote(at, safe='')}"
    kind = {"tree": "dir", "commit": "submodule"}.get(entry.kind, "symlink" if entry.mode == "120000" else "file")
    git = f"{repo_url(hub, repo)}/git/{'trees' if kind == 'dir' else 'blobs'}/{entry.sha}"
    html = f"{page(hub, repo)}/blob/{at}/{quoted}"
    shape = {
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": entry.sha,
        "size": entry.size or 0,
        "url": url,
        "html_url": html,
        "git_url": git,
        "download_url": f"{page(hub, repo)}/raw/{at}/{quoted}" if kind == "file" else None,
        "type": kind,
        "_links": {"self": url, "git": git, "html": html},
    }
    if data is not None:
        shape |= {"content": base64.encodebytes(data).decode(), "encoding": "base64"}
    return shape


def branch(hub: Hub, repo: Repo, name: str, info: CommitInfo) -> dict[str, Any]:
    """A branch with its protection."""
    url = f"{repo_url(hub, repo)}/branches/{quote(name)}"
    classic = name in repo.protected
    return {
        "name": name,
        "commit": commit(hub, repo, info),
        "_links": {"self": url, "html": f"{page(hub, repo)}/tree/{quote(name)}"},
        "protected": classic or name in repo.rules,
        "protection": {"enabled": classic},
        "protection_url": f"{url}/protection",
    }
