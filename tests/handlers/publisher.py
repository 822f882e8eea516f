"""The only writer to the pull request in memory (tests/handlers/hub.py), with GitHub's refusals."""

from base64 import b64decode

from handlers.comments import reruns
from handlers.delivery.diff_hunks import hunks_of
from handlers.events import Where
from handlers.model import CiRunNow, HeadMoved, Pull, Refused, ReviewComment
from handlers.model.plans import CheckPlan, CommitPlan, FileChange, FixupPlan, Posted, Reviewers, ReviewPlan, Withdrawal
from healing.model import CiRun
from tests.handlers.hub import BOT, REPO, SLUG, Files, MemoryHub

ORDER = ("queued", "in_progress", "completed")  # of a check run's status: it never goes back


class Died(Exception):
    """The process was killed."""


class MemoryPublisher:
    """Writes, each once by its marker, with GitHub's refusals."""

    def __init__(self, hub: MemoryHub) -> None:
        self.hub = hub
        self.reviews: dict[str, ReviewPlan] = {}
        self.answers: dict[str, tuple[str, int | None]] = {}
        self.stickies: dict[str, str] = {}
        self.checks: dict[str, CheckPlan] = {}
        self.fixups: dict[str, FixupPlan] = {}
        self.refuses_fixups: Refused | None = None
        self.refuses_checks: Refused | None = None
        self.refuses_commits: Refused | None = None
        self.refuses_suggestions: set[str] = set()  # of these fixes
        self.locked = False  # the conversation
        self.taken_back: set[int] = set()  # comments that were deleted
        self.ready_: dict[int, Reviewers] = {}
        self.suites_off: set[int] = set()
        self.closed_fixups: list[tuple[int, str]] = []
        self.reactions: list[tuple[int, str]] = []
        self.edits: list[int] = []  # of suggestions' comments
        self.dies: tuple[str, bool, int] | None = None  # at which act; after it was done; at the how manieth

    def _die(self, act: str, done: bool) -> None:
        if self.dies is None or self.dies[:2] != (act, done):
            return
        left = self.dies[2] - 1
        self.dies = (act, done, left) if left else None
        if not left:
            raise Died

    async def review(self, plan: ReviewPlan) -> Posted:
        if self.hub.pulls[plan.number].head_sha != plan.commit_sha:
            raise HeadMoved("moved")
        self._unlocked()
        plan = plan.model_copy(
            update={"comments": tuple(c for c in plan.comments if c.proposal_id not in self.refuses_suggestions)}
        )
        if not plan.comments:
            raise Refused(422, "Line could not be resolved")
        if plan.marker not in self.reviews:
            await self._check_lines(plan)
            self.reviews[plan.marker] = plan
            for comment in plan.comments:
                self._comment(comment.path, comment.end_line, comment.body)
        kept = {
            wish.proposal_id: min(c.id for c in self.hub.review_comments_ if c.body == wish.body)
            for wish in reversed(plan.comments)
        }
        return Posted(id=len(self.reviews), extra=kept)

    async def withdraw(self, plans: tuple[Withdrawal, ...]) -> None:
        for plan in plans:
            if plan.thread_id is not None:
                self._die("resolve", done=False)
                self.hub.resolved[int(plan.thread_id[1:])] = SLUG
        for plan in plans:
            self._die("withdraw", done=False)
            self.edits.append(plan.comment_id)
            comments = self.hub.review_comments_
            (at,) = [at for at, one in enumerate(comments) if one.id == plan.comment_id]
            comments[at] = comments[at].model_copy(update={"body": plan.body})

    def _unlocked(self) -> None:
        if self.locked:
            raise Refused(403, "Unable to create comment because issue is locked.")

    async def _check_lines(self, plan: ReviewPlan) -> None:
        for comment in plan.comments:
            head = await self.hub.file(comment.path, plan.commit_sha) or b""
            files = await self.hub.changed_files(plan.number)
            hunks = [hunk for file in files if file.path == comment.path for hunk in hunks_of(file.patch, head)]
            if not any(hunk.shows(comment.start_line, comment.end_line) for hunk in hunks):
                raise Refused(422, "Pull request review thread line must be part of the diff")

    def _comment(self, path: str, line: int, body: str) -> None:
        self.hub.review_comments_.append(
            ReviewComment(
                id=1000 + len(self.hub.review_comments_),
                body=body,
                path=path,
                line=line,
                in_reply_to=None,
                author=BOT,
                author_is_bot=True,
            )
        )

    async def sticky(self, number: int, marker: str, body: str, create: bool = True) -> Posted | None:
        self._unlocked()
        if create or marker in self.stickies:
            self.stickies[marker] = body
        return Posted(id=1)

    async def answer(self, number: int, marker: str, body: str, in_reply_to: int | None) -> Posted:
        self._unlocked()
        self._die("answer", done=False)
        self.answers[marker] = (body, in_reply_to)
        self._die("answer", done=True)
        return Posted(id=2)

    async def react(self, comment_id: int, where: Where, content: str, node_id: str = "") -> None:
        self._unlocked()
        if comment_id in self.taken_back:
            raise Refused(404, "Not Found")
        self.reactions.append((comment_id, content))

    async def check(self, plan: CheckPlan) -> Posted:
        if self.refuses_checks is not None:
            raise self.refuses_checks
        known = self.checks.get(plan.external_id)
        if known is None or ORDER.index(plan.status) >= ORDER.index(known.status):
            self.checks[plan.external_id] = plan
        return Posted(id=3)

    async def open_suites_itself(self, app_id: int) -> None:
        self.suites_off.add(app_id)

    async def commit(self, plan: CommitPlan, marker: str) -> str:
        (number, pull), *_ = [(n, p) for n, p in self.hub.pulls.items() if p.head_ref == plan.branch]
        files, message = self.hub.commits[pull.head_sha]
        if f"Heal-Id: {marker}" in message.splitlines():
            return pull.head_sha
        if self.refuses_commits is not None:
            raise self.refuses_commits
        if pull.head_sha != plan.expected_head:
            raise HeadMoved("moved")
        made = self.hub.push(number, changed(files, plan.changes), f"{plan.headline}\n\n{plan.body}")
        self._die("commit", done=True)
        return made

    async def fixup(self, plan: FixupPlan) -> Posted:
        if self.refuses_fixups is not None:
            raise self.refuses_fixups
        same = self.fixups.get(plan.marker) == plan
        self.fixups[plan.marker] = plan
        number = 50 + list(self.fixups).index(plan.marker)
        if same:
            return Posted(id=number, sha=self.hub.pulls[number].head_sha)
        sha = self.hub.commit({}, f"{plan.start_sha} {plan.commits}")
        reported = {"number": number, "title": plan.title, "state": "open", "draft": plan.draft, "head_sha": sha}
        branch = {"head_ref": plan.branch, "head_repo": REPO.full_name, "base_ref": plan.base_ref, "author": BOT}
        self.hub.pulls[number] = Pull.model_validate(reported | branch | {"base_sha": plan.start_sha})
        return Posted(id=number, sha=sha)

    async def ready(self, number: int, reviewers: Reviewers) -> tuple[str, ...]:
        self.hub.pulls[number] = self.hub.pulls[number].model_copy(update={"draft": False})
        self.ready_[number] = reviewers
        return ()

    async def close_fixup(self, number: int, branch: str, why: str) -> None:
        self.closed_fixups.append((number, branch))

    async def may_rerun(self) -> bool:
        return self.hub.grants_actions

    async def rerun(self, ci_run: CiRun) -> str:
        now = self.hub.ci_runs[ci_run.id]
        if now.attempt > ci_run.attempt:
            return ""
        if now.conclusion is None:
            return reruns.IN_PROGRESS
        self._die("rerun", done=False)
        self.hub.ci_runs[ci_run.id] = CiRunNow(attempt=now.attempt + 1, conclusion=None)
        self._die("rerun", done=True)
        return ""


def changed(files: Files, changes: tuple[FileChange, ...]) -> Files:
    """`files` after a commit's changes."""
    new = dict(files)
    for change in changes:
        if change.content is None:
            del new[change.path]
        else:
            new[change.path] = b64decode(change.content)
    return new
