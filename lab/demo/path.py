"""The demo's guided tour: accept, ask why, reject, roll back. Whether a step was done is read from the pull request."""

import re
from dataclasses import dataclass

from handlers.comments import marks
from lab.demo.story import marker_of, proposal_of
from lab.localhub import suggestions
from lab.localhub.hub import Hub
from lab.localhub.pages.guide import Tour, TourStep
from lab.localhub.state import IssueComment, Pull, ReviewComment

GUIDE = (
    "**This is a GitHub on your own machine, with Heal beside it.** Everything is real: the CI that failed, the "
    "sandbox it ran in, the commits. Heal saw that CI is red, fixed what it could, tested every fix by running "
    "the failed command again, and offers them below as suggestions. You decide. The tour above leads through it: "
    "each of its buttons does what you could do by hand on this page; `/heal help` in the comment box shows what else "
    "there is."
)
STEPS = 4


@dataclass(frozen=True)
class Page:
    """The pull request as the tour sees it. `whole` are Heal's suggestions that are complete fixes, including withdrawn
    ones; `left` are all suggestions that can still be committed."""

    hub: Hub
    pull: Pull
    whole: tuple[ReviewComment, ...]
    left: tuple[ReviewComment, ...]

    @property
    def accepted(self) -> ReviewComment | None:
        """The suggestion that was committed on the page, or None."""
        return next((one for one in self.whole if self.hub.threads[one.thread_id].applied_sha), None)

    @property
    def open(self) -> tuple[ReviewComment, ...]:
        """The complete fixes that can still be committed or rejected."""
        return tuple(one for one in self.whole if one in self.left)

    def command(self, word: str) -> IssueComment | None:
        """Returns the last comment with this command, or None."""
        found = (one for one in self.hub.conversation(self.pull) if re.match(rf"/heal {word}\b", one.body))
        return max(found, key=lambda one: one.id, default=None)

    def answer(self, asked: IssueComment) -> IssueComment | None:
        """Returns Heal's answer to a comment, or None."""
        marked = re.compile(rf"answer=\S*\b{asked.id}\b")
        return next((one for one in self.hub.conversation(self.pull) if marked.search(marker_of(one.body))), None)


def tour(hub: Hub, pull: Pull) -> Tour:
    """Returns the current state of the tour."""
    page = _read(hub, pull)
    past = [_accepted(page), _commanded(page, "explain"), _rejected(page), _commanded(page, "rollback")]
    done = next((number for number, what in enumerate(past) if what is None), STEPS)
    happened, place = (past[done - 1] if done else None) or ("", "")
    if done == STEPS:
        return Tour(done, STEPS, f"{happened} {_bytes(page)}".strip(), place, None)
    step, about = (_accept, _explain, _reject, _roll_back)[done](page)
    return Tour(done, STEPS, happened, place or about, step)


def _read(hub: Hub, pull: Pull) -> Page:
    ours = [one for one in hub.review_comments_of(pull) if marks.part_in(one.body) is not None]
    ids = [proposal_of(one) for one in ours]
    whole = [one for one, ident in zip(ours, ids, strict=True) if ids.count(ident) == 1]
    return Page(hub, pull, tuple(whole), tuple(one for one in ours if suggestions.why_not(hub, one) is None))


def _accept(page: Page) -> tuple[TourStep, str]:
    title = "Accept a suggestion"
    if not page.open:
        text = "Heal is still working on it: the check named Heal says how far it is. This page updates by itself."
        return TourStep(title, text), "checks"
    first = page.open[0]
    count = len(page.left)
    have, them = (f"{count} suggestions are", "each of them") if count > 1 else ("1 suggestion is", "it")
    text = f"{have} below, and Heal tested {them}. The button commits the one in {_link(first)}."
    return TourStep(title, text, "Commit the suggestion", accept=first.id), _anchor(first)


def _accepted(page: Page) -> tuple[str, str] | None:
    one = page.accepted
    if one is None:
        return None
    sha = page.hub.threads[one.thread_id].applied_sha or ""
    others = len(page.left)
    rest = f" Heal tests the other {_counted(others)} on the new commit." if others else ""
    return f"You committed the suggestion in {_link(one)} as `{sha[:7]}`. CI runs again.{rest}", _anchor(one)


def _explain(page: Page) -> tuple[TourStep, str]:
    return TourStep("Ask how the fix came about", "Heal answers with what it saw, what it tried and what it ran.",
                "Ask Heal to explain it", f"/heal explain {_taken(page)}"), ""  # fmt: skip


def _reject(page: Page) -> tuple[TourStep, str]:
    last = page.open[-1]
    text = f"The one in {_link(last)} is not what you want? Heal withdraws it and remembers why."
    command = f"/heal reject {proposal_of(last)} we do this another way"
    return TourStep("Reject a suggestion", text, "Reject it", command), _anchor(last)


def _rejected(page: Page) -> tuple[str, str] | None:
    """The step is skipped if every suggestion was accepted, so that none is left to reject."""
    if page.command("reject") is None and page.accepted is not None and not page.open:
        return "No suggestion was left to reject.", ""
    return _commanded(page, "reject")


def _roll_back(page: Page) -> tuple[TourStep, str]:
    return TourStep("Revert what you accepted", "Heal commits the reverse of the fix; nothing else changes.",
                "Roll it back", f"/heal rollback {_taken(page)}"), ""  # fmt: skip


def _commanded(page: Page, word: str) -> tuple[str, str] | None:
    asked = page.command(word)
    if asked is None:
        return None
    answer = page.answer(asked)
    if answer is None:
        return f"You wrote `{asked.body}`. Heal is about to answer below it.", f"issuecomment-{asked.id}"
    return f"Heal [answered your `/heal {word}`](#issuecomment-{answer.id}).", f"issuecomment-{answer.id}"


def _bytes(page: Page) -> str:
    """Says whether the branch is as before the suggestion was accepted; empty until Heal has committed the revert."""
    one, bare = page.accepted, page.hub.bare(page.hub.repos[page.pull.repo_id])
    sha = (page.hub.threads[one.thread_id].applied_sha or "") if one else ""
    before, now = (bare.sha(f"{commit}^{{tree}}", "tree") for commit in (f"{sha}^", page.pull.head_sha))
    same = sha and before == now
    return f"All files are what they were before you accepted the fix (tree `{now[:12]}`)." if same and now else ""


def _taken(page: Page) -> str:
    return proposal_of(page.accepted) if page.accepted else ""


def _anchor(comment: ReviewComment) -> str:
    return f"discussion_r{comment.id}"


def _link(comment: ReviewComment) -> str:
    line = comment.line or comment.original_line
    return f"[`{comment.path}`{f', line {line}' if line else ''}](#{_anchor(comment)})"


def _counted(count: int) -> str:
    return "suggestion" if count == 1 else f"{count} suggestions"
