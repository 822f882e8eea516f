"""Which of the pull request's own lines break a check: its hunks, delta-debugged.

For people and as context for agents; giving old lines back is never a fix by itself.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from healing.edits.exact import Changes
from healing.git import GitError
from healing.graph import is_test
from healing.model import CIError, Culprit, Related
from healing.verify.refusing import Refusal
from healing.verify.verifier import Verifier

MOST_RUNS = 24  # of one check
SLOWEST = 30.0  # seconds that the check may take on the untouched tree
MOST_SECONDS = 180.0  # of all runs of one check together: it is a hint, and somebody waits for the fixes
# Half of a change often hangs: such a run is ended where it takes so many times what the whole change took, and more.
HANG_FACTOR, HANG_SECONDS = 3.0, 10.0
MOST_NAMED = 5  # places in a sentence
SHOWN = 200  # characters of a line that is named
START_THERE = (
    "Start there. A fix keeps what the change was made for; only where these lines are a mere slip are the old ones "
    "right."
)


@dataclass(frozen=True)
class ChangedLines:
    """Neighbouring lines of one file that the pull request wrote in place of others. `first` and `last` are 0-based,
    half-open, in the file as it is now; whole files that were made or removed are one hunk."""

    file: str
    first: int
    last: int
    was: tuple[bytes, ...]

    def place(self, now: Sequence[bytes]) -> Related:
        """Where it is, for people: a removal is named by the line that stands there now."""
        text = b"".join(now[self.first : self.last]).decode("utf-8", "replace").strip()
        return Related(
            file=self.file, line=self.first + 1, message=(text.splitlines() or ["lines taken away"])[0][:SHOWN]
        )


async def find_culprits(verifier: Verifier, errors: Iterable[CIError], before: str | None) -> tuple[Culprit, ...]:
    """For each check that still shows some of the errors: the fewest hunks without which it doesn't. `before` is the
    tree that the pull request started from; None, or a check that can't tell: nothing is named."""
    errors = tuple(errors)
    if before is None or before == verifier.integration:
        return ()
    try:
        changed = await asyncio.to_thread(verifier.git.changed, before, verifier.integration)
    except GitError:
        return ()  # not plain files
    hunks = [
        hunk for path, (old, new) in sorted(changed.items()) if not is_test(path) for hunk in _hunks(path, old, new)
    ]
    found = []
    for check in verifier.checks:
        mine = [e for e in errors if e.id in verifier.shown_by.get(check.key, frozenset())]
        if mine and hunks:
            found.append(await HunkTrial(verifier, mine, hunks).culprit())
    return tuple(culprit for culprit in found if culprit is not None)


def notes_on(culprits: Iterable[Culprit]) -> dict[str, str]:
    """Error id → what an agent should know of it."""
    return {i: f"{sentence(culprit)} {START_THERE}" for culprit in culprits for i in culprit.error_ids}


def sentence(culprit: Culprit) -> str:
    """The culprit in words, for agents."""
    named = [f"{place.file}:{place.line}" for place in culprit.places]
    more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    where = ", ".join(named[:MOST_NAMED]) + more
    some = f" ({len(named)} of its {culprit.of} places)" if culprit.of > len(named) else ""
    return f"The check passes without what this change wrote at {where}{some}."


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
    """Runs the narrowed checks of some errors with hunks taken back."""

    verifier: Verifier
    errors: list[CIError]
    hunks: list[ChangedLines]
    runs: int = 0
    spent: float = 0.0  # seconds that they took
    usual: float = 0.0  # seconds that the checks take with the whole change
    known: dict[frozenset[ChangedLines], bool] = field(default_factory=dict)

    async def culprit(self) -> Culprit | None:
        """None where taking everything back doesn't help either, and where the check is too slow."""
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
        """Zeller's ddmin: halves, quarters… and their complements, until no part can be left out."""
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
        """Whether the narrowed checks pass with these hunks taken back."""
        key = frozenset(hunks)
        if key not in self.known and self._over:
            return False
        if key not in self.known:
            self.runs += 1
            self.known[key] = await self._passes(hunks)
        return self.known[key]

    @property
    def _over(self) -> bool:
        return self.runs >= MOST_RUNS or self.spent >= MOST_SECONDS

    async def _passes(self, hunks: list[ChangedLines]) -> bool:
        verifier = self.verifier
        view = verifier.git.view(verifier.integration)
        changes = taken_back(hunks, view.read)
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


def taken_back(hunks: Iterable[ChangedLines], read: Callable[[str], bytes | None]) -> Changes:
    """The files with the old lines in these places."""
    changes: dict[str, bytes | None] = {}
    by_file: dict[str, list[ChangedLines]] = {}
    for hunk in hunks:
        by_file.setdefault(hunk.file, []).append(hunk)
    for file, mine in by_file.items():
        data = read(file)
        lines = (data or b"").splitlines(keepends=True)
        whole = len(mine) == 1 and not mine[0].was and mine[0].first == 0 and mine[0].last == len(lines)
        for hunk in sorted(mine, key=lambda h: -h.first):
            lines[hunk.first : hunk.last] = hunk.was
        changes[file] = None if whole else b"".join(lines)
    return changes
