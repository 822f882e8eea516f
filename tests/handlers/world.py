"""A world in memory: a repository, a pull request, and ports that keep GitHub's own rules. A value, not a mock."""

import asyncio
from base64 import b64decode
from contextlib import AbstractAsyncContextManager
from typing import Literal

from handlers.events import CheckFailed, Person, PullChanged, Repo, Said
from handlers.patch import patch_of
from handlers.ports import (
    Annotation,
    ChangedFile,
    CheckPlan,
    Comment,
    CommitPlan,
    FileChange,
    FixupPlan,
    HeadMoved,
    Job,
    Posted,
    Pull,
    Refused,
    ReviewComment,
    ReviewPlan,
    Run,
    StoredProposal,
    Verified,
)
from handlers.suggestible import hunks_of
from healing.edits import EditError, Read, apply_edits, edits_between, widen
from healing.model import (
    Category,
    CIError,
    Edit,
    Evidence,
    NotLooked,
    Outcome,
    Proposal,
    Resolution,
    Unfixable,
    content_id,
)

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
        self.conversation: list[Comment] = []
        self.protected: set[str] = set()
        self.refusal: Refused | None = None

    def commit(self, files: Files, message: str = "change") -> str:
        sha = content_id(sorted(files.items()), message, len(self.commits), length=40)
        self.commits[sha] = (dict(files), message)
        return sha

    def push(self, number: int, files: Files, message: str = "change") -> str:
        """Moves the pull request's head; suggestions whose lines changed become outdated, as on GitHub."""
        old = self.commits[self.pulls[number].head_sha][0]
        sha = self.commit(files, message)
        self.pulls[number] = self.pulls[number].model_copy(update={"head_sha": sha})
        self.review_comments_ = [self._moved(comment, old, files) for comment in self.review_comments_]
        return sha

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

    async def changed_files(self, number: int) -> tuple[ChangedFile, ...]:
        pull = self.pulls[number]
        base, head = self.commits[pull.base_sha][0], self.commits[pull.head_sha][0]
        changed = [path for path in sorted(base | head) if base.get(path) != head.get(path)]
        return tuple(
            ChangedFile(path=path, status="modified", patch=_patch(path, base.get(path), head.get(path)))
            for path in changed
        )

    async def merge_base(self, base: str, head: str) -> str | None:
        return base

    async def job(self, job_id: int) -> Job | None:
        return None

    async def failed_jobs(self, workflow_run_id: int) -> tuple[Job, ...]:
        return ()

    async def job_log(self, job_id: int) -> bytes | None:
        return None

    async def annotations(self, check_run_id: int) -> tuple[Annotation, ...]:
        return ()

    async def permission(self, login: str) -> str:
        return self.permissions.get(login, "none")

    async def file(self, path: str, ref: str) -> bytes | None:
        return self.commits[ref][0].get(path)

    async def comments(self, number: int) -> tuple[Comment, ...]:
        return tuple(self.conversation)

    async def review_comments(self, number: int) -> tuple[ReviewComment, ...]:
        return tuple(self.review_comments_)

    async def branch_protected(self, branch: str) -> bool:
        return branch in self.protected

    async def commit_message(self, sha: str) -> str | None:
        return self.commits[sha][1] if sha in self.commits else None


def _patch(path: str, old: bytes | None, new: bytes | None) -> str | None:
    """As GitHub lists it: the hunks without the file's header."""
    text = patch_of(edits_between(path, old, new), {path: old}.get)
    return None if text is None else text[text.index("@@") :]


class MemoryPublisher:
    """Writes, each once by its marker, with GitHub's refusals."""

    def __init__(self, hub: MemoryHub) -> None:
        self.hub = hub
        self.reviews: dict[str, ReviewPlan] = {}
        self.answers: dict[str, tuple[str, int | None]] = {}
        self.stickies: dict[str, str] = {}
        self.checks: dict[str, CheckPlan] = {}
        self.fixups: dict[str, FixupPlan] = {}
        self.closed_fixups: list[tuple[int, str]] = []
        self.reactions: list[tuple[int, str]] = []

    async def review(self, plan: ReviewPlan) -> Posted:
        if self.hub.pulls[plan.number].head_sha != plan.commit_sha:
            raise HeadMoved("moved")
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

    async def _check_lines(self, plan: ReviewPlan) -> None:
        for comment in plan.comments:
            head = await self.hub.file(comment.path, plan.commit_sha) or b""
            files = await self.hub.changed_files(plan.number)
            hunks = [hunk for file in files if file.path == comment.path for hunk in hunks_of(file.patch, head)]
            if not any(hunk.start <= comment.start_line and comment.end_line <= hunk.end for hunk in hunks):
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
        if create or marker in self.stickies:
            self.stickies[marker] = body
        return Posted(id=1)

    async def answer(self, number: int, marker: str, body: str, in_reply_to: int | None) -> Posted:
        self.answers[marker] = (body, in_reply_to)
        return Posted(id=2)

    async def react(self, comment_id: int, where: Literal["issue", "review"], content: str) -> None:
        self.reactions.append((comment_id, content))

    async def check(self, plan: CheckPlan) -> Posted:
        self.checks[plan.external_id] = plan
        return Posted(id=3)

    async def commit(self, plan: CommitPlan, marker: str) -> str:
        (number, pull), *_ = [(n, p) for n, p in self.hub.pulls.items() if p.head_ref == plan.branch]
        files, message = self.hub.commits[pull.head_sha]
        if f"Heal-Id: {marker}" in message.splitlines():
            return pull.head_sha
        if pull.head_sha != plan.expected_head:
            raise HeadMoved("moved")
        return self.hub.push(number, changed(files, plan.changes), f"{plan.headline}\n\n{plan.body}")

    async def fixup(self, plan: FixupPlan) -> Posted:
        self.fixups.setdefault(plan.marker, plan)
        return Posted(id=50 + list(self.fixups).index(plan.marker))

    async def close_fixup(self, number: int, branch: str, why: str) -> None:
        self.closed_fixups.append((number, branch))


def changed(files: Files, changes: tuple[FileChange, ...]) -> Files:
    """`files` after a commit's changes."""
    new = dict(files)
    for change in changes:
        if change.content is None:
            del new[change.path]
        else:
            new[change.path] = b64decode(change.content)
    return new


class MemoryStore:
    """Rows, with the same rules as the real one: keys once, proposals once, renewals by another run."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], tuple[int, dict[str, object]]] = {}
        self.runs_: dict[tuple[str, int], Run] = {}
        self.proposals_: dict[tuple[int, str], StoredProposal] = {}
        self.reports: dict[tuple[int, str], Unfixable] = {}

    async def open_attempt(self, event_key: str, installation_id: int, sha: str, failure: dict[str, object]) -> Run:
        if (sha, event_key) not in self.rows:
            mine = [run for (of, _), run in self.runs_.items() if of == sha]
            last = max(mine, key=lambda run: run.attempt, default=None)
            if last is None or last.state != "gathering":
                last = Run(
                    repo_id=REPO.id,
                    full_name=REPO.full_name,
                    installation_id=installation_id,
                    sha=sha,
                    attempt=last.attempt + 1 if last else 1,
                    number=last.number if last else None,
                    state="gathering",
                )
                self.runs_[sha, last.attempt] = last
            self.rows[sha, event_key] = (last.attempt, failure)
        return self.runs_[sha, self.rows[sha, event_key][0]]

    async def failures(self, sha: str, attempt: int) -> tuple[dict[str, object], ...]:
        return tuple(row for (of, _), (at, row) in self.rows.items() if of == sha and at == attempt)

    async def save_run(self, run: Run) -> None:
        self.runs_[run.sha, run.attempt] = run

    async def run(self, sha: str, attempt: int) -> Run | None:
        return self.runs_.get((sha, attempt))

    async def runs(self, number: int) -> tuple[Run, ...]:
        return tuple(reversed([run for run in self.runs_.values() if run.number == number]))

    async def supersede(self, number: int, keep_sha: str) -> tuple[Run, ...]:
        old = [r for r in self.runs_.values() if r.number == number and r.sha != keep_sha]
        unfinished = [run for run in old if run.state in ("gathering", "running")]
        for run in unfinished:
            self.runs_[run.sha, run.attempt] = run.model_copy(update={"state": "superseded"})
        return tuple(unfinished)

    async def save_proposals(self, proposals: tuple[StoredProposal, ...]) -> None:
        for item in proposals:
            key = (item.number, item.proposal.id)
            known = self.proposals_.get(key)
            over = known is not None and known.status in ("applied", "rolled-back", "outdated")
            if known is None or (over and known.run_id != item.run_id):
                self.proposals_[key] = item

    async def update_proposal(self, proposal: StoredProposal) -> None:
        self.proposals_[proposal.number, proposal.proposal.id] = proposal

    async def proposals(self, number: int) -> tuple[StoredProposal, ...]:
        return tuple(item for (of, _), item in self.proposals_.items() if of == number)

    async def save_unfixables(self, number: int, run_id: str, reports: tuple[Unfixable, ...]) -> None:
        self.reports |= {(number, report.id): report for report in reports}

    async def unfixables(self, number: int) -> tuple[Unfixable, ...]:
        return tuple(report for (of, _), report in self.reports.items() if of == number)

    async def forget_repo(self) -> None:
        self.rows, self.runs_, self.proposals_, self.reports = {}, {}, {}, {}


class MemoryHealer:
    """An engine whose result is given; edits really apply, and a change verifies unless a file says BROKEN."""

    def __init__(self, hub: MemoryHub) -> None:
        self.hub = hub
        self.outcome = Outcome(verdict="not-healed", run_id="run1")
        self.healed: list[Run] = []
        self.while_healing: list[str] = []  # what happens meanwhile: `push`, `close`

    async def heal(self, run: Run, pull: Pull | None, progress: object) -> Outcome:
        self.healed.append(run)
        for happening in self.while_healing:
            assert pull is not None
            if happening == "push":
                files = self.hub.commits[pull.head_sha][0]
                self.hub.push(pull.number, {**files, "other.txt": b"new\n"})
            else:
                self.hub.pulls[pull.number] = pull.model_copy(update={"state": "closed"})
        return self.outcome

    async def carry_over(self, pull: Pull, old: StoredProposal) -> Proposal | NotLooked:
        read = self._read(pull)
        for edits in (old.proposal.wide, old.proposal.edits):
            try:
                changes = apply_edits(edits, read)
            except EditError:
                continue
            if not _sound(changes):
                return NotLooked(what="its check", why="it is red on the new head")
            minimal = tuple(e for path, new in sorted(changes.items()) for e in edits_between(path, read(path), new))
            wide = widen(minimal, read)
            update = {"edits": minimal, "wide": wide.wide, "reverse": wide.reverse, "id": "renamed"}
            return old.proposal.model_copy(update=update)
        return NotLooked(what="its edits", why="the old text is not there any more")

    async def try_edits(self, pull: Pull, edits: tuple[Edit, ...], proposal: Proposal, verify: bool) -> Verified:
        try:
            changes = apply_edits(edits, self._read(pull))
        except EditError as error:
            return Verified(ok=False, why=str(error))
        if verify and not _sound(changes):
            return Verified(ok=False, why="the check is red with it")
        from handlers.delivery import file_changes

        return Verified(ok=True, changes=file_changes(changes, proposal, {"run.sh": "100755"}))

    async def changed_since(self, pull: Pull, proposal: Proposal) -> Literal["absent", "applied", "other"]:
        for edits, answer in ((proposal.reverse, "applied"), (proposal.wide, "absent")):
            try:
                apply_edits(edits, self._read(pull))
            except EditError:
                continue
            return "applied" if answer == "applied" else "absent"
        return "other"

    def _read(self, pull: Pull) -> Read:
        return self.hub.commits[pull.head_sha][0].get


def _sound(changes: dict[str, bytes | None]) -> bool:
    return all(b"BROKEN" not in (data or b"") for data in changes.values())


class MemoryWorld:
    """`handlers.ports.World`, with the conversation's own verbs for tests."""

    def __init__(self, base: Files, head: Files, **pull: object) -> None:
        self.github = self.hub = MemoryHub()
        self.publisher = MemoryPublisher(self.hub)
        self.store = MemoryStore()
        self.healer = MemoryHealer(self.hub)
        self.queue = self
        self.queued: list[Run] = []
        self.slug = SLUG
        self._locks: dict[int, asyncio.Lock] = {}
        base_sha = self.hub.commit(base, "base")
        told: dict[str, object] = {
            "number": 5,
            "title": "Faster calc",
            "state": "open",
            "draft": False,
            "head_sha": self.hub.commit(head, "head"),
            "head_ref": "faster",
            "head_repo": REPO.full_name,
            "base_sha": base_sha,
            "base_ref": "main",
            "author": "ada",
        }
        self.hub.pulls[5] = Pull.model_validate({**told, **pull})

    def pull_lock(self, number: int) -> AbstractAsyncContextManager[None]:
        return self._locks.setdefault(number, asyncio.Lock())

    async def healing(self, run: Run) -> None:
        if run not in self.queued:
            self.queued.append(run)

    @property
    def head(self) -> str:
        return self.hub.pulls[5].head_sha

    @property
    def files(self) -> Files:
        return self.hub.commits[self.head][0]

    def proposal(self, *edits: Edit, **fields: object) -> Proposal:
        """A verified fix of the head."""
        wide = widen(edits, self.files.get)
        told: dict[str, object] = {
            "id": content_id([edit.model_dump() for edit in edits]),
            "source": "agent:generalist",
            "phase": "fast",
            "title": "Import math",
            "explanation": "`math` was used without an import.",
            "confidence": 90,
            "error_ids": ("E1",),
            "edits": edits,
            "wide": wide.wide,
            "reverse": wide.reverse,
            "evidence": (EVIDENCE,),
            "base_tree": "0" * 40,
        }
        return Proposal.model_validate({**told, **fields})

    def will_heal(self, *proposals: Proposal, **fields: object) -> None:
        """What the engine finds."""
        told: dict[str, object] = {
            "verdict": "healed",
            "run_id": "run1",
            "errors": (ERROR,),
            "proposals": proposals,
            "resolutions": tuple(
                Resolution(error_id="E1", how=f"fix:{one.id}", proposal_id=one.id) for one in proposals[:1]
            ),
        }
        self.healer.outcome = Outcome.model_validate({**told, **fields})

    async def ci_fails(self, check_run_id: int = 11) -> None:
        """A check fails on the head; the quiet period passes; the run is carried out."""
        from handlers import router

        await router.handle(
            CheckFailed(
                installation_id=3,
                repo=REPO,
                sender=ADA,
                sha=self.head,
                source="check_run",
                name="test",
                check_run_id=check_run_id,
                app_slug="github-actions",
                head_branch=self.hub.pulls[5].head_ref,
                pull_numbers=(5,),
            ),
            self,
        )
        await self.work()

    async def work(self) -> None:
        """Carries out what was queued."""
        from handlers import healing_run

        while self.queued:
            await healing_run.execute(self, self.queued.pop(0))

    async def says(self, body: str, by: Person = ADA, comment_id: int = 900, in_reply_to: int | None = None) -> str:
        """Somebody comments; gives Heal's answer without its mark, or nothing."""
        from handlers import router

        where: Literal["issue", "review"] = "issue" if in_reply_to is None else "review"
        said = Said(
            installation_id=3,
            repo=REPO,
            sender=by,
            number=5,
            comment_id=comment_id,
            where=where,
            body=body,
            in_reply_to=in_reply_to,
        )
        before = set(self.publisher.answers)
        await router.handle(said, self)
        marker = f"<!-- heal:v1 answer={where}-{comment_id} -->"
        assert set(self.publisher.answers) - before <= {marker}
        return self.publisher.answers.get(marker, ("", None))[0].removesuffix(f"\n\n{marker}")

    async def pushed(self, files: Files, message: str = "change") -> None:
        """Somebody pushes to the pull request's branch."""
        from handlers import router

        before = self.head
        head = self.hub.push(5, files, message)
        await router.handle(
            PullChanged(
                installation_id=3,
                repo=REPO,
                sender=ADA,
                number=5,
                action="synchronize",
                head_sha=head,
                before=before,
            ),
            self,
        )

    async def accepts(self, proposal: Proposal) -> None:
        """Somebody accepts a suggestion on GitHub's page."""
        changes = apply_edits(proposal.edits, self.files.get)
        await self.pushed({**self.files, **{path: data for path, data in changes.items() if data is not None}})

    def status(self, proposal: Proposal) -> str:
        return self.store.proposals_[5, proposal.id].status


ERROR = CIError(
    id="E1",
    tool="ruff",
    code="F821",
    category=Category.LINT,
    file="calc.py",
    line=2,
    message="Undefined name `math`",
)
EVIDENCE = Evidence(
    command="ruff check .",
    before_tree="a" * 40,
    after_tree="b" * 40,
    before_exit=1,
    after_exit=0,
    before_output="calc.py:2:12: F821 Undefined name `math`\nFound 1 error.",
    after_output="All checks passed!",
)
