"""A repository and a pull request in memory: what GitHub would read out. tests/handlers/publisher.py writes to it."""

from handlers.comments.patch import patch_of
from handlers.events import Person, Repo
from handlers.model import (
    ChangedFile,
    CiRunNow,
    CiState,
    Comment,
    GreenJob,
    Job,
    Pull,
    Refused,
    ReviewComment,
    ReviewThread,
)
from healing.edits.exact import edits_between
from healing.failed_jobs import Annotation, ReportFile
from healing.model import content_id

REPO = Repo(id=7, full_name="ada/calc")
ADA = Person(login="ada", id=1)
SLUG = "heal-app"
BOT = f"{SLUG}[bot]"

Files = dict[str, bytes]


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
