"""A repository and a pull request in memory: what GitHub would read out, and the only writer to it."""

from base64 import b64decode

from handlers.delivery.diff_hunks import hunks_of
from handlers.delivery.patch import patch_of
from handlers.delivery.plans import (
    CheckPlan,
    CommitPlan,
    FileChange,
    FixupPlan,
    Posted,
    Reviewers,
    ReviewPlan,
    Withdrawal,
)
from handlers.events import Person, Repo, Where
from handlers.ports import (
    ChangedFile,
    CiRunNow,
    CiState,
    Comment,
    GreenJob,
    HeadMoved,
    Job,
    Pull,
    Refused,
    ReviewComment,
    ReviewThread,
)
from healing.edits import edits_between
from healing.failure import Annotation, ReportFile
from healing.model import CiRun, content_id

REPO = Repo(id=7, full_name="ada/calc")
ADA = Person(login="ada", id=1)
SLUG = "heal-app"
BOT = f"{SLUG}[bot]"

Files = dict[str, bytes]
ORDER = ("queued", "in_progress", "completed")  # of a check run's status: it never goes back


class MemoryHub:
    """Reads and the state behind them. `commits` are sha → (files, message); `pulls` are what GitHub would say."""

    def __init__(self) -> None:
        self.commits: dict[str, tuple[Files, str]] = {}
        self.pulls: dict[int, Pull] = {}
        self.permissions = {"ada": "write", "eve": "read"}
        self.review_comments_: list[ReviewComment] = []
        self.resolved: dict[int, str] = {}  # the first comments of resolved threads, and who resolved them
        self.thread_readings = 0
        self.conversation: list[Comment] = []
        self.protected: set[str] = set()
        self.branches: dict[str, str] = {}  # those without a pull request, and their heads
        self.thrown_away: set[str] = set()  # commits that a push by force took off the branch
        self.lost: set[str] = set()  # and those that nobody has any more
        self.forks: dict[str, str] = {}  # commit → where it left the base branch, for those from before that moved
        self.ci: dict[str, CiState] = {}
        self.refusal: Refused | None = None
        self.ci_runs: dict[int, CiRunNow] = {}
        self.grants_actions = True

    def commit(self, files: Files, message: str = "change", *parents: str) -> str:
        sha = content_id(sorted(files.items()), message, len(self.commits), length=40)
        self.commits[sha] = (dict(files), message)
        return sha

    def push(self, number: int, files: Files, message: str = "change", parents: tuple[str, ...] = ()) -> str:
        """Moves the pull request's head; suggestions whose lines changed become outdated, as on GitHub."""
        head = self.pulls[number].head_sha
        return self.move(number, self.commit(files, message, *(parents or (head,))))

    def move(self, number: int, sha: str) -> str:
        """Lets the branch be at a commit, also by force."""
        old, files = self.commits[self.pulls[number].head_sha][0], self.commits[sha][0]
        self.pulls[number] = self.pulls[number].model_copy(update={"head_sha": sha})
        self.review_comments_ = [self._moved(comment, old, files) for comment in self.review_comments_]
        return sha

    def base_moves(self, number: int, files: Files) -> str:
        """Somebody pushes to the base branch. What is pushed to the pull request from now on has that merged in."""
        pull = self.pulls[number]
        self.forks = {sha: self.forks.get(sha, pull.base_sha) for sha in self.commits}
        base = self.commit(files, "news of the base branch")
        self.pulls[number] = pull.model_copy(update={"base_sha": base})
        return base

    def _moved(self, comment: ReviewComment, old: Files, new: Files) -> ReviewComment:
        if comment.line is None:
            return comment
        line = old[comment.path].split(b"\n")[comment.line - 1]
        found = [at for at, text in enumerate(new.get(comment.path, b"").split(b"\n"), 1) if text == line]
        return comment.model_copy(update={"line": found[0] if found else None})

    async def pull(self, number: int) -> Pull | None:
        if self.refusal is not None:
            raise self.refusal
        return self.pulls.get(number)

    async def pulls_of(self, sha: str, branch: str | None, owner: str | None) -> tuple[Pull, ...]:
        return tuple(pull for pull in self.pulls.values() if pull.head_sha == sha and pull.state == "open")

    async def ci_state(self, sha: str, without: str) -> CiState:
        return self.ci.get(sha, "none")

    async def changed_files(self, number: int) -> tuple[ChangedFile, ...]:
        pull = self.pulls[number]
        base, head = self.commits[pull.base_sha][0], self.commits[pull.head_sha][0]
        changed = [path for path in sorted(base | head) if base.get(path) != head.get(path)]
        return tuple(
            ChangedFile(path=path, status="modified", patch=_patch(path, base.get(path), head.get(path)))
            for path in changed
        )

    async def merge_base(self, base: str, head: str) -> str | None:
        tips = {pull.base_ref: pull.base_sha for pull in self.pulls.values()}
        if head in self.lost:
            return None
        return "thrown away" if base in self.thrown_away else self.forks.get(head, tips.get(base, base))

    async def job(self, job_id: int) -> Job | None:
        return None

    async def failed_jobs(self, workflow_run_id: int) -> tuple[Job, ...]:
        return ()

    async def ci_run(self, workflow_run_id: int) -> CiRunNow | None:
        return self.ci_runs.get(workflow_run_id)

    async def job_log(self, job_id: int) -> bytes | None:
        return None

    async def green_job(self, job: Job, branch: str) -> GreenJob | None:
        return None

    async def annotations(self, check_run_id: int) -> tuple[Annotation, ...]:
        return ()

    async def reports(self, workflow_run_id: int) -> tuple[ReportFile, ...]:
        return ()

    async def permission(self, login: str) -> str:
        return self.permissions.get(login, "none")

    async def file(self, path: str, ref: str) -> bytes | None:
        return self.commits[ref][0].get(path)

    async def comments(self, number: int) -> tuple[Comment, ...]:
        return tuple(self.conversation)

    async def review_comments(self, number: int) -> tuple[ReviewComment, ...]:
        return tuple(self.review_comments_)

    async def review_threads(self, number: int) -> tuple[ReviewThread, ...]:
        self.thread_readings += 1
        return tuple(
            ReviewThread(
                id=f"T{one.id}",
                comment_id=one.id,
                resolved=one.id in self.resolved,
                resolved_by=self.resolved.get(one.id),
            )
            for one in self.review_comments_
            if one.in_reply_to is None
        )

    async def branch_head(self, branch: str) -> str | None:
        return self.branches.get(branch)

    async def branch_protected(self, branch: str) -> bool:
        return branch in self.protected

    async def commit_message(self, sha: str) -> str | None:
        return self.commits[sha][1] if sha in self.commits else None


def _patch(path: str, old: bytes | None, new: bytes | None) -> str | None:
    """As GitHub lists it: the hunks without the file's header."""
    text = patch_of(edits_between(path, old, new), {path: old}.get)
    return None if text is None or "@@" not in text else text[text.index("@@") :]


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
        told = {"number": number, "title": plan.title, "state": "open", "draft": plan.draft, "head_sha": sha}
        branch = {"head_ref": plan.branch, "head_repo": REPO.full_name, "base_ref": plan.base_ref, "author": BOT}
        self.hub.pulls[number] = Pull.model_validate(told | branch | {"base_sha": plan.start_sha})
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
            return "CI's run is still going on."
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
