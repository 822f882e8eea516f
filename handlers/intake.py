"""Converts webhook payloads to Heal's events. No other module depends on the format of GitHub's payloads."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from handlers import payloads as p
from handlers.events import (
    AnyEvent,
    ButtonPressed,
    CheckFailed,
    CommentCreated,
    DefaultBranchMoved,
    Installed,
    Person,
    PullChanged,
    PullClosed,
    Repo,
    RerunAsked,
    StatusPassed,
    SuiteRequested,
    SuiteSettled,
    ThreadResolved,
    Uninstalled,
)

# Conclusions that mean that the change may be broken; the others mean passing, or don't depend on the change.
FAILED = frozenset({"failure", "timed_out", "action_required", "startup_failure"})
PULL_ACTIONS = frozenset(
    {"opened", "reopened", "synchronize", "ready_for_review", "converted_to_draft", "labeled", "unlabeled"}
)
MAX_BODY = 65_536
GHOST = p.PersonPart(login="ghost", id=0)  # GitHub's own name for a deleted account

Model = TypeVar("Model", bound=p.LenientModel)


class BadPayload(Exception):
    """The payload is not as GitHub documents it; the message names the field. The response should be a 400."""


class RepoEvent(NamedTuple):
    """The fields that all events of a repository share."""

    action: str
    installation_id: int
    repo: Repo
    sender: Person
    payload: object


def parse_event(name: str, payload: object) -> AnyEvent | None:
    """Returns the event of a payload; None if it is of no interest (unknown, passing, no App installation).

    Raises BadPayload if a required field is missing or has the wrong shape.
    """
    if not isinstance(payload, dict):
        raise BadPayload(f"{name}: the payload is not a JSON object")
    if name not in _ABOUT_REPO and name not in _ABOUT_INSTALLATION:
        return None
    envelope = _read(p.Envelope, name, payload)
    if envelope.installation is None:
        return None
    if name in _ABOUT_INSTALLATION:
        return _ABOUT_INSTALLATION[name](envelope.action, envelope.installation.id, payload)
    if envelope.repository is None:
        raise BadPayload(f"{name}: `repository` is missing")
    repo = Repo.model_validate(envelope.repository.model_dump())
    sender = _person(envelope.sender or GHOST)
    return _ABOUT_REPO[name](RepoEvent(envelope.action, envelope.installation.id, repo, sender, payload))


def _read(model: type[Model], name: str, payload: object) -> Model:
    try:
        return model.model_validate(payload)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadPayload(f"{name}: `{where}`: {first['msg']}") from error


def _person(part: p.PersonPart) -> Person:
    return Person(login=part.login, id=part.id, is_bot=part.type == "Bot")


def _check_run(at: RepoEvent) -> AnyEvent | None:
    if at.action == "requested_action":
        payload = _read(p.PressedPayload, "check_run", at.payload)
        return ButtonPressed(
            **_who(at),
            sha=payload.check_run.head_sha,
            check_run_id=payload.check_run.id,
            identifier=payload.requested_action.identifier,
        )
    run = _read(p.CheckRunPayload, "check_run", at.payload).check_run
    if at.action == "rerequested":
        return RerunAsked(**_who(at), sha=run.head_sha, check_run_id=run.id)
    if at.action != "completed" or run.conclusion not in FAILED:
        return None
    return CheckFailed(
        **_who(at),
        sha=run.head_sha,
        source="check_run",
        name=run.name,
        check_run_id=run.id,
        check_suite_id=run.check_suite.id if run.check_suite else None,
        app_slug=run.app.slug if run.app else None,
        conclusion=run.conclusion,
        head_branch=run.check_suite.head_branch if run.check_suite else None,
        pull_numbers=_numbers(run.pull_requests, run.head_sha, at.repo.id),
    )


def _check_suite(at: RepoEvent) -> AnyEvent | None:
    suite = _read(p.CheckSuitePayload, "check_suite", at.payload).check_suite
    if suite.head_sha is None:
        raise BadPayload("check_suite: `check_suite.head_sha` is missing")
    if at.action == "rerequested":
        return RerunAsked(**_who(at), sha=suite.head_sha)
    slug = suite.app.slug if suite.app else None
    if at.action == "requested":
        app_id = suite.app.id if suite.app else None
        return SuiteRequested(**_who(at), sha=suite.head_sha, app_slug=slug, app_id=app_id)
    if at.action != "completed":
        return None
    return SuiteSettled(
        **_who(at),
        sha=suite.head_sha,
        check_suite_id=suite.id,
        app_slug=slug,
        head_branch=suite.head_branch,
        pull_numbers=_numbers(suite.pull_requests, suite.head_sha, at.repo.id),
    )


def _workflow_run(at: RepoEvent) -> AnyEvent | None:
    run = _read(p.WorkflowRunPayload, "workflow_run", at.payload).workflow_run
    if at.action != "completed" or run.conclusion not in FAILED:
        return None
    head = run.head_repository or p.HeadRepositoryPart()
    return CheckFailed(
        **_who(at),
        sha=run.head_sha,
        source="workflow_run",
        name=run.name or "workflow",
        check_suite_id=run.check_suite_id,
        workflow_run_id=run.id,
        run_attempt=run.run_attempt,
        app_slug="github-actions",
        conclusion=run.conclusion,
        head_branch=run.head_branch,
        head_owner=head.owner.login if head.owner else None,
        head_repo_id=head.id,
        pull_numbers=_numbers(run.pull_requests, run.head_sha, at.repo.id),
    )


def _numbers(pulls: list[p.PullRefPart], sha: str, repo_id: int) -> tuple[int, ...]:
    """Returns the listed pull requests of this repository whose head is `sha`. GitHub also lists pull requests inside
    forks that have our branch as head."""
    ours = [p for p in pulls if p.base is not None and p.base.repo is not None and p.base.repo.id == repo_id]
    return tuple(pull.number for pull in ours if pull.head is not None and pull.head.sha == sha)


def _status(at: RepoEvent) -> AnyEvent | None:
    status = _read(p.StatusPayload, "status", at.payload)
    # The branches that contain the commit, in no particular order.
    names = [branch.name for branch in status.branches]
    main = at.repo.default_branch
    branch = main if main in names else next(iter(names), None)
    if status.state == "success":
        return StatusPassed(**_who(at), sha=status.sha, name=status.context, head_branch=branch)
    if status.state not in ("failure", "error"):
        return None
    return CheckFailed(
        **_who(at),
        sha=status.sha,
        source="status",
        name=status.context,
        conclusion=status.state,
        head_branch=branch,
    )


def _pull_request(at: RepoEvent) -> AnyEvent | None:
    payload = _read(p.PullPayload, "pull_request", at.payload)
    pull = payload.pull_request
    if at.action == "closed":
        return PullClosed(**_who(at), number=pull.number, merged=bool(pull.merged))
    retargeted = at.action == "edited" and "base" in payload.changes
    if at.action not in PULL_ACTIONS and not retargeted:
        return None
    return PullChanged(
        **_who(at),
        number=pull.number,
        action=at.action,
        head_sha=pull.head.sha,
        before=payload.before,
        draft=pull.draft,
        label=payload.label.name if payload.label else None,
    )


def _push(at: RepoEvent) -> AnyEvent | None:
    payload = _read(p.PushPayload, "push", at.payload)
    if payload.deleted or payload.ref != f"refs/heads/{at.repo.default_branch}":
        return None
    return DefaultBranchMoved(**_who(at), sha=payload.after)


def _issue_comment(at: RepoEvent) -> AnyEvent | None:
    if at.action != "created":
        return None
    payload = _read(p.IssueCommentPayload, "issue_comment", at.payload)
    if payload.issue.pull_request is None:
        return None
    body = (payload.comment.body or "")[:MAX_BODY]
    return CommentCreated(
        **_who(at), number=payload.issue.number, comment_id=payload.comment.id, where="issue", body=body
    )


def _review_comment(at: RepoEvent) -> AnyEvent | None:
    if at.action != "created":
        return None
    payload = _read(p.ReviewCommentPayload, "pull_request_review_comment", at.payload)
    return CommentCreated(
        **_who(at),
        number=payload.pull_request.number,
        comment_id=payload.comment.id,
        where="review",
        body=(payload.comment.body or "")[:MAX_BODY],
        in_reply_to=payload.comment.in_reply_to_id,
    )


def _thread(at: RepoEvent) -> AnyEvent | None:
    if at.action not in ("resolved", "unresolved"):
        return None
    payload = _read(p.ThreadPayload, "pull_request_review_thread", at.payload)
    if not payload.thread.comments:
        return None
    return ThreadResolved(**_who(at), number=payload.pull_request.number, comment_id=payload.thread.comments[0].id)


def _review(at: RepoEvent) -> AnyEvent | None:
    """A submitted review of any kind is a comment, unless it has no text of its own (every reply creates such a
    review)."""
    if at.action != "submitted":
        return None
    payload = _read(p.ReviewPayload, "pull_request_review", at.payload)
    if not payload.review.body:
        return None
    return CommentCreated(
        **_who(at),
        number=payload.pull_request.number,
        comment_id=payload.review.id,
        where="summary",
        body=payload.review.body[:MAX_BODY],
        node_id=payload.review.node_id,
    )


def _installation(action: str, installation: int, payload: object) -> AnyEvent | None:
    if action == "deleted":
        return Uninstalled(installation_id=installation)
    if action not in ("created", "unsuspend", "new_permissions_accepted"):
        return None
    read = _read(p.InstallationPayload, "installation", payload)
    account = read.installation.account.login if read.installation.account else ""
    granted = tuple(sorted(read.installation.permissions.items()))
    return Installed(
        installation_id=installation, repos=_repos(read.repositories), account=account, permissions=granted
    )


def _installation_repositories(action: str, installation: int, payload: object) -> AnyEvent | None:
    read = _read(p.InstallationRepositoriesPayload, "installation_repositories", payload)
    # An empty list must not become "off all repositories".
    if action == "removed" and read.repositories_removed:
        return Uninstalled(installation_id=installation, repo_ids=tuple(r.id for r in read.repositories_removed))
    if action == "added" and read.repositories_added:
        return Installed(installation_id=installation, repos=_repos(read.repositories_added))
    return None


def _repos(listed: list[p.ListedRepositoryPart]) -> tuple[Repo, ...]:
    return tuple(Repo(id=repo.id, full_name=repo.full_name, private=repo.private) for repo in listed)


def _who(at: RepoEvent) -> dict[str, Any]:
    return {"installation_id": at.installation_id, "repo": at.repo, "sender": at.sender}


_ABOUT_REPO: dict[str, Callable[[RepoEvent], AnyEvent | None]] = {
    "check_run": _check_run,
    "check_suite": _check_suite,
    "workflow_run": _workflow_run,
    "status": _status,
    "pull_request": _pull_request,
    "push": _push,
    "issue_comment": _issue_comment,
    "pull_request_review": _review,
    "pull_request_review_comment": _review_comment,
    "pull_request_review_thread": _thread,
}
_ABOUT_INSTALLATION: dict[str, Callable[[str, int, object], AnyEvent | None]] = {
    "installation": _installation,
    "installation_repositories": _installation_repositories,
}
HANDLED = frozenset({*_ABOUT_REPO, *_ABOUT_INSTALLATION})  # all events that are handled
# github_app_authorization is ignored (a revoked token gives no access anyway), and so is merge_group (it needs one more
# permission, and its failures are received as checks). Events not in the tables are acknowledged and ignored.
