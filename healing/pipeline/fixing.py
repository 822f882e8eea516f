"""Tries the fixers on root causes: one candidate after the other, and further steps where one got past its errors."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field

from healing.causes import find_causes, of_cause
from healing.edits.exact import apply_edits, modes_of
from healing.graph import Cache, import_graph
from healing.graph.names import NameIndex
from healing.model import Candidate, Category, CIError
from healing.pipeline.again import still_open
from healing.pipeline.remaining import Remaining, on_head
from healing.repair.fixers import FIXERS
from healing.repair.fixers.fixer import Repo
from healing.repair.fixers.stepwise import got_further, joined
from healing.verify.refusing import Refusal
from healing.verify.verdict import Verdict
from healing.verify.verifier import Verifier
from healing.view import TreeView

ROUNDS = 4  # a fix may reveal further errors; more rounds than this are a loop
STEPS = 6  # of one candidate, each for the next error of the same tests
SHOWN = 200  # characters of a title or a message
FURTHER = 10  # candidates of several steps that are tried for one cause: each costs a run of a narrowed check


@dataclass(frozen=True)
class CandidateSource:
    """Candidates that are tried one after the other, and the errors that they are for, as files of `repo` show them."""

    candidates: Iterator[Candidate]
    errors: tuple[CIError, ...]
    repo: Repo


@dataclass
class Fixing:
    """The fixers in one run. `before` is a view of the tree that the change started from; None where it isn't known.
    `beyond` is filled with what candidates came to that got past an error without turning its test green, by the
    error's id."""

    verifier: Verifier
    before: TreeView | None
    imports: Cache
    beyond: dict[str, str]
    _tried: set[str] = field(default_factory=set)
    _seen: Repo | None = None
    _steps_to: dict[str, int] = field(default_factory=dict)  # error id → steps that its note in `beyond` has

    async def run(self, remaining: Remaining) -> None:
        """Tries the fixers on the remaining errors, in order of certainty, until nothing more is accepted. All checks
        run once in a round: between its fixes, what is left is known from their proofs."""
        for _ in range(ROUNDS):
            left, tree = await remaining(), self.verifier.integration
            for cause in find_causes(left, self.verifier.git.view(tree)):
                await self._fix_all(of_cause(cause, left), tree)
            if self.verifier.integration == tree:
                return

    async def _fix_all(self, errors: tuple[CIError, ...], seen_on: str) -> None:
        """Tries the fixers on one cause, whose errors may need a fix in each of several places. `errors` are as they
        are on the tree `seen_on`."""
        open_ids = {error.id for error in errors}
        while left := await still_open(self.verifier, seen_on, [e for e in errors if e.id in open_ids]):
            fixed = await self._fix_cause(left)
            if not fixed & open_ids:
                return
            open_ids -= fixed

    async def _fix_cause(self, errors: tuple[CIError, ...]) -> set[str]:
        """Returns the ids of the errors that the first accepted fix fixes, or that turn out to be fixed; empty if no
        fix is accepted. A refused candidate whose errors are others with it is gone on from at once."""
        repo = await asyncio.to_thread(self._integrated)
        stack, more = [CandidateSource(_candidates(errors, repo), errors, repo)], FURTHER
        while stack:
            if len(stack) > 1 and not more:
                del stack[1:]
            candidate = await asyncio.to_thread(next, stack[-1].candidates, None)  # may read the whole repo
            if candidate is None:
                stack.pop()
                continue
            mark = candidate.model_dump_json()
            if mark in self._tried:
                continue
            self._tried.add(mark)
            more -= len(stack) > 1
            verdict = await self.verifier.submit(candidate)
            if verdict.proposal or verdict.already_fixed:
                return set(verdict.proposal.error_ids if verdict.proposal else candidate.error_ids)
            if len(stack) < STEPS and (now := verdict.left or _in_their_place(verdict)):
                further = await self._steps(candidate, now, stack[-1], repo)
                stack += further
                self._note(candidate, len(stack), further)
        return set()

    async def _steps(
        self, candidate: Candidate, now: tuple[CIError, ...], last: CandidateSource, repo: Repo
    ) -> list[CandidateSource]:
        """What can be tried on top of a refused candidate, with which the errors are as they are `now`; nothing where
        they are as they were before it."""
        git = self.verifier.git
        changes = apply_edits(candidate.edits, repo.view.read)
        tree = await asyncio.to_thread(git.write_tree, repo.view.tree, changes, modes_of(candidate.edits))
        after = await asyncio.to_thread(self._repo, tree)
        try:
            built = await self.verifier.built(tree)
        except Refusal:  # its part that was not proven, in a test, conflicts with the base
            return []
        left = tuple([await asyncio.to_thread(on_head, git, error, built, tree) for error in now])
        if not got_further(last.errors, last.repo.view, left, after.view):
            return []
        steps = (joined(candidate, step, repo.view, after.view) for step in _candidates(left, after))
        return [CandidateSource(filter(None, steps), left, after)]

    def _note(self, candidate: Candidate, steps: int, further: list[CandidateSource]) -> None:
        ids = [ident for ident in candidate.error_ids if steps > self._steps_to.get(ident, 0)]
        if not further or not ids:
            return
        note = next_error(f"“{candidate.title[:SHOWN]}”", further[0].errors[0])
        self.beyond.update(dict.fromkeys(ids, note))
        self._steps_to.update(dict.fromkeys(ids, steps))

    def _integrated(self) -> Repo:
        """What fixers see of the integration tree; rebuilt only when the tree has changed."""
        if self._seen is None or self._seen.view.tree != self.verifier.integration:
            self._seen = self._repo(self.verifier.integration)
        return self._seen

    def _repo(self, tree: str) -> Repo:
        view = self.verifier.git.view(tree)
        graph = import_graph(view, self.imports)
        return Repo(view=view, index=NameIndex(view), graph=graph, before=self.before)


def next_error(with_what: str, error: CIError) -> str:
    """A note on an error in whose place there is now another one."""
    place = f"{error.file}:{error.line}: " if error.file and error.line else ""
    message = " ".join(error.message[:SHOWN].split())
    return f"with {with_what} this error is gone, and the next one is {place}{message}"


def _in_their_place(verdict: Verdict) -> tuple[CIError, ...]:
    """The errors that a program shows which ends at its first one, and got past those that it had; so does a test file
    that is imported. Tests that a candidate broke are no such thing."""
    return () if any(error.test and error.category is Category.TEST for error in verdict.new) else verdict.new


def _candidates(errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
    """What the fixers propose for errors, cause after cause, the most certain fixer first."""
    for cause in find_causes(errors, repo.view):
        for fixer in FIXERS:
            yield from fixer.propose(cause, errors, repo)
