"""Two adjacent arguments of one call in the wrong order: on a line that this pull request wrote, or where something had
the wrong type."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from healing.model import Candidate, Category, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited

WRONG_TYPE = re.compile(r"(?:E\s+)?(?:TypeError|AttributeError)\b")
FRAMES = 6  # from the deepest up: the wrong call is seldom far from where it failed


@dataclass(frozen=True)
class SwappedArguments:
    """A template, not a diagnosis: without the tree before the pull request it needs a message about types."""

    name: str = "swapped_arguments"
    certainty: int = 60

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        wanted = cause.category in (Category.TEST, Category.RUNTIME, Category.TYPE)
        if wanted and (repo.before is not None or any(WRONG_TYPE.match(e.message[:200]) for e in case.errors)):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        for file, row in case.frames[:FRAMES]:
            tree, data = case.repo.index.tree(file), case.repo.view.read(file) or b""
            if tree is None or not (case.repo.before is None or written_now(case.repo, file, row)):
                continue
            for call in _calls_on(tree, row):
                for left, right in pairwise(call.args):
                    new = _swapped(data, left, right)
                    why = f"The call of `{ast.unparse(call.func)}` at {file}:{row} works with these arguments swapped."
                    changes = {file: new} if new else {}
                    yield case.candidate(self, changes, f"Swap two arguments of `{ast.unparse(call.func)}`", why)


def written_now(repo: Repo, file: str, row: int) -> bool:
    """Whether the line is not in the pull request's base version of the file."""
    lines = (repo.view.read(file) or b"").splitlines()
    old = repo.before.read(file) if repo.before else None
    return old is not None and 0 < row <= len(lines) and lines[row - 1] not in old.splitlines()


def _calls_on(tree: ast.Module, row: int) -> list[ast.Call]:
    """Calls on one line with two or three positional arguments, the outermost first."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.lineno == node.end_lineno == row]
    plain = [
        call for call in calls if 2 <= len(call.args) <= 3 and not any(isinstance(a, ast.Starred) for a in call.args)
    ]
    return sorted(plain, key=lambda call: call.col_offset)


def _swapped(data: bytes, left: ast.expr, right: ast.expr) -> bytes | None:
    lines = data.splitlines(keepends=True)
    line = lines[left.lineno - 1]
    first, second = line[left.col_offset : left.end_col_offset], line[right.col_offset : right.end_col_offset]
    if first == second:
        return None
    between = line[left.end_col_offset : right.col_offset]
    lines[left.lineno - 1] = line[: left.col_offset] + second + between + first + line[right.end_col_offset :]
    return b"".join(lines)
