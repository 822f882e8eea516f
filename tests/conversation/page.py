"""The page of a pull request, as people see and use it; it remembers which of Heal's texts the test has read."""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from handlers.comments import marks
from handlers.comments.clean import block
from handlers.model import Run, StoredProposal
from lab.localhub import pulls, pushes, reviews, suggestions
from lab.localhub.ci_state import CheckRun
from lab.localhub.repos import FileTree
from lab.localhub.state import Pull, ReviewComment

if TYPE_CHECKING:
    from tests.world import World

HEAL = "heal[bot]"
_MARK = re.compile(r"\n*<!-- heal:v1 .*? -->")
VARYING = (
    (re.compile(r"Took \d+ (?:s|min)"), "Took a while"),
    (re.compile(r"Run `[0-9a-f]{16}`"), "Run `…`"),
    (re.compile(r"heal/[0-9a-f]{16}/"), "heal/…/"),
    (re.compile(r"printf %s '[0-9A-Za-z+/=]+'"), "printf %s '…'"),
    (re.compile(r"\(http://127\.0\.0\.1:\d+/(runs|repositories)[/?][^)]+\)"), r"(…/\1…)"),
    (re.compile(r"\$(?!0\.00)\d+\.\d\d"), "$…"),
)
_FOLD = re.compile(r"<details>\s*<summary>(.*?)</summary>.*?</details>", re.DOTALL)


@dataclass(frozen=True)
class Offer:
    """A suggestion on the page."""

    comment: ReviewComment
    text: str  # the lines it puts in place of the old ones

    @property
    def id(self) -> str:
        """The proposal's id."""
        found = marks.proposal_in(self.comment.body)
        assert found, self.comment.body
        return found

    @property
    def place(self) -> str:
        """`file:line` on the head; `outdated` where GitHub lost the lines."""
        start, end = self.comment.start_line, self.comment.line
        if end is None:
            return "outdated"
        return f"{self.comment.path}:{end}" if start in (None, end) else f"{self.comment.path}:{start}-{end}"


@dataclass
class Page:
    """One pull request."""

    world: "World"
    pull: Pull
    heads: list[str] = field(default_factory=list)
    _read: dict[tuple[str, int], str] = field(default_factory=dict)

    @property
    def number(self) -> int:
        return self.pull.number

    @property
    def head(self) -> str:
        return self.pull.head_sha

    # What people do ------------------------------------------------------------------------------------------------

    async def says(self, who: str, text: str, under: Offer | None = None) -> str | None:
        """Somebody writes (`under` a suggestion), Heal does its work; gives its answer, None where it says nothing."""
        hub = self.world.hub
        if under is None:
            output: Any = pulls.comment(hub, who, self.pull, text)
        else:
            output = reviews.reply(hub, who, under.comment, text)
        before = len(self.world.github.log)
        await self.world.heal()
        return self._answer_to(output.id, "issue" if under is None else "review", before)

    async def reviews_with(self, who: str, text: str, event: str) -> str | None:
        """Somebody submits a review with this text; gives Heal's answer, None where it says nothing."""
        made = reviews.create_review(self.world.hub, who, self.pull, text, event)
        before = len(self.world.github.log)
        await self.world.heal()
        return self._answer_to(made.id, "summary", before)

    async def is_ignored(self, who: str, text: str) -> bool:
        """Somebody writes a command; whether Heal looked at it (👀), and said nothing."""
        output = pulls.comment(self.world.hub, who, self.pull, text)
        await self.world.heal()
        mark = marks.of_answer(f"issue-{output.id}")
        eyes = [r for r in self.world.hub.reactions_to(output.id) if r.content == "eyes"]
        return len(eyes) == 1 and not any(mark in comment.body for comment in self._comments())

    def _answer_to(self, output: int, where: str, before: int) -> str | None:
        mark = marks.of_answer(f"{where}-{output}")
        found = [c for c in (*self._comments(), *self._review_comments()) if mark in c.body]
        assert len(found) <= 1, "a command is answered once"
        eyes = [r for r in self.world.hub.reactions_to(output) if r.content == "eyes"]
        assert len(eyes) == len(found), "👀 for every command, and for nothing else"
        if not found:
            return None
        writes = [s for s in self.world.github.log[before:] if s.method != "GET" and "access_tokens" not in s.path]
        eyed = "/api/graphql" if where == "summary" else f"{output}/reactions"
        assert writes[0].path.endswith(eyed), "👀 comes first"
        if isinstance(found[0], ReviewComment):
            top = self.world.hub.review_comments[output].in_reply_to
            assert found[0].in_reply_to == top, "the answer is in the same thread"
        return self._seen(found[0])

    async def accepts(self, who: str, *offers: Offer) -> str:
        """Somebody presses "Commit suggestion"; Heal hears of it. Gives the new head."""
        suggestions.commit_suggestion(self.world.hub, who, [offer.comment.id for offer in offers])
        await self.world.heal()
        return self.head

    async def push(self, files: FileTree, by: str = "noor", message: str = "Go on") -> str:
        """Somebody pushes a commit to the branch. Heal hears of it when it is next at work."""
        head_repo = self.world.hub.repos[self.pull.head_repo_id or 0]
        return pushes.commit(self.world.hub, by, head_repo, self.pull.head_ref, files, message)

    async def close(self, who: str = "maya") -> None:
        pulls.close_pull(self.world.hub, who, self.pull)

    # What people see -----------------------------------------------------------------------------------------------

    def read(self, path: str) -> str:
        """A file on the branch as it is now."""
        data = self.world.hub.bare(self.world.repo).read(self.head, path)
        return "" if data is None else data.decode()

    def tree(self) -> str:
        """The id of all bytes of the branch."""
        return self.world.hub.bare(self.world.repo).sha(self.head, "tree") or ""

    def red(self) -> list[str]:
        """What failed on the head."""
        runs = self.world.hub.check_runs.values()
        return sorted(run.name for run in runs if run.head_sha == self.head and run.conclusion == "failure")

    def check(self, sha: str = "") -> CheckRun | None:
        """Heal's check run of a commit, by default the head: the newest one, as GitHub shows it."""
        found = [
            run
            for run in self.world.hub.check_runs.values()
            if run.app_slug == "heal" and run.head_sha == (sha or self.head)
        ]
        assert len({run.external_id for run in found}) == len(found), "one check run an attempt"
        return found[-1] if found else None

    def verdict(self, sha: str = "") -> str:
        """Heal's check run in one line."""
        run = self.check(sha)
        return "none" if run is None else f"{run.name}: {run.conclusion or run.status}, {run.title}"

    def summary(self, sha: str = "") -> str:
        """The text of Heal's check run."""
        run = self.check(sha)
        return "" if run is None else self.plain(run.summary or "")

    def annotations(self, sha: str = "") -> list[str]:
        """The annotations of Heal's check run, as people see them beside the lines."""
        run = self.check(sha)
        return [
            f"{one['path']}:{one['start_line']} {one['annotation_level']}: {one['title']}: {self.plain(one['message'])}"
            for one in (run.annotations if run else ())
        ]

    def comments(self) -> list[str]:
        """What Heal says in the conversation, oldest first."""
        return [self._seen(comment) for comment in self._comments()]

    def reviews(self) -> list[str]:
        """The bodies of Heal's reviews, oldest first."""
        return [self._seen(review) for review in self._reviews()]

    def offers(self) -> list[Offer]:
        """Heal's suggestions, also accepted and outdated ones, by place."""
        found = []
        for comment in self._review_comments():
            lines = suggestions.suggested_lines(comment.body)
            if lines is not None:
                self._seen(comment)
                found.append(Offer(comment, "\n".join(lines)))
        return sorted(found, key=lambda offer: (offer.comment.path, offer.comment.original_line or 0))

    def suggested(self) -> int:
        """How many suggestions Heal ever posted here."""
        return len(self.offers()) + len(self.withdrawn())

    def withdrawn(self) -> list[str]:
        """What stands where suggestions were that nobody should commit any more, by place."""
        found = [one for one in self._review_comments() if marks.withdrawn_in(one.body) is not None]
        return [self._seen(one) for one in sorted(found, key=lambda one: (one.path, one.original_line or 0, one.id))]

    def replies(self) -> list[str]:
        """What Heal says in threads."""
        return [self._seen(comment) for comment in self._review_comments() if comment.in_reply_to]

    def standing(self) -> list[Offer]:
        """The suggestions that a person can still accept."""
        return [offer for offer in self.offers() if suggestions.why_not(self.world.hub, offer.comment) is None]

    def texts_of(self, offer: Offer) -> str:
        """A suggestion's whole comment."""
        return self.plain(offer.comment.body)

    def everything(self) -> list[str]:
        """Every raw text that Heal posted here: comments, reviews, suggestions, check runs."""
        posted = [*self._comments(), *self._reviews(), *self._review_comments()]
        runs = [run for run in self.world.hub.check_runs.values() if run.app_slug == "heal"]
        # GitHub shows annotations as they are, like code.
        notes = [block(f"{note['title']}\n{note['message']}") for run in runs for note in run.annotations]
        return [item.body for item in posted] + [f"{run.title}\n{run.summary}\n{run.text}" for run in runs] + notes

    # What Heal remembers -------------------------------------------------------------------------------------------

    async def stored(self) -> tuple[StoredProposal, ...]:
        return await self.world.store.proposals(self.number)

    async def fixes(self) -> dict[str, str]:
        """Title of each fix → its status."""
        return {item.proposal.title: item.status for item in await self.stored()}

    async def runs(self) -> list[Run]:
        """Oldest first."""
        return list(reversed(await self.world.store.runs(self.number)))

    # ---------------------------------------------------------------------------------------------------------------

    def unread(self) -> list[str]:
        """Texts of Heal's that the test has not looked at as they are now."""
        posted = [*self._comments(), *self._reviews(), *self._review_comments()]
        unread = [item for item in posted if self._read.get((type(item).__name__, item.id)) != item.body]
        return [f"unread on #{self.number}: {self.plain(item.body)[:300]}" for item in unread]

    def plain(self, body: str) -> str:
        """A text as a test shows it: without hidden marks and folded parts, with names for what differs each time."""
        text = _FOLD.sub(r"▸ \1", _MARK.sub("", body))
        for pattern, name in VARYING:
            text = pattern.sub(name, text)
        for page in (self, *self.world.pages):
            for number, sha in enumerate(page.history(), 1):
                text = text.replace(sha[:12], f"head{number}")
        return text.strip()

    def history(self) -> list[str]:
        """All commits that were ever on the branch, oldest first."""
        bare = self.world.hub.bare(self.world.repo)
        base = bare.merge_base(self.pull.base_ref, self.head) or self.pull.base_sha
        for sha in bare.commits(base, self.head):
            if sha not in self.heads:
                self.heads.append(sha)
        return self.heads

    def _seen(self, item: Any) -> str:
        self._read[type(item).__name__, item.id] = item.body
        return self.plain(item.body)

    def _comments(self) -> list[Any]:
        return [c for c in self.world.hub.conversation(self.pull) if c.author.login == HEAL]

    def _reviews(self) -> list[Any]:
        # Every reply makes an empty review of its own.
        return [r for r in self.world.hub.reviews_of(self.pull) if r.author.login == HEAL and r.body]

    def _review_comments(self) -> list[ReviewComment]:
        return [c for c in self.world.hub.review_comments_of(self.pull) if c.author.login == HEAL]
