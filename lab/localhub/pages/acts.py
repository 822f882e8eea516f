"""What the forms of the pages do, each through the hub's own operations. Every act gives the address to go to."""

from starlette.responses import RedirectResponse, Response

from lab.localhub import checks, pulls, reviews, suggestions
from lab.localhub.pages import people
from lab.localhub.pages.site import HEADERS, Visit
from lab.localhub.state import Account, Refused, ReviewComment


def comment(visit: Visit) -> str:
    """Writes below the pull request; whoever may read may write."""
    you = people.require(visit.hub, visit.repo, visit.you, "read", "comment")
    if not visit.text("body").strip():
        raise Refused(422, "A comment needs some words.")
    made = pulls.comment(visit.hub, you.login, visit.pull, visit.text("body"))
    return f"{_address(visit)}#issuecomment-{made.id}"


def reply(visit: Visit) -> str:
    """Answers in a thread."""
    you = people.require(visit.hub, visit.repo, visit.you, "read", "reply")
    if not visit.text("body").strip():
        raise Refused(422, "A reply needs some words.")
    [to] = _comments(visit)[:1]
    made = reviews.reply(visit.hub, you.login, to, visit.text("body"))
    return f"{_address(visit)}#discussion_r{made.id}"


def commit_suggestion(visit: Visit) -> str:
    """Commits one suggestion, or all that were chosen as one commit."""
    chosen = _comments(visit)
    suggestions.commit_suggestion(visit.hub, _somebody(visit).login, [one.id for one in chosen])
    return f"{_address(visit)}#discussion_r{chosen[0].id}"


def resolve(visit: Visit) -> str:
    """Resolves a thread, or opens it again."""
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
    """Closes the pull request, or opens it again."""
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
    """Remembers who looks, and goes back to where they were."""
    login = visit.text("login")
    if login not in [one.login for one in people.of_all(visit.hub)]:
        raise Refused(422, "There is no such person here.")
    back = visit.text("next")
    inside = back.startswith("/") and not back.startswith(("//", "/\\"))
    answer = RedirectResponse(back if inside else "/", 303, HEADERS)
    answer.set_cookie(people.COOKIE, login, httponly=True, samesite="lax")
    return answer


def _comments(visit: Visit) -> list[ReviewComment]:
    """The comments on this pull request's diff that the form names. Refused(404)."""
    here = {one.id: one for one in visit.hub.review_comments_of(visit.pull)}
    wanted = visit.numbers("comment")
    if not here.keys() >= set(wanted):
        raise Refused(404, "This comment is gone.")
    return [here[one] for one in wanted]


def _somebody(visit: Visit) -> Account:
    if visit.you is None:
        raise Refused(403, "Nobody is chosen who could do that.")
    return visit.you


def _address(visit: Visit) -> str:
    return f"/{visit.repo.full_name}/pull/{visit.pull.number}"
