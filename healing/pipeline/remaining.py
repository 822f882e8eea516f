"""Which errors the integration tree still has. They are matched by fingerprint, so that ids survive line shifts."""

from collections import defaultdict
from collections.abc import Iterable, Set
from difflib import SequenceMatcher

from healing.checks.check import CheckResult
from healing.checks.unreadable import with_an_error
from healing.git import Git
from healing.logs.fingerprint import fails_as, identity
from healing.model import CIError, Related
from healing.pipeline.trust import base_needs_other_dependencies
from healing.verify.judging import unread_errors
from healing.verify.verifier import Verifier


class Remaining:
    """The open errors of a run, evaluated again after each accepted fix. `revealed` are errors that an earlier one had
    hidden; `of_base` are those of them that the base shows too, so they were there before this change."""

    def __init__(self, verifier: Verifier, healable: Iterable[CIError], ignored: Set[str] = frozenset()) -> None:
        """`ignored` are identities of errors that stay as they are: they count neither as left nor as revealed."""
        self.verifier = verifier
        self.ignored = ignored
        self.healable = {e.id: e for e in healable}
        self.revealed: list[CIError] = []
        self.of_base: dict[str, CIError] = {}  # by identity
        self._base_shows: dict[str, tuple[CIError, ...]] = {}  # check key → errors on the base
        self.left_alone: dict[str, CIError] = {}  # by identity: errors that the repository excludes from fixing
        self.gone_in: dict[str, str] = {}  # error id → the phase after which it was gone

    async def after(self, phase: str) -> tuple[CIError, ...]:
        """The errors left at the end of a phase; the others are recorded as fixed by this phase."""
        left = await self()
        left_ids = {e.id for e in left}
        for ident in self.healable:
            if ident not in left_ids:
                self.gone_in.setdefault(ident, phase)
        return left

    async def __call__(self) -> tuple[CIError, ...]:
        """The errors left, with line numbers of the integration tree (checks print those of the merge with the
        base)."""
        tree = self.verifier.integration
        results = await self._results(tree)
        await self._ask_base(results)
        errors = self._recognise(results)
        built = await self.verifier.built(tree)
        return errors if built == tree else tuple(on_head(self.verifier.git, e, built, tree) for e in errors)

    async def _results(self, tree: str) -> dict[str, CheckResult]:
        """The checks' results. A red check without a readable error gets an error of its own, or it would count as
        fixed."""
        results, checks = await self.verifier.results(tree), {check.key: check for check in self.verifier.checks}
        finished = {key for key, result in results.items() if result.exit_code is not None and not result.problem}
        return {
            key: with_an_error(checks[key], check_result) if key in finished else check_result
            for key, check_result in results.items()
        }

    async def _ask_base(self, results: dict[str, CheckResult]) -> None:
        """Runs checks that show an error for the first time on the base too, once each."""
        base, known = self.verifier.trees.before, {identity(error) for error in self.healable.values()}
        if base is None or base in (self.verifier.trees.built, self.verifier.trees.head, self.verifier.trees.green):
            return
        if base_needs_other_dependencies(self.verifier.checker, self.verifier.git, base, self.verifier.trees.built):
            return
        checks = {check.key: check for check in self.verifier.checks}
        for key, result in results.items():
            new = [error for error in result.errors if identity(error) not in known | self.ignored]
            if new and key in checks and key not in self._base_shows:
                before = await self.verifier.checker.run(checks[key], base)
                self._base_shows[key] = before.errors

    def _is_of_base(self, error: CIError, check_key: str) -> bool:
        """Whether an error that was hidden until now shows on the base as well."""
        if fails_as(error, self._base_shows.get(check_key, ())):
            self.of_base.setdefault(identity(error), error)
            return True
        return False

    def _recognise(self, results: dict[str, CheckResult]) -> tuple[CIError, ...]:
        by_identity: dict[str, list[CIError]] = defaultdict(list)
        for known in self.healable.values():
            by_identity[identity(known)].append(known)
        errors: dict[str, CIError] = {}
        seen_ids: set[str] = set()
        for key, result in results.items():
            for error in result.errors:
                if error.id in seen_ids or identity(error) in self.ignored:
                    continue
                seen_ids.add(error.id)
                if self.verifier.policy.why_only_reported(error):
                    self.left_alone.setdefault(identity(error), error)
                    continue
                known_as = by_identity[identity(error)]
                if not known_as and error.id not in self.healable and self._is_of_base(error, key):
                    continue
                ident = _nearest(known_as, error).id if known_as else self._reveal(error, key)
                errors[ident] = error.model_copy(update={"id": ident})
        return (*errors.values(), *self._unread(results, errors))

    def _unread(self, results: dict[str, CheckResult], seen: dict[str, CIError]) -> list[CIError]:
        """Errors that no accepted fix claims and that may still be there, in output that was not read."""
        fixed = {ident for proposal in self.verifier.accepted for ident in proposal.error_ids}
        unread = unread_errors(results, self.verifier.shown_by) - fixed - seen.keys()
        return [error for ident, error in self.healable.items() if ident in unread]

    def _reveal(self, error: CIError, check_key: str) -> str:
        if error.id not in self.healable:
            self.healable[error.id] = error
            self.revealed.append(error)
        self.verifier.errors.setdefault(error.id, error)
        self.verifier.shown_by[check_key] = self.verifier.shown_by.get(check_key, frozenset()) | {error.id}
        return error.id


def _nearest(known: list[CIError], error: CIError) -> CIError:
    """Removes and returns the known error closest in line among several with the same identity: if the first was fixed
    and the second is left, taking the first would be wrong."""
    best = min(known, key=lambda one: abs((one.line or 0) - (error.line or 0)))
    known.remove(best)
    return best


def on_head(git: Git, error: CIError, built: str, head: str) -> CIError:
    """An error that a check showed on the tree `built`, with line numbers of the branch's tree `head`."""
    if built == head:
        return error
    related = tuple(
        Related(file=r.file, line=_line(git, r.file, r.line, built, head), column=r.column, message=r.message)
        for r in error.related
    )
    return error.model_copy(update={"line": _line(git, error.file, error.line, built, head), "related": related})


def _line(git: Git, file: str | None, line: int | None, built: str, head: str) -> int | None:
    if file is None or line is None:
        return line
    old, new = git.view(built).read(file), git.view(head).read(file)
    return line if old == new or old is None or new is None else map_line(old, new, line)


def map_line(old: bytes, new: bytes, line: int) -> int:
    """The line of `new` that corresponds to `line` (1-based) of `old`."""
    a, b = old.splitlines(), new.splitlines()
    for _, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if i1 < line <= i2:
            return min(j1 + (line - i1), max(j2, j1 + 1))
    return line
