"""The path that the demo's page leads along: accept, ask why, reject, take back. Each step knows when it was gone."""

from bot.demo.story import proposal_of
from bot.localhub import suggestions
from bot.localhub.hub import Hub
from bot.localhub.pages.guide import Step
from bot.localhub.state import Pull, ReviewComment
from handlers.comments import marks

GUIDE = (
    "**This is a GitHub on your own machine, with Heal beside it.** Everything is real: the CI that failed, the "
    "sandbox it ran in, the commits. Heal saw that CI is red, fixed what it could, tested every fix by running "
    "the failed command again, and offers them below as suggestions. You decide. Each button does what you could do "
    "by hand on this page; `/heal help` in the comment box shows what else there is."
)
WAITING = "Heal is still working; the page reloads by itself"
NONE_LEFT = "no suggestion is left that could be taken for it"


def steps(hub: Hub, pull: Pull) -> tuple[Step, ...]:
    """The steps as they are now."""
    offered = _whole(hub, pull)
    taken = [one for one in offered if hub.threads[one.thread_id].applied_sha]
    open_ones = [one for one in offered if suggestions.why_not(hub, one) is None]
    bodies = [comment.body for comment in hub.conversation(pull)]
    gone = {command: any(body.startswith(f"/heal {command}") for body in bodies) for command in _COMMANDS}
    wait = NONE_LEFT if offered else WAITING
    back = proposal_of(taken[0]) if taken else ""
    first, last = (proposal_of(one) if one else "" for one in (_at(open_ones, 0), _at(open_ones, -1)))
    return (
        Step(
            "Accept a suggestion",
            "A commit of yours appears, CI runs again, and Heal tests the other suggestions on it again.",
            bool(taken),
            accept=open_ones[0].id if open_ones else None,
            wait=wait,
        ),
        _said("Ask how a fix came about", "Heal answers with what it saw, what it tried and what it ran.",
              gone["explain"], f"/heal explain {back or first}", wait if not back and not first else ""),
        _said("Reject one", "It is dropped, and the reason is remembered.",
              gone["reject"], f"/heal reject {last} we do this another way", "" if last else wait),
        _said("Take back what you accepted", "The bytes are what they were, whatever was committed since.",
              gone["rollback"], f"/heal rollback {back}", "" if back else "accept one first"),
    )  # fmt: skip


_COMMANDS = ("explain", "reject", "rollback")


def _said(title: str, then: str, done: bool, comment: str, wait: str) -> Step:
    return Step(title, then, done, comment="" if wait else comment, wait=wait)


def _at(found: list[ReviewComment], place: int) -> ReviewComment | None:
    return found[place] if found else None


def _whole(hub: Hub, pull: Pull) -> list[ReviewComment]:
    """Heal's suggestions that are each the whole of their fix, in order; also those that Heal took off the page."""
    ours = [c for c in hub.review_comments_of(pull) if marks.part_in(c.body) is not None]
    ids = [proposal_of(one) for one in ours]
    return [one for one, ident in zip(ours, ids, strict=True) if ids.count(ident) == 1]
