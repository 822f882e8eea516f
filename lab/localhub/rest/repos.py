"""REST of repositories: the repository, people's permission, contents, commits, comparison, branches."""

from lab.localhub import diffs
from lab.localhub.calls import Answer, Call, Table, paged
from lab.localhub.shapes import people, pulls, repos
from lab.localhub.state import Pull, Refused

table = Table()
BASE_ROLE = {"admin": "admin", "maintain": "write", "write": "write", "triage": "read", "read": "read", "none": "none"}


@table.on("GET", "/R", "metadata:read")
def get_repo(call: Call) -> Answer:
    """The repository."""
    counts = {"network_count": 0, "subscribers_count": 0}
    return Answer(repos.full(call.hub, call.repo) | counts)


@table.on("GET", "/R/collaborators/{login}/permission", "metadata:read")
def get_permission(call: Call) -> Answer:
    """Returns a person's permission: maintain counts as write, triage as read."""
    account = call.hub.accounts.get(call.params["login"])
    if account is None:
        raise Refused(404, f"{call.params['login']} is not a user")
    role = call.hub.permission(call.repo, account.login)
    person = people.user(call.hub, account) | {"role_name": role}
    return Answer({"permission": BASE_ROLE[role], "role_name": role, "user": person})


@table.on("GET", "/R/contents", "contents:read")
@table.on("GET", "/R/contents/{path:path}", "contents:read")
def get_content(call: Call) -> Answer:
    """Returns a file with its content (or raw bytes, by Accept), or a folder's entries."""
    at = call.query.get("ref") or call.repo.default_branch
    bare, path = call.hub.bare(call.repo), call.params.get("path", "").strip("/")
    sha = bare.sha(at)
    if sha is None:
        raise Refused(404, f"No commit found for the ref {at}")
    parent, _, name = path.rpartition("/")
    if bare.sha(bare.sha_at(sha, parent) or "", "tree") is None:
        raise Refused(404, "Not Found")
    entry = next((e for e in bare.entries(sha, parent) if e.path == name), None) if path else None
    if path and entry is None:
        raise Refused(404, "Not Found")
    if entry is None or entry.kind == "tree":
        prefix = f"{path}/" if path else ""
        inside = bare.entries(sha, path)
        return Answer([repos.content(call.hub, call.repo, at, entry, prefix + entry.path) for entry in inside])
    data = bare.read(sha, path) or b""
    if "raw" in call.headers.get("accept", ""):
        return Answer(data, headers={"Content-Type": "application/vnd.github.raw; charset=utf-8"})
    return Answer(repos.content(call.hub, call.repo, at, entry, path, data))


@table.on("GET", "/R/commits/{ref:path}/pulls", "pull_requests:read")
def pulls_with_commit(call: Call) -> Answer:
    """Lists pull requests whose branch in this repository contains the commit; none for a fork's commits."""
    sha = _commit(call)
    bare = call.hub.bare(call.repo)
    heads = call.hub.bare(call.repo).refs("refs/heads/").values()
    if not any(bare.is_ancestor(sha, head) for head in heads):
        return Answer([])

    def holds(pull: Pull) -> bool:
        if pull.head_repo_id != call.repo.id or not bare.is_ancestor(sha, pull.head_sha):
            return False
        return pull.merged_at is not None or not bare.is_ancestor(sha, pull.base_sha)

    matching = [pull for pull in call.hub.pulls_of(call.repo) if holds(pull)]
    return paged(call, matching, lambda pull: pulls.simple(call.hub, pull))


@table.on("GET", "/R/compare/{basehead:path}", "contents:read")
def compare(call: Call) -> Answer:
    """Compares `head` with its merge base with `base`."""
    base_name, dots, head_name = call.params["basehead"].partition("...")
    bare = call.hub.bare(call.repo)
    base, head = bare.sha(base_name.rpartition(":")[2]), bare.sha(head_name.rpartition(":")[2])
    fork = bare.merge_base(base, head) if dots and base and head else None
    if base is None or head is None or fork is None:
        raise Refused(404, "Not Found")
    ahead, behind = bare.commits(base, head), bare.commits(head, base)
    status = ("diverged" if behind else "ahead") if ahead else ("behind" if behind else "identical")
    url = f"{repos.repo_url(call.hub, call.repo)}/compare/{base}...{head}"
    html = f"{repos.page(call.hub, call.repo)}/compare/{base}...{head}"
    page = paged(call, ahead, lambda sha: repos.commit(call.hub, call.repo, bare.info(sha)), limit=250)
    page.body = {
        "url": url,
        "html_url": html,
        "permalink_url": html,
        "diff_url": f"{html}.diff",
        "patch_url": f"{html}.patch",
        "base_commit": repos.commit(call.hub, call.repo, bare.info(base)),
        "merge_base_commit": repos.commit(call.hub, call.repo, bare.info(fork)),
        "status": status,
        "ahead_by": len(ahead),
        "behind_by": len(behind),
        "total_commits": len(ahead),
        "commits": page.body,
        "files": [repos.diff_entry(call.hub, call.repo, head, f) for f in diffs.diff(bare, fork, head)],
    }
    return page


@table.on("GET", "/R/branches/{branch:path}", "contents:read")
def get_branch(call: Call) -> Answer:
    """Returns a branch, and whether it is protected."""
    name = call.params["branch"]
    bare = call.hub.bare(call.repo)
    sha = bare.branch(name)
    if sha is None:
        raise Refused(404, "Branch not found")
    return Answer(repos.branch(call.hub, call.repo, name, bare.info(sha)))


@table.on("GET", "/R/rules/branches/{branch:path}", "metadata:read")
def get_rules(call: Call) -> Answer:
    """Lists the ruleset rules for a branch, whether or not it exists."""
    source = {"ruleset_source_type": "Repository", "ruleset_source": call.repo.full_name, "ruleset_id": 1}
    return paged(call, call.repo.rules.get(call.params["branch"], ()), lambda rule: {"type": rule, **source})


# After all other paths below /commits, as a ref may contain slashes.
last = Table()


@last.on("GET", "/R/commits/{ref:path}", "contents:read")
def get_commit(call: Call) -> Answer:
    """Returns a commit with its diff; only the diff with Accept: …diff."""
    sha, bare = _commit(call), call.hub.bare(call.repo)
    info = bare.info(sha)
    parent = info.parents[0] if info.parents else ""
    if "diff" in call.headers.get("accept", ""):
        text = bare.git("show", "--format=", "-M", sha)
        return Answer(text, headers={"Content-Type": "application/vnd.github.diff; charset=utf-8"})
    return Answer(repos.commit(call.hub, call.repo, info, diffs.diff(bare, parent, sha)))


def _commit(call: Call) -> str:
    sha = call.hub.bare(call.repo).sha(call.params["ref"])
    if sha is None:
        raise Refused(422, f"No commit found for SHA: {call.params['ref']}")
    return sha
