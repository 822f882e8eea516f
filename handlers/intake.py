"""Webhook payloads become our own events, or nothing: the only place that knows how GitHub spells them."""

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

# Conclusions that mean somebody's change may be broken; the others are passing, or nobody's fault.
FAILED = frozenset({"failure", "timed_out", "action_required", "startup_failure"})
PULL_ACTIONS = frozenset(
    {"opened", "reopened", "synchronize", "ready_for_review", "converted_to_draft", "labeled", "unlabeled"}
)
LONGEST_BODY = 65_536
GHOST = p.PersonPart(login="ghost", id=0)  # GitHub's own name for a deleted account

Model = TypeVar("Model", bound=p.LenientModel)


class BadPayload(Exception):
    """The payload is not what GitHub documents; the message names the field. To be answered with 400."""


class RepoEvent(NamedTuple):
    """What all events about a repository share."""

    action: str
    installation_id: int
    repo: Repo
    sender: Person
    payload: object


def parse_event(name: str, payload: object) -> AnyEvent | None:
    """The event that a payload means to us; None where it is not for us (unknown, passing, no App installation).

    Raises BadPayload where a field that we need is missing or has the wrong shape.
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
        pressed = _read(p.PressedPayload, "check_run", at.payload)
        return ButtonPressed(
            **_who(at),
            sha=pressed.check_run.head_sha,
            check_run_id=pressed.check_run.id,
            identifier=pressed.requested_action.identifier,
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
    """Of the listed pull requests this repository's own whose head it is. GitHub also lists those that somebody's fork
    opened in itself to follow our branch."""
    ours = [one for one in pulls if one.base is not None and one.base.repo is not None and one.base.repo.id == repo_id]
    return tuple(pull.number for pull in ours if pull.head is not None and pull.head.sha == sha)


def _status(at: RepoEvent) -> AnyEvent | None:
    status = _read(p.StatusPayload, "status", at.payload)
    # Those that hold the commit, in no particular order.
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
    read = _read(p.PullPayload, "pull_request", at.payload)
    pull = read.pull_request
    if at.action == "closed":
        return PullClosed(**_who(at), number=pull.number, merged=bool(pull.merged))
    retargeted = at.action == "edited" and "base" in read.changes
    if at.action not in PULL_ACTIONS and not retargeted:
        return None
    return PullChanged(
        **_who(at),
        number=pull.number,
        action=at.action,
        head_sha=pull.head.sha,
        before=read.before,
        draft=pull.draft,
        label=read.label.name if read.label else None,
    )


def _push(at: RepoEvent) -> AnyEvent | None:
    pushed = _read(p.PushPayload, "push", at.payload)
    if pushed.deleted or pushed.ref != f"refs/heads/{at.repo.default_branch}":
        return None
    return DefaultBranchMoved(**_who(at), sha=pushed.after)


def _issue_comment(at: RepoEvent) -> AnyEvent | None:
    if at.action != "created":
        return None
    read = _read(p.IssueCommentPayload, "issue_comment", at.payload)
    if read.issue.pull_request is None:
        return None
    body = (read.comment.body or "")[:LONGEST_BODY]
    return CommentCreated(**_who(at), number=read.issue.number, comment_id=read.comment.id, where="issue", body=body)


def _review_comment(at: RepoEvent) -> AnyEvent | None:
    if at.action != "created":
        return None
    read = _read(p.ReviewCommentPayload, "pull_request_review_comment", at.payload)
    return CommentCreated(
        **_who(at),
        number=read.pull_request.number,
        comment_id=read.comment.id,
        where="review",
        body=(read.comment.body or "")[:LONGEST_BODY],
        in_reply_to=read.comment.in_reply_to_id,
    )


def _thread(at: RepoEvent) -> AnyEvent | None:
    if at.action not in ("resolved", "unresolved"):
        return None
    read = _read(p.ThreadPayload, "pull_request_review_thread", at.payload)
    if not read.thread.comments:
        return None
    return ThreadResolved(**_who(at), number=read.pull_request.number, comment_id=read.thread.comments[0].id)


def _review(at: RepoEvent) -> AnyEvent | None:
    """Whatever the review decides; one without a text of its own (every reply makes one) says nothing."""
    if at.action != "submitted":
        return None
    read = _read(p.ReviewPayload, "pull_request_review", at.payload)
    if not read.review.body:
        return None
    return CommentCreated(
        **_who(at),
        number=read.pull_request.number,
        comment_id=read.review.id,
        where="summary",
        body=read.review.body[:LONGEST_BODY],
        node_id=read.review.node_id,
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
HANDLED = frozenset({*_ABOUT_REPO, *_ABOUT_INSTALLATION})  # the events that something may follow from
# Nothing follows from github_app_authorization (a revoked token opens nothing) and merge_group (needs one more
# permission; what fails there is received as a check). Whatever is not in the tables is acknowledged and ignored.
