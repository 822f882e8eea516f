"""A world in memory, with the verbs of a conversation. A value, not a mock."""

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import Literal

from handlers.events import CheckFailed, CommentCreated, Person, PullChanged
from handlers.model import Addresses, ChatMessage, Pull, Run
from handlers.model.plans import CheckPlan
from healing.edits.exact import apply_edits, widen
from healing.model import (
    Category,
    CIError,
    Edit,
    Evidence,
    Outcome,
    Proposal,
    Resolution,
    content_id,
)
from healing.steps import MemorySteps, Steps
from tests.handlers.healer import MemoryHealer
from tests.handlers.hub import ADA, REPO, SLUG, Files, MemoryHub
from tests.handlers.publisher import MemoryPublisher
from tests.handlers.rows import MemoryStore


class MemoryWorld:
    """`handlers.model.Context`, with the conversation's own verbs for tests."""

    def __init__(self, base: Files, head: Files, hub: MemoryHub | None = None, **pull: object) -> None:
        self.github = self.hub = hub or MemoryHub()
        self.publisher = MemoryPublisher(self.hub)
        self.store = MemoryStore()
        self.healer = MemoryHealer(self.hub)
        self.queue = self
        self.queued: list[Run] = []
        self.chat = self
        self.posted: dict[tuple[str, str], str] = {}  # commit and outcome → what the chat is told
        self.slug = SLUG
        self.addresses = Addresses(
            site="https://heal.example.com", repo=REPO.full_name, github="https://github.example"
        )
        self.steps: Steps = MemorySteps()
        self.deliveries: dict[int, Steps] = {}  # by comment
        self._locks: dict[tuple[str, int], asyncio.Lock] = {}
        base_sha = self.hub.commit(base, "base")
        reported: dict[str, object] = {
            "number": 5,
            "title": "Faster calc",
            "state": "open",
            "draft": False,
            "head_sha": self.hub.commit(head, "head", base_sha),
            "head_ref": "faster",
            "head_repo": REPO.full_name,
            "base_sha": base_sha,
            "base_ref": "main",
            "author": "ada",
        }
        self.hub.pulls[5] = Pull.model_validate({**reported, **pull})

    def pull_lock(self, number: int) -> AbstractAsyncContextManager[None]:
        return self._locks.setdefault(("pull", number), asyncio.Lock())

    def work_lock(self, number: int) -> AbstractAsyncContextManager[None]:
        return self._locks.setdefault(("lane", number), asyncio.Lock())

    async def post(self, message: ChatMessage) -> None:
        self.posted.setdefault((message.sha, message.outcome), message.text)

    async def healing(self, run: Run) -> None:
        if run not in self.queued:
            self.queued.append(run)

    @property
    def head(self) -> str:
        return self.hub.pulls[5].head_sha

    @property
    def check(self) -> CheckPlan:
        """Heal's check run of the head as its page shows it: that of the last attempt."""
        return [plan for plan in self.publisher.checks.values() if plan.sha == self.head][-1]

    @property
    def files(self) -> Files:
        return self.hub.commits[self.head][0]

    def proposal(self, *edits: Edit, **fields: object) -> Proposal:
        """A verified fix of the head."""
        wide = widen(edits, self.files.get)
        reported: dict[str, object] = {
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
        return Proposal.model_validate({**reported, **fields})

    def will_heal(self, *proposals: Proposal, **fields: object) -> None:
        """What the engine finds."""
        reported: dict[str, object] = {
            "verdict": "healed",
            "run_id": "run1",
            "errors": (ERROR,),
            "proposals": proposals,
            "resolutions": tuple(
                Resolution(error_id="E1", how=f"fix:{one.id}", proposal_id=one.id) for one in proposals[:1]
            ),
        }
        self.healer.outcome = Outcome.model_validate({**reported, **fields})

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
        from handlers.runs import healing_run

        while self.queued:
            await healing_run.execute(self, self.queued.pop(0))

    async def says(self, body: str, by: Person = ADA, comment_id: int = 900, in_reply_to: int | None = None) -> str:
        """Somebody comments; gives Heal's answer without its mark, or nothing."""
        from handlers import router

        where: Literal["issue", "review"] = "issue" if in_reply_to is None else "review"
        output = CommentCreated(
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
        self.steps = self.deliveries.setdefault(comment_id, MemorySteps())
        await router.handle(output, self)
        marker = f"<!-- heal:v1 answer={where}-{comment_id} -->"
        assert set(self.publisher.answers) - before <= {marker}
        return self.publisher.answers.get(marker, ("", None))[0].removesuffix(f"\n\n{marker}")

    async def pushed(self, files: Files, message: str = "change") -> None:
        """Somebody pushes to the pull request's branch."""
        from handlers import router

        self.steps = MemorySteps()
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
