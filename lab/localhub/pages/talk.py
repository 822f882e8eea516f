"""The conversation of a pull request for display: comments, reviews and events, in order."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from markupsafe import Markup

from lab.localhub import pulls
from lab.localhub.bare import CommitInfo
from lab.localhub.hub import Hub
from lab.localhub.pages import lines, markup, people, when
from lab.localhub.pages.checklist import Mark, mark_of
from lab.localhub.pages.lines import Row
from lab.localhub.state import Account, IssueComment, Pull, Review, ReviewComment, Thread
from lab.localhub.suggestions import suggested_lines, why_not

EMOJI = {
    "+1": "👍", "-1": "👎", "laugh": "😄", "confused": "😕", "heart": "❤️", "hooray": "🎉", "rocket": "🚀", "eyes": "👀",
}  # fmt: skip
VERDICTS = {"APPROVED": "approved these changes", "CHANGES_REQUESTED": "asked for changes", "DISMISSED": "reviewed"}


@dataclass(frozen=True)
class Remark:
    """A comment or description. `anchor` is its URL fragment, as on GitHub."""

    id: int
    anchor: str
    author: Account
    at: datetime
    edited: bool
    minimized: str | None
    body: Markup
    reactions: tuple[tuple[str, str], ...]  # emoji, who


@dataclass(frozen=True)
class Suggestion:
    """A suggestion; `refusal` says why its button is disabled."""

    comment_id: int
    rows: tuple[Row, ...]
    refusal: str | None


@dataclass(frozen=True)
class ReviewThreadView:
    """A review thread."""

    thread: Thread
    path: str
    place: str
    rows: tuple[Row, ...]
    remarks: tuple[Remark, ...]
    outdated: bool
    answer_to: int


@dataclass(frozen=True)
class TimelineEntry:
    """One entry of the conversation."""

    kind: Literal["comment", "review", "commits", "closed", "merged"]
    at: datetime
    remark: Remark | None = None
    verdict: str = ""
    anchor: str = ""
    author: Account | None = None
    talks: tuple[ReviewThreadView, ...] = ()
    commits: tuple[tuple[CommitInfo, Mark | None], ...] = ()


@dataclass(frozen=True)
class Reader:
    """Creates the views of one pull request for one person. `draw` renders a suggestion as HTML."""

    hub: Hub
    pull: Pull
    you: Account | None
    draw: Callable[[Suggestion], Markup]

    def timeline(self) -> list[TimelineEntry]:
        """Returns everything after the description, oldest first; consecutive commits are one entry."""
        entries = [*self._commits(), *self._reviews(), *self._comments(), *self._end()]
        merged: list[TimelineEntry] = []
        for entry in sorted(entries, key=lambda one: one.at.replace(microsecond=0)):
            if entry.kind == "commits" and merged and merged[-1].kind == "commits":
                last = merged.pop()
                entry = TimelineEntry("commits", last.at, commits=last.commits + entry.commits)  # noqa: PLW2901
            merged.append(entry)
        return merged

    def description(self) -> Remark:
        """Returns the pull request's description."""
        pull = self.pull
        body = markup.render(pull.body)
        return Remark(pull.id, "description", pull.author, pull.created_at, False, None, body, self._reactions(pull.id))

    def _commits(self) -> list[TimelineEntry]:
        bare = self.hub.bare(self.hub.repos[self.pull.repo_id])
        infos = [bare.info(sha) for sha in pulls.commits(self.hub, self.pull)]
        repo = self.hub.repos[self.pull.repo_id]
        return [
            TimelineEntry(
                "commits", when.parsed(info.committed_at), commits=((info, mark_of(self.hub, repo, info.sha)),)
            )
            for info in infos
        ]

    def _comments(self) -> list[TimelineEntry]:
        return [TimelineEntry("comment", c.created_at, self._remark(c)) for c in self.hub.conversation(self.pull)]

    def _reviews(self) -> list[TimelineEntry]:
        talks: dict[int, list[ReviewThreadView]] = defaultdict(list)
        for thread, comments in self.hub.threads_of(self.pull):
            talks[comments[0].review_id].append(self._talk(thread, comments))
        entries = []
        for review in self.hub.reviews_of(self.pull):
            talks_of_review = tuple(talks[review.id])
            if review.submitted_at is not None and (review.body or talks_of_review or review.state in VERDICTS):
                entries.append(self._review(review, talks_of_review, review.submitted_at))
        return entries

    def _review(self, review: Review, talks: tuple[ReviewThreadView, ...], at: datetime) -> TimelineEntry:
        verdict = VERDICTS.get(review.state, "reviewed" if review.body else "commented on lines")
        anchor, marks = f"pullrequestreview-{review.id}", self._reactions(review.id)
        body = markup.render(review.body)
        remark = Remark(review.id, anchor, review.author, at, False, None, body, marks) if review.body else None
        return TimelineEntry("review", at, remark, verdict, anchor, review.author, talks)

    def _end(self) -> list[TimelineEntry]:
        pull = self.pull
        if pull.merged_at:
            return [TimelineEntry("merged", pull.merged_at, author=pull.merged_by)]
        return [TimelineEntry("closed", pull.closed_at)] if pull.closed_at else []

    def _talk(self, thread: Thread, comments: Sequence[ReviewComment]) -> ReviewThreadView:
        first = comments[0]
        end, start = first.original_line, first.original_start_line
        place = "the whole file" if end is None else f"line {end}" if start is None else f"lines {start}–{end}"
        outdated = first.subject_type == "line" and first.line is None
        remarks = tuple(self._remark(comment) for comment in comments)
        return ReviewThreadView(thread, first.path, place, tuple(lines.excerpt(first)), remarks, outdated, first.id)

    def _remark(self, comment: IssueComment | ReviewComment) -> Remark:
        lined = isinstance(comment, ReviewComment)
        anchor = f"discussion_r{comment.id}" if lined else f"issuecomment-{comment.id}"
        edited = comment.updated_at != comment.created_at
        reactions = self._reactions(comment.id)
        body = self._with_suggestion(comment) if isinstance(comment, ReviewComment) else markup.render(comment.body)
        return Remark(
            comment.id, anchor, comment.author, comment.created_at, edited, comment.minimized, body, reactions
        )

    def _with_suggestion(self, comment: ReviewComment) -> Markup:
        new = suggested_lines(comment.body)
        if new is None:
            return markup.render(comment.body)
        first = comment.start_line or comment.line or comment.original_start_line or comment.original_line or 1
        rows = tuple(lines.replacement(lines.commented(comment), new, first))
        return markup.render(comment.body, (new, self.draw(Suggestion(comment.id, rows, self._refusal(comment)))))

    def _refusal(self, comment: ReviewComment) -> str | None:
        if reason := why_not(self.hub, comment):
            return reason
        if not people.may_push(self.hub, self.pull, self.you):
            who = self.you.login if self.you else "Nobody"
            return f"{who} may not push to this branch."
        return None

    def _reactions(self, subject_id: int) -> tuple[tuple[str, str], ...]:
        who: dict[str, list[str]] = defaultdict(list)
        for reaction in self.hub.reactions_to(subject_id):
            who[EMOJI[reaction.content]].append(reaction.account.login)
        return tuple((emoji, ", ".join(logins)) for emoji, logins in who.items())
