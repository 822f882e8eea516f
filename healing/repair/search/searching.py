"""The story of one search: trace, patches, trials on the failing tests, survivors on all tests, the verifier."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from healing.checks.check import Check
from healing.checks.narrow import narrow, tool_of
from healing.edits.exact import EditError, edits_between
from healing.model import Candidate, CIError, Edit
from healing.repair.search.patches import Patch, distinct, gives_back, make_patches
from healing.repair.search.suspects import ExecutedLines
from healing.repair.search.trying import PatchRunner
from healing.verify.verifier import Verifier
from healing.view import TreeView

QUICK = 3.0  # seconds that a few tests may take with a patch, where they take none without
SLOWEST = 60.0  # seconds that the whole check may take: its survivors have to be shown on all of it
RANKS = (0, 1)  # of changes (healing/repair/search/source.py); the first with survivors is the last that is tried
MOST_TESTS = 6  # that a patch has to pass before all of them are run
MOST_SURVIVORS = 20
CONFIDENCE = 30


@dataclass(frozen=True)
class FoundPatch:
    """The only patch that survived, the blob that it was made for, and how many were tried."""

    patch: Patch
    blob: str | None
    tried: int


async def search(verifier: Verifier, errors: Iterable[CIError], before: TreeView | None = None) -> None:
    """Looks for one small change that makes each red test command of the integration tree green, and puts it through
    the verifier. `before` is the tree that the pull request started from, where it is known."""
    errors = tuple(errors)
    for check in verifier.checks:
        mine = tuple(e for e in errors if e.id in verifier.shown_by.get(check.key, frozenset()))
        if tool_of(check) != "pytest" or not mine or any(not e.test for e in mine):
            continue
        found = await _in_check(verifier, check, mine, before)
        if found is not None:
            await _submit(verifier, found, mine)


async def _in_check(
    verifier: Verifier, check: Check, errors: tuple[CIError, ...], before: TreeView | None
) -> FoundPatch | None:
    tree = await verifier.built(verifier.integration)
    whole = await verifier.checker.run(check, tree)
    if whole.green or whole.exit_code is None or whole.seconds > SLOWEST:
        return None
    patch_runner = PatchRunner(verifier.checker, tree)
    patch_search = PatchSearch(check, patch_runner, await patch_runner.trace(check))
    view = verifier.git.view(tree)
    patches = make_patches(patch_search.trace, view, before)
    for rank in RANKS:
        survivors = await patch_search.quickly([p for p in patches if p.change.rank == rank])
        if survivors:
            return patch_search.only(distinct(survivors, view), view, before)
    return patch_search.only(
        distinct(await patch_search.retried(narrow(check, _sample(errors)), patches), view), view, before
    )


@dataclass
class PatchSearch:
    """The trials of one check. `tried` counts the patches, `elsewhere` are those that could not be tried quickly."""

    check: Check
    patch_runner: PatchRunner
    trace: ExecutedLines
    tried: int = 0
    elsewhere: set[Patch] = field(default_factory=set)

    async def quickly(self, patches: list[Patch]) -> list[Patch]:
        """Those with which all tests pass, shown in one process; what runs at import is shown once more."""
        if not (patches and self.trace.failed):
            self.elsewhere |= set(patches)
            return []
        done = await self.patch_runner.swap(self.check, patches, self.trace.failed)
        self.tried += done.tried
        self.elsewhere |= set(done.elsewhere)
        sure = [p for p in done.survivors if not p.at_import]
        return sure + await self._on_all([p for p in done.survivors if p.at_import])

    async def retried(self, narrowed: Check | None, patches: list[Patch]) -> list[Patch]:
        """The same for those that could not be tried quickly, each with a pytest of its own; not for rare slips."""
        slow = [p for p in patches if p in self.elsewhere and p.change.rank < RANKS[-1]]
        if narrowed is None or not slow:
            return []
        done = await self.patch_runner.restart_each(narrowed, slow, self.trace.modules, QUICK)
        self.tried += done.tried
        return await self._on_all(list(done.survivors))

    async def _on_all(self, alive: list[Patch]) -> list[Patch]:
        """Those with which the whole check is green; none where not all could be tried."""
        if not alive or len(alive) > MOST_SURVIVORS:
            return []
        done = await self.patch_runner.restart_each(self.check, alive, self.trace.modules, SLOWEST)
        return list(done.survivors) if done.tried == len(alive) else []

    def only(self, survivors: list[Patch], view: TreeView, before: TreeView | None) -> FoundPatch | None:
        """The one survivor: where there are several, the tests don't say which is meant."""
        if len(survivors) != 1 or gives_back(survivors[0], view.read(survivors[0].file) or b"", before):
            return None
        return FoundPatch(survivors[0], view.blob(survivors[0].file), self.tried)


def _sample(errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
    """A few of the tests, of as many functions as there are."""
    by_function: dict[str, CIError] = {}
    for error in sorted(errors, key=lambda e: e.test or ""):
        by_function.setdefault((error.test or "").partition("[")[0], error)
    different = list(by_function.values())
    rest = [e for e in errors if e not in different]
    step = max(1, len(different) // MOST_TESTS)
    return tuple([*different[::step], *rest][:MOST_TESTS])


async def _submit(verifier: Verifier, found: FoundPatch, errors: tuple[CIError, ...]) -> None:
    """Offers the patch to the verifier, where the file is the branch's own and not a merge of it with the base's."""
    patch, view = found.patch, verifier.git.view(verifier.integration)
    data = view.read(patch.file)
    if data is None or view.blob(patch.file) != found.blob:
        return
    with suppress(EditError):  # bytes that are no text can't be offered
        edits = edits_between(patch.file, data, patch.applied(data))
        await verifier.submit(_candidate(found, tuple(edits), errors))


def _candidate(found: FoundPatch, edits: tuple[Edit, ...], errors: tuple[CIError, ...]) -> Candidate:
    patch = found.patch
    return Candidate(
        source=f"search:{patch.template}",
        phase="free",
        title=f"Write {patch.change.what} in {patch.file}:{patch.change.line}",
        explanation=f"Found by trying {found.tried} small changes in the code that the failing tests run: only this "
        f"one makes all tests pass ({patch.change.what}). Check that it is what was meant.",
        confidence=CONFIDENCE,
        error_ids=tuple(e.id for e in errors),
        edits=edits,
    )
