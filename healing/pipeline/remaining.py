"""Which errors the integration tree still has: recognised by fingerprint, so that ids survive line shifts."""

from collections import defaultdict
from collections.abc import Iterable, Set
from difflib import SequenceMatcher

from healing.checks.check import CheckResult
from healing.checks.unreadable import with_an_error
from healing.git import Git
from healing.logs.fingerprint import identity
from healing.model import CIError, Related
from healing.verify.verifier import Verifier


class Remaining:
    """The open errors of a run, seen again after each accepted fix; `revealed` are those an earlier one had hidden, and
    `of_base` those of them that the base shows too: they were there before this change."""

    def __init__(self, verifier: Verifier, healable: Iterable[CIError], ignored: Set[str] = frozenset()) -> None:
        """`ignored` are identities of errors that stay as they are: they are neither left nor revealed."""
        self.verifier = verifier
        self.ignored = ignored
        self.healable = {e.id: e for e in healable}
        self.revealed: list[CIError] = []
        self.of_base: dict[str, CIError] = {}  # by identity
        self._base_shows: dict[str, frozenset[str]] = {}  # check key → identities
        self.left_alone: dict[str, CIError] = {}  # by identity: what the repository wants only reported
        self.gone_in: dict[str, str] = {}  # error id → the phase after which it was gone

    async def after(self, phase: str) -> tuple[CIError, ...]:
        """What is left at the end of a phase; remembers for the others that this phase fixed them."""
        left = await self()
        still = {e.id for e in left}
        for ident in self.healable:
            if ident not in still:
                self.gone_in.setdefault(ident, phase)
        return left

    async def __call__(self) -> tuple[CIError, ...]:
        """What is left, with the lines of the integration tree (checks print those of the merge with the base)."""
        tree = self.verifier.integration
        results = await self._results(tree)
        await self._ask_base(results)
        found = self._recognise(results)
        built = await self.verifier.built(tree)
        return found if built == tree else tuple(on_head(self.verifier.git, e, built, tree) for e in found)

    async def _results(self, tree: str) -> dict[str, CheckResult]:
        """What the checks say; one that is red without a readable error has its own, or that would pass for fixed."""
        results, checks = await self.verifier.results(tree), {check.key: check for check in self.verifier.checks}
        ended = {key for key, result in results.items() if result.exit_code is not None and not result.problem}
        return {key: with_an_error(checks[key], one) if key in ended else one for key, one in results.items()}

    async def _ask_base(self, results: dict[str, CheckResult]) -> None:
        """Runs the checks that show an error for the first time on the base, too, once each."""
        base, known = self.verifier.trees.before, {identity(error) for error in self.healable.values()}
        if base is None or base in (self.verifier.trees.built, self.verifier.trees.head, self.verifier.trees.green):
            return
        checks = {check.key: check for check in self.verifier.checks}
        for key, result in results.items():
            new = [error for error in result.errors if identity(error) not in known | self.ignored]
            if new and key in checks and key not in self._base_shows:
                before = await self.verifier.checker.run(checks[key], base)
                self._base_shows[key] = frozenset(identity(error) for error in before.errors)

    def _is_of_base(self, error: CIError, check_key: str) -> bool:
        """Whether an error that was hidden until now shows on the base as well."""
        if identity(error) in self._base_shows.get(check_key, ()):
            self.of_base.setdefault(identity(error), error)
            return True
        return False

    def _recognise(self, results: dict[str, CheckResult]) -> tuple[CIError, ...]:
        pool: dict[str, list[CIError]] = defaultdict(list)
        for known in self.healable.values():
            pool[identity(known)].append(known)
        found: dict[str, CIError] = {}
        seen: set[str] = set()
        for key, result in results.items():
            for error in result.errors:
                if error.id in seen or identity(error) in self.ignored:
                    continue
                seen.add(error.id)
                if self.verifier.policy.leaves(error):
                    self.left_alone.setdefault(identity(error), error)
                    continue
                known_as = pool[identity(error)]
                if not known_as and error.id not in self.healable and self._is_of_base(error, key):
                    continue
                ident = _nearest(known_as, error).id if known_as else self._reveal(error, key)
                found[ident] = error.model_copy(update={"id": ident})
        return tuple(found.values())

    def _reveal(self, error: CIError, check_key: str) -> str:
        if error.id not in self.healable:
            self.healable[error.id] = error
            self.revealed.append(error)
        self.verifier.errors.setdefault(error.id, error)
        self.verifier.shown_by[check_key] = self.verifier.shown_by.get(check_key, frozenset()) | {error.id}
        return error.id


def _nearest(known: list[CIError], error: CIError) -> CIError:
    """Takes the one of several errors with the same words that this one is: where the first was fixed and the second
    is left, the first known would be the wrong one."""
    best = min(known, key=lambda one: abs((one.line or 0) - (error.line or 0)))
    known.remove(best)
    return best


def on_head(git: Git, error: CIError, built: str, head: str) -> CIError:
    """An error that a check showed on the tree `built`, with the lines of the branch's tree `head`."""
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
    """The line of `new` that stands where `line` (1-based) stood in `old`."""
    a, b = old.splitlines(), new.splitlines()
    for _, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if i1 < line <= i2:
            return min(j1 + (line - i1), max(j2, j1 + 1))
    return line
