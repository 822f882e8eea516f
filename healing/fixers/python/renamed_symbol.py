"""A definition that this pull request renamed while others still call it by its old name."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from healing.fixers.fixer import Case, Repo, limited, rewrite
from healing.graph import is_test
from healing.model import Candidate, CIError, RootCause
from healing.names import NameIndex, mentions

FAMILIES = ("undefined-name", "missing-member", "missing-attribute", "keyword")
ALIKE = 0.6  # similarity of two bodies from which one definition is the other, renamed
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Renaming:
    """`old` became `new` in `file`; `owner` is the class around it, or empty."""

    file: str
    owner: str
    old: str
    new: str
    node: ast.AST


@dataclass(frozen=True)
class RenamedSymbol:
    """Which name is meant is told by where most of the repo points: that way is proposed first."""

    name: str = "renamed_symbol"
    certainty: int = 92

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if case.family in FAMILIES and repo.index_before is not None:
            yield from limited(self._candidates(case, repo.index_before))

    def _candidates(self, case: Case, before: NameIndex) -> Iterator[Candidate | None]:
        for renaming in _renamings(case, before):
            ways = [self._restored(case, renaming), self._followed(case, renaming)]
            yield from ways if _old_is_meant(case.repo.index, renaming) else reversed(ways)

    def _restored(self, case: Case, renaming: Renaming) -> Candidate | None:
        """The definition gets its old name back, and with it those who call it by the new one."""
        index, old, new = case.repo.index, renaming.old, renaming.new
        changes = _renamed(case, new, old, [file for file in index.uses(new) if not is_test(file)])
        changes[renaming.file] = rewrite(
            case.repo.view.read(renaming.file) or b"",
            [*mentions(index.tree(renaming.file), new), renaming.node],
            new,
            old,
        )
        why = f"This pull request renamed `{old}` to `{new}` in {renaming.file}, but other code still needs `{old}`."
        return case.candidate(self, changes, f"Give `{old}` its name back", why)

    def _followed(self, case: Case, renaming: Renaming) -> Candidate | None:
        """Those who use the old name learn the new one."""
        old, new = renaming.old, renaming.new
        changes = _renamed(case, old, new, list(case.repo.index.uses(old)))
        why = f"This pull request renamed `{old}` to `{new}` in {renaming.file}; what still said `{old}` follows."
        return case.candidate(self, changes, f"Call `{new}` by its new name", why) if changes else None


def _renamed(case: Case, old: str, new: str, files: list[str]) -> dict[str, bytes]:
    view, index = case.repo.view, case.repo.index
    return {file: rewrite(view.read(file) or b"", mentions(index.tree(file), old), old, new) for file in files}


def _old_is_meant(index: NameIndex, renaming: Renaming) -> bool:
    """Whether more of the repo uses the old name than the new one; the old one where both are even."""
    return sum(index.uses(renaming.old).values()) >= sum(index.uses(renaming.new).values())


def _renamings(case: Case, before: NameIndex) -> Iterator[Renaming]:
    """Renamings of the missing name, in the files that may have defined it."""
    for file in _homes(case, before):
        old_tree, new_tree = before.tree(file), case.repo.index.tree(file)
        if old_tree is None or new_tree is None:
            continue
        had, has = _definitions(old_tree), _definitions(new_tree)
        for owner, name in sorted(had):
            if name == case.name and (owner, name) not in has:
                found = _successor(case, file, had, has, (owner, name))
                if found:
                    yield found


def _homes(case: Case, before: NameIndex) -> list[str]:
    """Files that defined the name before, changed since: the named module, then where it broke, then the rest."""
    named = [before.modules.find(owner) for owner in case.owners]
    places = dict.fromkeys([*(file for file in named if file), *case.crashed, *before.files_with(case.name)])
    assert case.repo.before is not None
    return [file for file in places if case.repo.before.blob(file) != case.repo.view.blob(file)]


def _definitions(tree: ast.Module) -> dict[tuple[str, str], Definition]:
    """(class or empty, name) → definition, at the top level and one level into classes."""
    found: dict[tuple[str, str], Definition] = {}
    for node in tree.body:
        if isinstance(node, Definition):
            found["", node.name] = node
        if isinstance(node, ast.ClassDef):
            found |= {(node.name, inner.name): inner for inner in node.body if isinstance(inner, Definition)}
    return found


Definitions = dict[tuple[str, str], Definition]


def _successor(case: Case, file: str, had: Definitions, has: Definitions, key: tuple[str, str]) -> Renaming | None:
    """The new definition that is the old one under another name: the likest body, clearly so."""
    gone = had[key]
    owners = {key[0]} if key[0] else {""}
    fresh = [(k, node) for k, node in has.items() if k not in had and k[0] in owners and isinstance(node, type(gone))]
    old_text = _body(case.repo.index_before, file, gone)
    scored = sorted(((_alike(old_text, _body(case.repo.index, file, node)), k[1]) for k, node in fresh), reverse=True)
    if not scored or scored[0][0] < ALIKE or (len(scored) > 1 and scored[0][0] == scored[1][0]):
        return None
    new = scored[0][1]
    return Renaming(file, key[0], key[1], new, has[key[0], new])


def _body(index: NameIndex | None, file: str, node: Definition) -> str:
    """The definition's source without its name; for a class also without its own name inside."""
    data = (index.view.read(file) if index else None) or b""
    lines = data.decode("utf-8", "replace").splitlines()[node.lineno - 1 : node.end_lineno]
    return "\n".join(lines).replace(node.name, "‹name›")


def _alike(left: str, right: str) -> float:
    if left == right:
        return 1.0
    return SequenceMatcher(None, left.splitlines(), right.splitlines(), autojunk=False).ratio()
