"""REST of reviews and the comments on a diff."""

from typing import Any, Literal

from lab.localhub import reviews as domain
from lab.localhub.calls import Answer, Call, Table, paged
from lab.localhub.reviews import Draft
from lab.localhub.shapes import pulls
from lab.localhub.state import Refused, Review, ReviewComment

table = Table()
READ, WRITE = "pull_requests:read", "pull_requests:write"
SIDES = ("LEFT", "RIGHT", None)
RESOURCE = {"resource": "PullRequestReviewComment", "code": "missing_field"}


@table.on("GET", "/R/pulls/{number}/comments", READ)
def list_comments(call: Call) -> Answer:
    """Lists all comments on the diff, oldest first, without those of pending reviews."""
    hub = call.hub
    comments = [c for c in hub.review_comments_of(call.pull) if hub.reviews[c.review_id].state != "PENDING"]
    if call.query.get("direction") == "desc":
        comments.reverse()
    return paged(call, comments, lambda one: pulls.review_comment(hub, one))


@table.on("POST", "/R/pulls/{number}/comments", WRITE)
def create_comment(call: Call) -> Answer:
    """Creates a comment on lines of the diff, on a whole file, or (with in_reply_to) in a thread."""
    answered = call.maybe("in_reply_to", int)
    if answered is not None:
        comment = domain.reply(
            call.hub, call.account.login, _comment(call, answered), call.need("body", str), call.app_id
        )
        return Answer(pulls.review_comment(call.hub, comment), 201)
    commit = call.need("commit_id", str)
    draft = _draft(call.body)
    comment = domain.create_comment(call.hub, call.account.login, call.pull, draft, commit, call.app_id)
    return Answer(pulls.review_comment(call.hub, comment), 201)


@table.on("POST", "/R/pulls/{number}/comments/{comment}/replies", WRITE)
def create_reply(call: Call) -> Answer:
    """Creates a reply to the first comment of a thread; replies can't be replied to."""
    top = _comment(call, call.number("comment"))
    if top.in_reply_to is not None or top.number != call.pull.number:
        raise Refused(404, "Not Found")
    reply = domain.reply(call.hub, call.account.login, top, call.need("body", str), call.app_id)
    return Answer(pulls.review_comment(call.hub, reply), 201)


@table.on("GET", "/R/pulls/comments/{comment}", READ)
def get_comment(call: Call) -> Answer:
    """One comment on the diff."""
    return Answer(pulls.review_comment(call.hub, _comment(call, call.number("comment"))))


@table.on("PATCH", "/R/pulls/comments/{comment}", WRITE)
def update_comment(call: Call) -> Answer:
    """Edits the caller's own comment."""
    comment = _own_comment(call)
    domain.edit_comment(call.hub, call.account, comment, call.need("body", str))
    return Answer(pulls.review_comment(call.hub, comment))


@table.on("DELETE", "/R/pulls/comments/{comment}", WRITE)
def delete_comment(call: Call) -> Answer:
    """Deletes the caller's own comment."""
    _own_comment(call).deleted = True
    return Answer(None, 204)


@table.on("GET", "/R/pulls/{number}/reviews", READ)
def list_reviews(call: Call) -> Answer:
    """Lists all reviews, oldest first, without other people's pending ones."""
    caller = call.account.id
    shown = [r for r in call.hub.reviews_of(call.pull) if r.state != "PENDING" or r.author.id == caller]
    return paged(call, shown, lambda one: pulls.review(call.hub, one))


@table.on("POST", "/R/pulls/{number}/reviews", WRITE)
def create_review(call: Call) -> Answer:
    """Creates a review with all its comments, or responds with 422 and creates nothing."""
    event = call.maybe("event", str)
    drafts = tuple(_draft(item) for item in call.maybe("comments", list) or [])
    review = domain.create_review(
        call.hub,
        call.account.login,
        call.pull,
        call.maybe("body", str) or "",
        event or None,
        drafts,
        call.maybe("commit_id", str),
        call.app_id,
    )
    return Answer(pulls.review(call.hub, review))


@table.on("GET", "/R/pulls/{number}/reviews/{review}", READ)
def get_review(call: Call) -> Answer:
    """One review."""
    return Answer(pulls.review(call.hub, _review(call)))


@table.on("PUT", "/R/pulls/{number}/reviews/{review}", WRITE)
def update_review(call: Call) -> Answer:
    """Edits the text of the caller's own review."""
    review = _review(call)
    if review.author.id != call.account.id:
        raise Refused(403, "Resource not accessible by integration")
    review.body = call.need("body", str)
    return Answer(pulls.review(call.hub, review))


@table.on("GET", "/R/pulls/{number}/reviews/{review}/comments", READ)
def list_review_comments(call: Call) -> Answer:
    """Lists the comments of one review."""
    review = _review(call)
    comments = [c for c in call.hub.review_comments_of(call.pull) if c.review_id == review.id]
    return paged(call, comments, lambda one: pulls.review_comment(call.hub, one))


def _draft(item: Any) -> Draft:
    """Parses a comment. The deprecated `position` is refused, so that no client depends on it."""
    if not isinstance(item, dict) or not isinstance(item.get("path"), str) or not isinstance(item.get("body"), str):
        raise Refused(422, "Validation Failed", [RESOURCE | {"field": "path"}])
    subject: Literal["line", "file"] = "file" if item.get("subject_type") == "file" else "line"
    line, start = item.get("line"), item.get("start_line")
    if subject == "line" and not isinstance(line, int):
        raise Refused(422, "Validation Failed", [RESOURCE | {"field": "pull_request_review_thread.line"}])
    if item.get("side") not in SIDES or item.get("start_side") not in SIDES:
        raise Refused(422, "Validation Failed", [RESOURCE | {"code": "invalid", "field": "side"}])
    return Draft(item["path"], item["body"], line, start, item.get("side") or "RIGHT", item.get("start_side"), subject)


def _comment(call: Call, number: int) -> ReviewComment:
    comment = call.hub.review_comments.get(number)
    if comment is None or comment.deleted or comment.repo_id != call.repo.id:
        raise Refused(404, "Not Found")
    return comment


def _own_comment(call: Call) -> ReviewComment:
    comment = _comment(call, call.number("comment"))
    if comment.author.id != call.account.id:
        raise Refused(403, "Resource not accessible by integration")
    return comment


def _review(call: Call) -> Review:
    review = call.hub.reviews.get(call.number("review"))
    if review is None or (review.repo_id, review.number) != (call.repo.id, call.pull.number):
        raise Refused(404, "Not Found")
    return review
