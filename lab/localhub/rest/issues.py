"""REST of the conversation: comments, labels, reactions."""

from lab.localhub import pulls as domain
from lab.localhub.calls import Answer, Call, Table, paged
from lab.localhub.shapes import pulls
from lab.localhub.state import IssueComment, Refused

table = Table()
READ = ("issues:read", "pull_requests:read")
WRITE = ("issues:write", "pull_requests:write")


@table.on("GET", "/R/issues/{number}/comments", *READ)
def list_comments(call: Call) -> Answer:
    """Lists the comments on a pull request, oldest first."""
    return paged(call, call.hub.conversation(call.pull), lambda one: pulls.issue_comment(call.hub, one))


@table.on("POST", "/R/issues/{number}/comments", *WRITE)
def create_comment(call: Call) -> Answer:
    """Creates a comment on a pull request."""
    comment = domain.comment(call.hub, call.account.login, call.pull, call.need("body", str), call.app_id)
    return Answer(pulls.issue_comment(call.hub, comment), 201)


@table.on("GET", "/R/issues/comments/{comment}", *READ)
def get_comment(call: Call) -> Answer:
    """One comment."""
    return Answer(pulls.issue_comment(call.hub, _comment(call)))


@table.on("PATCH", "/R/issues/comments/{comment}", *WRITE)
def update_comment(call: Call) -> Answer:
    """Edits the caller's own comment (or any, with write access)."""
    comment = _comment(call)
    _refuse_stranger(call, comment.author.id)
    domain.edit_comment(call.hub, call.account, comment, call.need("body", str))
    return Answer(pulls.issue_comment(call.hub, comment))


@table.on("DELETE", "/R/issues/comments/{comment}", *WRITE)
def delete_comment(call: Call) -> Answer:
    """Deletes a comment."""
    comment = _comment(call)
    _refuse_stranger(call, comment.author.id)
    comment.deleted = True
    return Answer(None, 204)


@table.on("GET", "/R/issues/{number}/labels", *READ)
def list_labels(call: Call) -> Answer:
    """The labels of a pull request."""
    return paged(call, call.pull.labels, lambda name: pulls.label(call.hub, call.repo, name))


@table.on("POST", "/R/issues/{number}/labels", *WRITE)
def add_labels(call: Call) -> Answer:
    """Adds labels; missing labels are created."""
    pull = call.pull
    domain.add_labels(call.hub, call.account, pull, [str(name) for name in call.need("labels", list)])
    return Answer([pulls.label(call.hub, call.repo, name) for name in pull.labels])


@table.on("DELETE", "/R/issues/{number}/labels/{name:path}", *WRITE)
def remove_label(call: Call) -> Answer:
    """Removes a label."""
    pull = call.pull
    domain.remove_label(call.hub, call.account, pull, call.params["name"])
    return Answer([pulls.label(call.hub, call.repo, name) for name in pull.labels])


@table.on("GET", "/R/issues/comments/{comment}/reactions", *READ)
def list_reactions(call: Call) -> Answer:
    """Lists reactions to a comment."""
    return paged(call, call.hub.reactions_to(_comment(call).id), lambda one: pulls.reaction(call.hub, one))


@table.on("POST", "/R/issues/comments/{comment}/reactions", *WRITE)
def create_reaction(call: Call) -> Answer:
    """Adds a reaction: 201, or 200 if it exists."""
    reaction, new = domain.react(call.hub, call.account, _comment(call).id, call.need("content", str))
    return Answer(pulls.reaction(call.hub, reaction), 201 if new else 200)


@table.on("GET", "/R/pulls/comments/{comment}/reactions", "pull_requests:read")
def list_review_reactions(call: Call) -> Answer:
    """Lists reactions to a comment on the diff."""
    subject = _review_comment_id(call)
    return paged(call, call.hub.reactions_to(subject), lambda one: pulls.reaction(call.hub, one))


@table.on("POST", "/R/pulls/comments/{comment}/reactions", "pull_requests:write")
def create_review_reaction(call: Call) -> Answer:
    """Adds a reaction to a comment on the diff."""
    reaction, new = domain.react(call.hub, call.account, _review_comment_id(call), call.need("content", str))
    return Answer(pulls.reaction(call.hub, reaction), 201 if new else 200)


def _comment(call: Call) -> IssueComment:
    comment = call.hub.comments.get(call.number("comment"))
    if comment is None or comment.deleted or comment.repo_id != call.repo.id:
        raise Refused(404, "Not Found")
    return comment


def _review_comment_id(call: Call) -> int:
    comment = call.hub.review_comments.get(call.number("comment"))
    if comment is None or comment.deleted or comment.repo_id != call.repo.id:
        raise Refused(404, "Not Found")
    return comment.id


def _refuse_stranger(call: Call, author: int) -> None:
    """Raises Refused unless the caller is the author or has write access."""
    person = call.token is not None and call.token.installation_id is None
    if call.account.id != author and not (person and call.hub.may(call.repo, call.account.login, "write")):
        raise Refused(403, "Resource not accessible by integration" if not person else "Must have write access.")
