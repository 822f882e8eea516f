"""REST of pull requests: listing, opening, changing, their files and commits, requested reviewers."""

from lab.localhub import auth, pull_heads
from lab.localhub import pulls as domain
from lab.localhub.calls import Answer, Call, Table, paged
from lab.localhub.shapes import pulls, repos
from lab.localhub.state import Pull, Refused, node_id

table = Table()
MAX_FILES = 3000
DIFF_LIMIT = 20_000
NO_COLLABORATOR = "Reviews may only be requested from collaborators."
STATES = ("open", "closed", "all")


@table.on("GET", "/R/pulls", "pull_requests:read")
def list_pulls(call: Call) -> Answer:
    """Lists pull requests, newest first; filtered by `state`, `head=owner:branch` and `base`."""
    state = call.query.get("state", "open")
    if state not in STATES:
        raise Refused(422, "Validation Failed", [{"resource": "PullRequest", "code": "invalid", "field": "state"}])
    head, base = call.query.get("head", ""), call.query.get("base")

    def wanted(pull: Pull) -> bool:
        fits = state in ("all", pull.state) and base in (None, pull.base_ref)
        return fits and (":" not in head or head == f"{pull.head_owner}:{pull.head_ref}")

    shown = [pull for pull in reversed(call.hub.pulls_of(call.repo)) if wanted(pull)]
    if call.query.get("direction") == "asc":
        shown.reverse()
    return paged(call, shown, lambda pull: pulls.simple(call.hub, pull))


@table.on("POST", "/R/pulls", "pull_requests:write")
def create_pull(call: Call) -> Answer:
    """Opens a pull request."""
    pull = domain.open_pull(
        call.hub,
        call.account.login,
        call.repo,
        call.need("head", str),
        call.need("base", str),
        call.need("title", str),
        call.maybe("body", str),
        bool(call.body.get("draft")),
        call.app_id,
        call.maybe("head_repo", str) or "",
    )
    return Answer(pulls.full(call.hub, pull), 201)


@table.on("GET", "/R/pulls/{number}", "pull_requests:read")
def get_pull(call: Call) -> Answer:
    """Returns a pull request, or its diff with Accept: …diff (406 if that is too large)."""
    if "diff" in call.headers.get("accept", ""):
        bare, pull = call.hub.bare(call.repo), call.pull
        text = bare.git("diff", "-M", f"{pull.base_sha}...{pull.head_sha}")
        if text.count(b"\n") > DIFF_LIMIT:
            raise Refused(406, "Sorry, the diff exceeded the maximum number of lines (20000)")
        return Answer(text, headers={"Content-Type": "application/vnd.github.diff; charset=utf-8"})
    return Answer(pulls.full(call.hub, call.pull))


@table.on("PATCH", "/R/pulls/{number}", "pull_requests:write")
def update_pull(call: Call) -> Answer:
    """Updates title, body, state or base. `draft` can only be changed through GraphQL."""
    hub, pull = call.hub, call.pull
    pull.title = call.maybe("title", str) or pull.title
    if "body" in call.body:
        domain.refuse_long(call.body["body"])
        pull.body = call.body["body"]
    base = call.maybe("base", str)
    if base and base != pull.base_ref:
        domain.retarget(hub, call.account, pull, base)
    state = call.maybe("state", str)
    if state == "closed":
        domain.close_pull(hub, call.account.login, pull)
    elif state == "open":
        domain.reopen_pull(hub, call.account.login, pull)
    pull.updated_at = hub.now()
    return Answer(pulls.full(hub, pull))


@table.on("GET", "/R/pulls/{number}/files", "pull_requests:read")
def list_files(call: Call) -> Answer:
    """Lists the changed files with their patches."""
    pull = call.pull
    files = pull_heads.files(call.hub, pull)[:MAX_FILES]
    return paged(call, files, lambda file: repos.diff_entry(call.hub, call.repo, pull.head_sha, file))


@table.on("GET", "/R/pulls/{number}/commits", "pull_requests:read")
def list_commits(call: Call) -> Answer:
    """Lists the commits that it adds, at most 250."""
    bare = call.hub.bare(call.repo)
    shas = domain.commits(call.hub, call.pull)[:250]
    return paged(call, shas, lambda sha: repos.commit(call.hub, call.repo, bare.info(sha)))


@table.on("PUT", "/R/pulls/{number}/merge", "contents:write")
def merge_pull(call: Call) -> Answer:
    """Merges a pull request with a merge commit."""
    wanted = call.maybe("sha", str)
    if wanted and wanted != call.pull.head_sha:
        raise Refused(409, "Head branch was modified. Review and try the merge again.")
    sha = domain.merge_pull(call.hub, call.account.login, call.pull)
    return Answer({"sha": sha, "merged": True, "message": "Pull Request successfully merged"})


@table.on("POST", "/R/pulls/{number}/requested_reviewers", "pull_requests:write")
def request_reviewers(call: Call) -> Answer:
    """Requests reviews; people must be collaborators and not the author."""
    hub, pull = call.hub, call.pull
    names = [str(name) for name in call.maybe("reviewers", list) or []]
    for name in names:
        if name == pull.author.login:
            raise Refused(422, "Review cannot be requested from pull request author.")
        if name != call.repo.owner.login and name not in call.repo.collaborators:
            raise Refused(
                422, f"{NO_COLLABORATOR} One or more of the users or teams you specified is not a collaborator."
            )
    teams = [str(slug) for slug in call.maybe("team_reviewers", list) or []]
    if teams and not (call.token and auth.allows(hub, call.token, call.repo, "members:read")):
        raise Refused(422, f"Could not resolve to a node with the global id of '{node_id('T', len(teams[0]))}'.")
    for slug in teams:
        if slug not in call.repo.teams:
            raise Refused(422, f"{NO_COLLABORATOR} One or more of the teams you specified is not a collaborator.")
    people = {account.id: account for account in (*pull.reviewers, *(hub.person(name) for name in names))}
    pull.reviewers = list(people.values())
    pull.teams += [slug for slug in dict.fromkeys(teams) if slug not in pull.teams]
    return Answer(pulls.simple(hub, pull), 201)
