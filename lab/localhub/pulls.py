"""Pull requests: opening, new heads, merge commits, closing, merging, and the conversation below them."""

from lab.localhub import pushes, repos
from lab.localhub.hub import Hub
from lab.localhub.pull_heads import bare_of, base_tip, close, fetch_head, files, merge_sha, reanchor, refresh_merge
from lab.localhub.state import Account, IssueComment, Pull, Reaction, Refused, Repo

BODY_LIMIT = 65536
LABEL_LIMIT = 50
REACTIONS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")


def refuse_long(body: str | None, field: str = "body") -> None:
    """Raises Refused(422) for texts above GitHub's limit of 65,536 characters."""
    if body is not None and len(body) > BODY_LIMIT:
        error = {"resource": "IssueComment", "code": "unprocessable", "field": "data"}
        message = f"{field.capitalize()} is too long (maximum is {BODY_LIMIT} characters)"
        raise Refused(422, "Validation Failed", [error | {"message": message}])


def open_pull(  # noqa: PLR0913, PLR0917 -- what a person fills in
    hub: Hub,
    person: str,
    repo: Repo,
    head: str,
    base: str | None = None,
    title: str = "A change",
    body: str | None = None,
    draft: bool = False,
    app_id: int | None = None,
    head_repo_name: str = "",
) -> Pull:
    """Opens a pull request into `repo`; `head` is a branch, or `owner:branch` of a fork. `head_repo_name` names a fork
    that has the same owner as `repo`.

    Refused(422) as GitHub does: unknown base or head, no commits between, one already open for the pair.
    """
    with hub.lock:
        owner, _, branch = head.rpartition(":")
        head_repo = _repo_of(hub, repo, owner, head_repo_name)
        base = base or repo.default_branch
        head_sha = hub.bare(head_repo).branch(branch) if head_repo else None
        base_sha = hub.bare(repo).branch(base)
        if head_repo is None or head_sha is None:
            raise _invalid("head")
        if base_sha is None:
            raise _invalid("base")
        number = 1 + max((p.number for p in hub.pulls_of(repo)), default=0)
        fetch_head(hub, repo, head_repo, head_sha, number)
        if draft and not repo.drafts:
            raise Refused(422, "Draft pull requests are not supported in this repository.")
        _refuse_pair(hub, repo, head_repo, branch, base, base_sha, head_sha)
        refuse_long(body)
        now = hub.now()
        pull = Pull(
            hub.next_id(), number, repo.id, head_repo.id, head_repo.owner.login, branch, head_sha, base, base_sha,
            title, body, hub.person(person), now, now, draft, app_id=app_id,
        )  # fmt: skip
        hub.pulls[repo.id, number] = pull
        refresh_merge(hub, pull)
        hub.publish("pull_request", "opened", repo, pull.author, pull=pull)
        return pull


def commits(hub: Hub, pull: Pull) -> list[str]:
    """Returns the commits that it would add, oldest first."""
    return bare_of(hub, pull).commits(base_tip(hub, pull), pull.head_sha)


def close_pull(hub: Hub, person: str, pull: Pull) -> None:
    """Closes the pull request without merging it."""
    with hub.lock:
        if pull.state == "open":
            close(hub, pull, hub.person(person))


def reopen_pull(hub: Hub, person: str, pull: Pull) -> None:
    """Reopens the pull request. Raises Refused(422) if its head was deleted or it was merged."""
    with hub.lock:
        head_repo = hub.repos.get(pull.head_repo_id or 0)
        head = hub.bare(head_repo).branch(pull.head_ref) if head_repo else None
        if pull.merged_at or head is None or head_repo is None:
            raise Refused(422, "Validation Failed", ["state cannot be changed. The branch has been deleted."])
        if pull.state == "closed":
            pull.state, pull.closed_at, pull.head_sha = "open", None, head
            fetch_head(hub, hub.repos[pull.repo_id], head_repo, head, pull.number)
            refresh_merge(hub, pull)
            hub.publish("pull_request", "reopened", hub.repos[pull.repo_id], hub.person(person), pull=pull)


def retarget(hub: Hub, account: Account, pull: Pull, base: str) -> None:
    """Changes the base branch, and so the diff; comments on lines that are no longer in it become outdated. This starts
    no workflows. Raises Refused(422) as `open_pull`."""
    repo = hub.repos[pull.repo_id]
    with hub.lock:
        sha, head_repo = bare_of(hub, pull).branch(base), hub.repos.get(pull.head_repo_id or 0)
        if sha is None:
            raise _invalid("base")
        if head_repo is not None:
            _refuse_pair(hub, repo, head_repo, pull.head_ref, base, sha, pull.head_sha)
        before = {"ref": {"from": pull.base_ref}, "sha": {"from": pull.base_sha}}
        pull.base_ref, pull.base_sha = base, sha
        refresh_merge(hub, pull)
        reanchor(hub, pull, files(hub, pull))
        hub.publish("pull_request", "edited", repo, account, pull=pull, changes={"base": before})


def merge_pull(hub: Hub, person: str, pull: Pull) -> str:
    """Merges the pull request with a merge commit. Raises Refused(405) if it can't be merged."""
    with hub.lock:
        merged = merge_sha(hub, pull)
        if pull.state != "open" or pull.draft or merged is None:
            raise Refused(405, "Pull Request is not mergeable")
        repo, account = hub.repos[pull.repo_id], hub.person(person)
        bare, base = hub.bare(repo), base_tip(hub, pull)
        tree = bare.info(merged).tree
        message = f"Merge pull request #{pull.number} from {pull.head_owner}/{pull.head_ref}\n\n{pull.title}\n"
        author = repos.signature(hub, account)
        new = bare.commit(tree, [base, pull.head_sha], message, author, repos.committer(hub))
        pushes.move_branch(hub, repo, pull.base_ref, new, account)
        return new


def set_draft(hub: Hub, account: Account, pull: Pull, draft: bool) -> None:
    """Converts the pull request to a draft, or marks it ready for review."""
    if pull.draft != draft:
        pull.draft = draft
        action = "converted_to_draft" if draft else "ready_for_review"
        hub.publish("pull_request", action, hub.repos[pull.repo_id], account, pull=pull)


def add_labels(hub: Hub, account: Account, pull: Pull, names: list[str]) -> None:
    """Adds labels; missing labels are created. Raises Refused(422) if one is too long."""
    repo = hub.repos[pull.repo_id]
    if any(len(name) > LABEL_LIMIT for name in names):
        error = {"resource": "Label", "code": "custom", "field": "name"}
        raise Refused(422, "Validation Failed", [error | {"message": f"name is too long (maximum is {LABEL_LIMIT})"}])
    for name in names:
        repo.labels.setdefault(name, hub.next_id())
        if name not in pull.labels:
            pull.labels.append(name)
            hub.publish("pull_request", "labeled", repo, account, pull=pull, label=name)


def remove_label(hub: Hub, account: Account, pull: Pull, name: str) -> None:
    """Removes a label. Raises Refused(404) if the pull request doesn't have it."""
    if name not in pull.labels:
        raise Refused(404, "Label does not exist")
    pull.labels.remove(name)
    hub.publish("pull_request", "unlabeled", hub.repos[pull.repo_id], account, pull=pull, label=name)


def comment(hub: Hub, person: str, pull: Pull, body: str, app_id: int | None = None) -> IssueComment:
    """Adds a comment to the pull request."""
    if not body:
        error = {"resource": "IssueComment", "code": "missing_field", "field": "body"}
        raise Refused(422, "Validation Failed", [error])
    refuse_long(body)
    with hub.lock:
        now = hub.now()
        posted = IssueComment(
            hub.next_id(), pull.repo_id, pull.number, hub.person(person), body, now, now, app_id=app_id
        )
        hub.comments[posted.id] = posted
        pull.updated_at = now
        repo = hub.repos[pull.repo_id]
        hub.publish("issue_comment", "created", repo, posted.author, pull=pull, comment=posted)
        return posted


def edit_comment(hub: Hub, account: Account, comment: IssueComment, body: str) -> None:
    """Edits a comment on the pull request."""
    refuse_long(body)
    with hub.lock:
        before, comment.body, comment.updated_at = comment.body, body, hub.now()
        repo = hub.repos[comment.repo_id]
        pull = hub.pull(repo, comment.number)
        hub.publish("issue_comment", "edited", repo, account, pull=pull, comment=comment, before_body=before)


def react(hub: Hub, account: Account, subject_id: int, content: str) -> tuple[Reaction, bool]:
    """Adds a reaction; returns it and whether it is new. As on GitHub there is no event for reactions."""
    if content not in REACTIONS:
        raise Refused(422, "Validation Failed", [{"resource": "Reaction", "code": "invalid", "field": "content"}])
    with hub.lock:
        for reaction in hub.reactions_to(subject_id):
            if reaction.account.id == account.id and reaction.content == content:
                return reaction, False
        reaction = Reaction(hub.next_id(), subject_id, account, content, hub.now())
        hub.reactions[reaction.id] = reaction
        return reaction, True


def _repo_of(hub: Hub, base: Repo, owner: str, name: str) -> Repo | None:
    """Returns the repository in `base`'s network with this owner (empty: `base` itself) and name, or None."""
    if owner in ("", base.owner.login) and name in ("", base.name):
        return base
    forks = [repo for repo in hub.repos.values() if repo.parent_id == base.id and repo.owner.login == owner]
    return next((repo for repo in forks if name in ("", repo.name)), None)


def _refuse_pair(hub: Hub, repo: Repo, head_repo: Repo, branch: str, base: str, base_sha: str, head_sha: str) -> None:
    """Raises Refused(422) if there are no commits between the branches, or a pull request is already open."""
    if not hub.bare(repo).commits(base_sha, head_sha):
        raise _custom(f"No commits between {base} and {branch}")
    for pull in hub.pulls_of(repo):
        if pull.state == "open" and (pull.head_repo_id, pull.head_ref, pull.base_ref) == (head_repo.id, branch, base):
            raise _custom(f"A pull request already exists for {head_repo.owner.login}:{branch}.")


def _invalid(field: str) -> Refused:
    return Refused(422, "Validation Failed", [{"resource": "PullRequest", "field": field, "code": "invalid"}])


def _custom(message: str) -> Refused:
    return Refused(422, "Validation Failed", [{"resource": "PullRequest", "code": "custom", "message": message}])
