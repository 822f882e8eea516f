"""Finds which of the pull request's own hunks break a check, by delta debugging.

The result is for people and context for agents; restoring the old lines is never a fix by itself.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from healing.edits.exact import Changes
from healing.git import GitError
from healing.graph import is_test
from healing.model import CIError, Culprit, Related
from healing.verify.guard.patch import Change
from healing.verify.refusing import Refusal
from healing.verify.verifier import Verifier

MAX_RUNS = 24  # of one check
SLOWEST = 30.0  # seconds that the check may take on the untouched tree
MAX_SECONDS = 60.0  # of all runs of one check together: the result is only a hint, and fixes wait for it
# A check often hangs on half of a change: a run ends after HANG_SECONDS plus HANG_FACTOR times what the whole change
# took.
HANG_FACTOR, HANG_SECONDS = 2.0, 5.0
MAX_NAMED = 5  # places in a sentence
SHOWN = 200  # characters of a line that is quoted
START_THERE = (
    "Start there. A fix keeps what the change was made for; only where these lines are a mere slip are the old ones "
    "right."
)


@dataclass(frozen=True)
class ChangedLines:
    """Adjacent lines of one file that the pull request wrote in place of others. `first` and `last` are 0-based and
    half-open, in the current file; a file that was created or deleted is one hunk."""

    file: str
    first: int
    last: int
    was: tuple[bytes, ...]

    def place(self, now: Sequence[bytes]) -> Related:
        """Its place in the current file, for people: a removal has the line that is there now, a file that is gone has
        none."""
        if not now:
            return Related(file=self.file, message="the whole file, which is gone")
        text = b"".join(now[self.first : self.last]).decode("utf-8", "replace").strip()
        return Related(
            file=self.file, line=self.first + 1, message=(text.splitlines() or ["lines taken away"])[0][:SHOWN]
        )


async def find_culprits(verifier: Verifier, errors: Iterable[CIError], before: str | None) -> tuple[Culprit, ...]:
    """Returns, for each check that still shows some of the errors, the fewest hunks whose revert makes it pass.
    `before` is the tree that the pull request started from. The result is empty where it is None, or where no check
    gives an answer."""
    errors = tuple(errors)
    if before is None or before == verifier.integration:
        return ()
    try:
        changed = await asyncio.to_thread(verifier.git.changed, before, verifier.integration)
        own = await asyncio.to_thread(verifier.git.changed, before, verifier.trees.head)
    except GitError:
        return ()  # not plain files
    wanted = [path for path in own if not is_test(path)] or list(own)  # tests are no cause beside the product
    hunks = [hunk for path in sorted(wanted) if path in changed for hunk in _own_hunks(path, changed[path], own[path])]
    culprits = []
    for check in verifier.checks:
        shown_errors = [e for e in errors if e.id in verifier.shown_by.get(check.key, frozenset())]
        if shown_errors and hunks:
            culprits.append(await HunkTrial(verifier, shown_errors, hunks).culprit())
    return tuple(culprit for culprit in culprits if culprit is not None)


def notes_on(culprits: Iterable[Culprit], beyond: Mapping[str, str]) -> dict[str, str]:
    """Error id → what an agent should know about it; `beyond` is what rules came to that got past an error."""
    notes = {i: f"{sentence(culprit)} {START_THERE}" for culprit in culprits for i in culprit.error_ids}
    tried = {i: f"It was tried: {note}." for i, note in beyond.items()}
    return {i: " ".join(filter(None, (notes.get(i), tried.get(i)))) for i in notes | tried}


def sentence(culprit: Culprit) -> str:
    """The culprit as a sentence, for people and agents."""
    named = [f"{place.file}:{place.line}" if place.line else f"{place.file} (gone)" for place in culprit.places]
    more = f" and {len(named) - MAX_NAMED} more" if len(named) > MAX_NAMED else ""
    where = ", ".join(named[:MAX_NAMED]) + more
    some = f" ({len(named)} of its {culprit.of} places)" if culprit.of > len(named) else ""
    return f"The check passes without what this change did at {where}{some}."


def _own_hunks(path: str, changed: Change, own: Change) -> list[ChangedLines]:
    """The hunks of a file that the pull request wrote just so; the others hold what fixes changed since."""

    def text(hunk: ChangedLines, data: bytes | None) -> tuple[tuple[bytes, ...], bytes]:
        return hunk.was, b"".join((data or b"").splitlines(keepends=True)[hunk.first : hunk.last])

    written = {text(hunk, own[1]) for hunk in _hunks(path, *own)}
    return [hunk for hunk in _hunks(path, *changed) if text(hunk, changed[1]) in written]


def _hunks(path: str, old: bytes | None, new: bytes | None) -> list[ChangedLines]:
    a, b = (old or b"").splitlines(keepends=True), (new or b"").splitlines(keepends=True)
    if old is None or new is None:
        return [ChangedLines(path, 0, len(b), tuple(a))]
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    return [
        ChangedLines(path, j1, j2, tuple(a[i1:i2])) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal"
    ]


@dataclass
class HunkTrial:
    """Runs the narrowed checks of some errors with hunks reverted."""

    verifier: Verifier
    errors: list[CIError]
    hunks: list[ChangedLines]
    runs: int = 0
    spent: float = 0.0  # seconds that they took
    usual: float = 0.0  # seconds that the checks take with the whole change
    known: dict[frozenset[ChangedLines], bool] = field(default_factory=dict)

    async def culprit(self) -> Culprit | None:
        """The culprit; None where reverting everything doesn't help either, and where the check is too slow."""
        checks = self.verifier.checks_of(self.errors)
        results = [
            await self.verifier.checker.run(c, await self.verifier.built(self.verifier.integration)) for c in checks
        ]
        self.usual = sum(r.seconds for r in results)
        if not checks or self.usual > SLOWEST or all(r.green for r in results):
            return None
        if not await self._fixes(self.hunks):
            return None
        fewest = await self._minimise(self.hunks)
        view = self.verifier.git.view(self.verifier.integration)
        lines = {h.file: (view.read(h.file) or b"").splitlines(keepends=True) for h in fewest}
        return Culprit(
            error_ids=tuple(e.id for e in self.errors),
            places=tuple(hunk.place(lines[hunk.file]) for hunk in fewest),
            of=len(self.hunks),
            runs=self.runs,
            certain=not self._over,
        )

    async def _minimise(self, hunks: list[ChangedLines]) -> list[ChangedLines]:
        """Zeller's ddmin: tries halves, quarters… and their complements, until no part can be left out."""
        parts = 2
        while len(hunks) >= 2 and not self._over:
            size = -(-len(hunks) // parts)
            chunks = [hunks[i : i + size] for i in range(0, len(hunks), size)]
            rests = [[h for h in hunks if h not in chunk] for chunk in chunks] if parts > 2 else []
            smaller = await self._first(chunks) or await self._first(rests)
            if smaller is not None:
                hunks, parts = smaller, max(2, min(parts - 1, len(smaller))) if smaller in rests else 2
            elif parts >= len(hunks):
                break
            else:
                parts = min(2 * parts, len(hunks))
        return hunks

    async def _first(self, choices: list[list[ChangedLines]]) -> list[ChangedLines] | None:
        for choice in choices:
            if choice and await self._fixes(choice):
                return choice
        return None

    async def _fixes(self, hunks: list[ChangedLines]) -> bool:
        """Whether the narrowed checks pass with these hunks reverted."""
        key = frozenset(hunks)
        if key not in self.known and self._over:
            return False
        if key not in self.known:
            self.runs += 1
            self.known[key] = await self._passes(hunks)
        return self.known[key]

    @property
    def _over(self) -> bool:
        return self.runs >= MAX_RUNS or self.spent >= MAX_SECONDS

    async def _passes(self, hunks: list[ChangedLines]) -> bool:
        verifier = self.verifier
        view = verifier.git.view(verifier.integration)
        changes = with_reverted_hunks(hunks, view.read)
        try:
            tree = await asyncio.to_thread(verifier.git.write_tree, verifier.integration, changes, {})
            built = await verifier.built(tree)
        except (GitError, Refusal):
            return False
        limit = HANG_SECONDS + HANG_FACTOR * self.usual
        for check in verifier.checks_of(self.errors):
            within = check.model_copy(update={"seconds": min(limit, check.seconds or limit)})
            result = await verifier.checker.run(within, built)
            self.spent += result.seconds
            if not result.green:
                return False
        return True


def with_reverted_hunks(hunks: Iterable[ChangedLines], read: Callable[[str], bytes | None]) -> Changes:
    """The files with these hunks reverted to their old lines."""
    changes: dict[str, bytes | None] = {}
    by_file: dict[str, list[ChangedLines]] = {}
    for hunk in hunks:
        by_file.setdefault(hunk.file, []).append(hunk)
    for file, file_hunks in by_file.items():
        data = read(file)
        lines = (data or b"").splitlines(keepends=True)
        whole = (
            len(file_hunks) == 1
            and not file_hunks[0].was
            and file_hunks[0].first == 0
            and file_hunks[0].last == len(lines)
        )
        for hunk in sorted(file_hunks, key=lambda h: -h.first):
            lines[hunk.first : hunk.last] = hunk.was
        changes[file] = None if whole else b"".join(lines)
    return changes
