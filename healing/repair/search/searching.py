"""One search: trace the tests, generate patches, try them on the failing tests, survivors on all tests, then the
verifier."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from healing.checks.check import Check
from healing.checks.narrow import narrow, tool_of
from healing.edits.exact import EditError, edits_between
from healing.model import Candidate, CIError, Edit
from healing.repair.search.patches import Patch, distinct, make_patches, only_reverts
from healing.repair.search.suspects import ExecutedLines
from healing.repair.search.trying import PatchRunner
from healing.verify.verifier import Verifier
from healing.view import TreeView

QUICK = 3.0  # seconds that a few tests may take with a patch, where they are near-instant without
SLOWEST = 60.0  # seconds that the whole check may take: survivors have to pass all of it
RANKS = (0, 1)  # of changes (healing/repair/search/source.py); a rank with survivors is the last one tried
MAX_TESTS = 6  # tests that a patch has to pass before all are run
MAX_SURVIVORS = 20
CONFIDENCE = 30


@dataclass(frozen=True)
class FoundPatch:
    """The only patch that survived, the blob that it was made for, and how many were tried."""

    patch: Patch
    blob: str | None
    tried: int


async def search(verifier: Verifier, errors: Iterable[CIError], before: TreeView | None = None) -> None:
    """Searches one small change that makes each red test command of the integration tree green, and submits it to the
    verifier. `before` is the tree that the pull request started from, where it is known."""
    errors = tuple(errors)
    for check in verifier.checks:
        test_errors = tuple(e for e in errors if e.id in verifier.shown_by.get(check.key, frozenset()))
        if tool_of(check) != "pytest" or not test_errors or any(not e.test for e in test_errors):
            continue
        found_patch = await _in_check(verifier, check, test_errors, before)
        if found_patch is not None:
            await _submit(verifier, found_patch, test_errors)


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
        survivors = await patch_search.try_in_one_process([p for p in patches if p.change.rank == rank])
        if survivors:
            return patch_search.only(distinct(survivors, view), view, before)
    return patch_search.only(
        distinct(await patch_search.try_separately(narrow(check, _sample(errors)), patches), view), view, before
    )


@dataclass
class PatchSearch:
    """The trials of one check. `tried` counts the patches; `elsewhere` are those that could not be tried quickly."""

    check: Check
    patch_runner: PatchRunner
    trace: ExecutedLines
    tried: int = 0
    elsewhere: set[Patch] = field(default_factory=set)

    async def try_in_one_process(self, patches: list[Patch]) -> list[Patch]:
        """The patches with which all tests pass, tried in one process; those that run at import are tried once more
        separately."""
        if not (patches and self.trace.failed):
            self.elsewhere |= set(patches)
            return []
        results = await self.patch_runner.swap(self.check, patches, self.trace.failed)
        self.tried += results.tried
        self.elsewhere |= set(results.elsewhere)
        certain = [p for p in results.survivors if not p.at_import]
        return certain + await self._on_all([p for p in results.survivors if p.at_import])

    async def try_separately(self, narrowed: Check | None, patches: list[Patch]) -> list[Patch]:
        """The same for patches that could not be tried quickly, each in a pytest of its own; not for the lowest
        rank."""
        slow = [p for p in patches if p in self.elsewhere and p.change.rank < RANKS[-1]]
        if narrowed is None or not slow:
            return []
        results = await self.patch_runner.restart_each(narrowed, slow, self.trace.modules, QUICK)
        self.tried += results.tried
        return await self._on_all(list(results.survivors))

    async def _on_all(self, alive: list[Patch]) -> list[Patch]:
        """The patches with which the whole check is green; none where not all could be tried."""
        if not alive or len(alive) > MAX_SURVIVORS:
            return []
        results = await self.patch_runner.restart_each(self.check, alive, self.trace.modules, SLOWEST)
        return list(results.survivors) if results.tried == len(alive) else []

    def only(self, survivors: list[Patch], view: TreeView, before: TreeView | None) -> FoundPatch | None:
        """The only survivor; None where there are several, because then the tests don't determine which one is
        right."""
        if len(survivors) != 1 or only_reverts(survivors[0], view.read(survivors[0].file) or b"", before):
            return None
        return FoundPatch(survivors[0], view.blob(survivors[0].file), self.tried)


def _sample(errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
    """At most MAX_TESTS of the tests, from as many different functions as possible."""
    by_function: dict[str, CIError] = {}
    for error in sorted(errors, key=lambda e: e.test or ""):
        by_function.setdefault((error.test or "").partition("[")[0], error)
    different = list(by_function.values())
    rest = [e for e in errors if e not in different]
    step = max(1, len(different) // MAX_TESTS)
    return tuple([*different[::step], *rest][:MAX_TESTS])


async def _submit(verifier: Verifier, found: FoundPatch, errors: tuple[CIError, ...]) -> None:
    """Submits the patch to the verifier, if the file is the branch's own and not a merge of it with the base's."""
    patch, view = found.patch, verifier.git.view(verifier.integration)
    data = view.read(patch.file)
    if data is None or view.blob(patch.file) != found.blob:
        return
    with suppress(EditError):  # binary files can't be offered
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
