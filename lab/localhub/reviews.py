"""Reviews, comments on a diff's lines, and their threads, with GitHub's rules on where a comment may be."""

from dataclasses import dataclass
from typing import Literal

from lab.localhub import diffs, pull_heads
from lab.localhub.diffs import FileDiff, Hunk, Side
from lab.localhub.hub import Hub
from lab.localhub.state import Account, Pull, Refused, Review, ReviewComment, Thread

EVENTS = {"COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", None: "PENDING"}
NOT_IN_DIFF = "Pull request review thread line must be part of the diff"
OTHER_HUNK = "Pull request review thread start line must be part of the same hunk as the line."
NO_HUNK = "Pull request review thread diff hunk can't be blank"
START_AFTER = "Pull request review thread start line must precede the end line."
LONG = "Pull request review thread body is too long (maximum is 65536 characters)"


@dataclass(frozen=True)
class Draft:
    """A comment to be placed on lines; both ends inclusive."""

    path: str
    body: str
    line: int | None = None
    start_line: int | None = None
    side: Side = "RIGHT"
    start_side: Side | None = None
    subject_type: Literal["line", "file"] = "line"


@dataclass(frozen=True)
class Placed:
    """A draft with its hunk; `hunk` is None for a comment on a whole file."""

    draft: Draft
    hunk: Hunk | None


def place(files: tuple[FileDiff, ...], draft: Draft) -> tuple[Placed | None, list[tuple[str, str]]]:
    """Returns the placed draft, or GitHub's errors as (field, message)."""
    if len(draft.body) > 65536:
        return None, [("body", LONG)]
    file = diffs.find(files, draft.path)
    if draft.subject_type == "file":
        return (Placed(draft, None), []) if file else (None, [("path", "Path could not be resolved")])
    if file is None:
        return None, [("path", "Path could not be resolved")]
    hunk = file.hunk_of(draft.side, draft.line) if draft.line else None
    if draft.start_line is None or draft.line is None:
        return (Placed(draft, hunk), []) if hunk else (None, [("line", NOT_IN_DIFF), ("diff_hunk", NO_HUNK)])
    problems = []
    if hunk is None:
        problems += [("line", NOT_IN_DIFF), ("start_line", OTHER_HUNK), ("diff_hunk", NO_HUNK)]
    elif not hunk.holds(draft.start_side or draft.side, draft.start_line):
        problems += [("start_line", OTHER_HUNK)]
    if draft.start_line >= draft.line and (draft.start_side or draft.side) == draft.side:
        problems += [("start_line", START_AFTER)]
    return (None, problems) if problems else (Placed(draft, hunk), [])


def files_at(hub: Hub, pull: Pull, commit_id: str | None) -> tuple[FileDiff, ...]:
    """Returns the diff of a pull request up to one of its commits. Raises Refused(422) for any other commit."""
    if commit_id in (None, pull.head_sha):
        return pull_heads.files(hub, pull)
    bare = hub.bare(hub.repos[pull.repo_id])
    if bare.sha(commit_id or "") is None or not bare.is_ancestor(commit_id or "", pull.head_sha):
        raise Refused(422, "Validation Failed", ["Commit is not part of the pull request"])
    return diffs.pull_diff(bare, pull.base_sha, commit_id or "")


def create_review(
    hub: Hub,
    person: str,
    pull: Pull,
    body: str = "",
    event: str | None = "COMMENT",
    drafts: tuple[Draft, ...] = (),
    commit_id: str | None = None,
    app_id: int | None = None,
) -> Review:
    """Creates a review with all its comments. Raises Refused(422); then nothing was created."""
    with hub.lock:
        if event not in EVENTS:
            raise Refused(422, "Validation Failed", ["Event is invalid"])
        if event == "COMMENT" and not body and not drafts:
            raise Refused(422, "Unprocessable Entity", ["Body can't be blank"])
        if len(body) > 65536:
            raise Refused(422, "Unprocessable Entity", ["Body is too long (maximum is 65536 characters)"])
        files = files_at(hub, pull, commit_id)
        results = [place(files, draft) for draft in drafts]
        problems = [message for _, errors in results for _, message in errors]
        if problems:
            raise Refused(422, "Unprocessable Entity", [_sentence(problems)])
        now, account, sha = hub.now(), hub.person(person), commit_id or pull.head_sha
        review = Review(
            hub.next_id(), pull.repo_id, pull.number, account, body, EVENTS[event], sha, now if event else None
        )
        hub.reviews[review.id] = review
        comments = [_thread(hub, pull, review, placed, sha, app_id) for placed, _ in results if placed]
        _settle(hub, pull)
        if event:
            _announce(hub, pull, review, comments)
        return review


def create_comment(
    hub: Hub, person: str, pull: Pull, draft: Draft, commit_id: str | None = None, app_id: int | None = None
) -> ReviewComment:
    """Creates one comment on the diff, in a separate review."""
    with hub.lock:
        placed, problems = place(files_at(hub, pull, commit_id), draft)
        if placed is None:
            errors = [
                {"resource": "PullRequestReviewComment", "code": "custom", "field": _field(field), "message": message}
                for field, message in problems
            ]
            raise Refused(422, "Validation Failed", errors)
        review = _lone_review(hub, person, pull, commit_id or pull.head_sha)
        comment = _thread(hub, pull, review, placed, review.commit_id, app_id)
        _settle(hub, pull)
        _announce(hub, pull, review, [comment])
        return comment


def reply(hub: Hub, person: str, to: ReviewComment, body: str, app_id: int | None = None) -> ReviewComment:
    """Adds a reply to a thread, with the id of the thread's first comment."""
    if len(body) > 65536:
        raise Refused(422, "Validation Failed", [LONG])
    with hub.lock:
        repo = hub.repos[to.repo_id]
        pull = hub.pull(repo, to.number)
        top = hub.review_comments[to.in_reply_to] if to.in_reply_to else to
        review = _lone_review(hub, person, pull, top.commit_id)
        now = hub.now()
        comment = ReviewComment(
            hub.next_id(), repo.id, pull.number, review.id, top.thread_id, review.author, body, top.path, top.side,
            top.line, top.start_line, top.original_line, top.original_start_line, top.commit_id,
            top.original_commit_id, top.diff_hunk, now, now, in_reply_to=top.id, subject_type=top.subject_type,
            start_side=top.start_side, app_id=app_id,
        )  # fmt: skip
        hub.review_comments[comment.id] = comment
        _announce(hub, pull, review, [comment])
        return comment


def edit_comment(hub: Hub, account: Account, comment: ReviewComment, body: str) -> None:
    """Edits a comment on the diff."""
    if len(body) > 65536:
        raise Refused(422, "Validation Failed", [LONG])
    before, comment.body, comment.updated_at = comment.body, body, hub.now()
    repo = hub.repos[comment.repo_id]
    pull = hub.pull(repo, comment.number)
    hub.publish("pull_request_review_comment", "edited", repo, account, pull=pull, comment=comment, before_body=before)


def set_resolved(hub: Hub, account: Account, thread: Thread, resolved: bool = True) -> None:
    """Resolves or unresolves a thread."""
    with hub.lock:
        if thread.resolved == resolved:
            return
        thread.resolved_by = account if resolved else None
        repo = hub.repos[thread.repo_id]
        action = "resolved" if resolved else "unresolved"
        pull = hub.pull(repo, thread.number)
        hub.publish("pull_request_review_thread", action, repo, account, pull=pull, thread=thread)


def resolve_thread(hub: Hub, person: str, thread: Thread) -> None:
    """A person presses "Resolve conversation"."""
    set_resolved(hub, hub.person(person), thread)


def _lone_review(hub: Hub, person: str, pull: Pull, sha: str) -> Review:
    """Creates the review that GitHub creates for every single comment and reply."""
    now, account = hub.now(), hub.person(person)
    review = Review(hub.next_id(), pull.repo_id, pull.number, account, "", "COMMENTED", sha, now)
    hub.reviews[review.id] = review
    return review


def _thread(hub: Hub, pull: Pull, review: Review, placed: Placed, sha: str, app_id: int | None) -> ReviewComment:
    """Creates a thread with its first comment."""
    draft, now = placed.draft, hub.now()
    thread = Thread(hub.next_id(), pull.repo_id, pull.number)
    hub.threads[thread.id] = thread
    hunk = placed.hunk.upto(draft.side, draft.line) if placed.hunk and draft.line else ""
    start_side = (draft.start_side or draft.side) if draft.start_line else None
    comment = ReviewComment(
        hub.next_id(), pull.repo_id, pull.number, review.id, thread.id, review.author, draft.body, draft.path,
        draft.side, draft.line, draft.start_line, draft.line, draft.start_line, sha, sha, hunk, now, now,
        subject_type=draft.subject_type, start_side=start_side, app_id=app_id,
    )  # fmt: skip
    hub.review_comments[comment.id] = comment
    return comment


def _settle(hub: Hub, pull: Pull) -> None:
    """Moves comments made on an older commit to the head; some are outdated from the start."""
    pull_heads.reanchor(hub, pull, pull_heads.files(hub, pull))
    pull.updated_at = hub.now()


def _announce(hub: Hub, pull: Pull, review: Review, comments: list[ReviewComment]) -> None:
    """Publishes one event for the review, and one for each comment."""
    repo = hub.repos[pull.repo_id]
    hub.publish("pull_request_review", "submitted", repo, review.author, pull=pull, review=review)
    for comment in comments:
        hub.publish("pull_request_review_comment", "created", repo, review.author, pull=pull, comment=comment)


def _field(field: str) -> str:
    return f"pull_request_review_thread.{field}"


def _sentence(problems: list[str]) -> str:
    """Joins errors into one sentence, as GitHub does."""
    *first, last = problems
    return f"{', '.join(first)}, and {last}" if len(first) > 1 else " and ".join(problems)
