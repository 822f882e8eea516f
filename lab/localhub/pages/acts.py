"""The actions of the pages' forms, through the hub's operations. Each returns the URL to redirect to."""

from starlette.responses import RedirectResponse, Response

from lab.localhub import checks, pulls, reviews, suggestions
from lab.localhub.pages import people
from lab.localhub.pages.site import HEADERS, Visit
from lab.localhub.state import Account, Refused, ReviewComment


def comment(visit: Visit) -> str:
    """Comments on the pull request; everybody with read access may."""
    you = people.require(visit.hub, visit.repo, visit.you, "read", "comment")
    if not visit.text("body").strip():
        raise Refused(422, "A comment needs some words.")
    made = pulls.comment(visit.hub, you.login, visit.pull, visit.text("body"))
    return f"{_address(visit)}#issuecomment-{made.id}"


def reply(visit: Visit) -> str:
    """Replies in a thread."""
    you = people.require(visit.hub, visit.repo, visit.you, "read", "reply")
    if not visit.text("body").strip():
        raise Refused(422, "A reply needs some words.")
    [to] = _comments(visit)[:1]
    made = reviews.reply(visit.hub, you.login, to, visit.text("body"))
    return f"{_address(visit)}#discussion_r{made.id}"


def commit_suggestion(visit: Visit) -> str:
    """Commits one suggestion, or several selected ones as one commit."""
    chosen = _comments(visit)
    suggestions.commit_suggestion(visit.hub, _somebody(visit).login, [one.id for one in chosen])
    return f"{_address(visit)}#discussion_r{chosen[0].id}"


def resolve(visit: Visit) -> str:
    """Resolves or unresolves a thread."""
    [to] = _comments(visit)[:1]
    you = _somebody(visit)
    if you != visit.pull.author:
        people.require(visit.hub, visit.repo, you, "write", "resolve a conversation")
    reviews.set_resolved(visit.hub, you, visit.hub.threads[to.thread_id], visit.text("resolved") != "no")
    return f"{_address(visit)}#discussion_r{to.id}"


def merge(visit: Visit) -> str:
    """Merges the pull request."""
    you = people.require(visit.hub, visit.repo, visit.you, "write", "merge")
    pulls.merge_pull(visit.hub, you.login, visit.pull)
    return _address(visit)


def close(visit: Visit) -> str:
    """Closes or reopens the pull request."""
    you = _somebody(visit)
    if you != visit.pull.author:
        people.require(visit.hub, visit.repo, you, "triage", "close or reopen")
    act = pulls.reopen_pull if visit.text("reopen") else pulls.close_pull
    act(visit.hub, you.login, visit.pull)
    return _address(visit)


def press(visit: Visit) -> str:
    """Presses a check run's button."""
    run = visit.check_run
    checks.press_button(visit.hub, _somebody(visit).login, run, visit.text("identifier"))
    return f"/{visit.repo.full_name}/checks/{run.id}"


def rerun(visit: Visit) -> str:
    """Asks a check's App to run it again."""
    run = visit.check_run
    you = people.require(visit.hub, visit.repo, visit.you, "write", "re-run a check")
    checks.rerequest(visit.hub, you.login, run)
    return f"/{visit.repo.full_name}/checks/{run.id}"


def choose(visit: Visit) -> Response:
    """Stores the selected person in a cookie, and redirects back."""
    login = visit.text("login")
    if login not in [one.login for one in people.of_all(visit.hub)]:
        raise Refused(422, "There is no such person here.")
    back = visit.text("next")
    inside = back.startswith("/") and not back.startswith(("//", "/\\"))
    answer = RedirectResponse(back if inside else "/", 303, HEADERS)
    answer.set_cookie(people.COOKIE, login, httponly=True, samesite="lax")
    return answer


def _comments(visit: Visit) -> list[ReviewComment]:
    """Returns the comments on this pull request's diff that the form names. Raises Refused(404)."""
    here = {c.id: c for c in visit.hub.review_comments_of(visit.pull)}
    wanted = visit.numbers("comment")
    if not here.keys() >= set(wanted):
        raise Refused(404, "This comment is gone.")
    return [here[c] for c in wanted]


def _somebody(visit: Visit) -> Account:
    if visit.you is None:
        raise Refused(403, "Nobody is chosen who could do that.")
    return visit.you


def _address(visit: Visit) -> str:
    return f"/{visit.repo.full_name}/pull/{visit.pull.number}"
