"""A definition that this pull request renamed while other code still uses its old name."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from healing.graph import is_test
from healing.graph.names import NameIndex, attributes_of, exported, mentions
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited, rewrite
from healing.repair.fixers.python.definitions import Definitions, PythonDefinition, definitions_of
from healing.spelling import is_slip

FAMILIES = ("undefined-name", "missing-member", "missing-attribute", "keyword")
FEW = 4  # lines of a definition that are compared by characters
ALIKE = 0.6  # similarity of two bodies from which one counts as the other renamed


@dataclass(frozen=True)
class Renaming:
    """`old` became `new` in `file`; `owner` is the class around it, or empty."""

    file: str
    owner: str
    old: str
    new: str
    place: ast.AST  # the node with the new name


@dataclass(frozen=True)
class RenamedSymbol:
    """Whether the old or the new name is intended is decided by the change and by how many uses each has; that fix
    comes first."""

    name: str = "renamed_symbol"
    certainty: int = 92

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if case.family in FAMILIES and repo.index_before is not None:
            yield from limited(self._candidates(case, repo.index_before))

    def _candidates(self, case: Case, before: NameIndex) -> Iterator[Candidate | None]:
        for renaming in _renamings(case, before):
            restored, followed = self._restored(case, renaming), [*self._followed(case, renaming)]
            old_is_meant = _old_is_meant(case.repo.index, before, renaming)
            yield from [restored, *followed] if old_is_meant else [*followed, restored]

    def _restored(self, case: Case, renaming: Renaming) -> Candidate | None:
        """Restores the definition's old name, also in code that uses the new one."""
        index, file, old, new = case.repo.index, renaming.file, renaming.old, renaming.new
        if renaming.owner and is_shared(index, new, renaming.owner):
            return None  # it is unclear which uses mean this definition
        changes = _renamed(case, renaming, new, old, [path for path in index.uses(new) if not is_test(path)])
        nodes = [*_mine(case, renaming, file, new), renaming.place]
        changes[file] = rewrite(case.repo.view.read(file) or b"", nodes, new, old)
        why = f"This pull request renamed `{old}` to `{new}` in {file}, but other code still uses `{old}`."
        candidate = case.candidate(self, changes, f"Give `{old}` its name back", why)
        flags = (f"undoes this change's renaming of {old} to {new}",)
        return candidate and candidate.model_copy(update={"flags": flags})

    def _followed(self, case: Case, renaming: Renaming) -> Iterator[Candidate | None]:
        """Changes uses of the old name to the new one."""
        old, new = renaming.old, renaming.new
        changes = _renamed(case, renaming, old, new, list(case.repo.index.files_with(old)))
        why = f"This pull request renamed `{old}` to `{new}` in {renaming.file}; the remaining uses of `{old}` follow."
        return case.followed(self, changes, f"Call `{old}` by its new name `{new}`", why)


def _renamed(case: Case, renaming: Renaming, name: str, to: str, files: list[str]) -> dict[str, bytes]:
    """The files with `to` for `name`, where something changes."""
    changes: dict[str, bytes] = {}
    for file in files:
        data = case.repo.view.read(file) or b""
        new = rewrite(data, _mine(case, renaming, file, name), name, to)
        if new != data:
            changes[file] = new
    return changes


def _mine(case: Case, renaming: Renaming, file: str, name: str) -> list[ast.AST]:
    """Nodes of a file with the name that may refer to this definition. If other classes have such an attribute too,
    only keywords in calls of this class and nodes on an error's frames count."""
    index, owner = case.repo.index, renaming.owner
    bare = (ast.Name, ast.alias)  # a variable with the name is not a member of a class
    nodes = [node for node in _uses(index.tree(file), owner, name) if not (owner and isinstance(node, bare))]
    if not is_shared(index, name, owner):
        return nodes
    certain = (*bare, ast.keyword) if len(index.classes(owner)) == 1 else bare
    return [node for node in nodes if isinstance(node, certain) or (file, getattr(node, "lineno", 0)) in case.frames]


def _uses(tree: ast.Module | None, owner: str, name: str) -> list[ast.AST]:
    """Nodes with the name; for a class's field also keywords in calls of that class."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree and owner else []
    own = [call for call in calls if getattr(call.func, "id", getattr(call.func, "attr", "")) == owner]
    listed = exported(tree, name) if tree and not owner else []
    return [*mentions(tree, name), *listed, *(word for call in own for word in call.keywords if word.arg == name)]


def is_shared(index: NameIndex, name: str, owner: str) -> bool:
    """Whether another class of the repo, or a built-in type, has a member of this name."""
    plain = any(hasattr(kind, name) for kind in (str, bytes, list, dict, set, tuple, int))
    return plain or any(name in members for members in _members(index, name, owner))


def _members(index: NameIndex, name: str, but: str) -> Iterator[frozenset[str]]:
    for path in index.files_with(name):
        tree = index.tree(path)
        nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)] if tree else []
        yield from (attributes_of(node) for node in nodes if node.name != but)


def _old_is_meant(index: NameIndex, before: NameIndex, renaming: Renaming) -> bool:
    """Whether at least as much of the repo uses the old name as the new one. If this change also wrote the new name in
    uses, the rename was deliberate, and the new name is intended; so it is where no test says the old name and all uses
    can follow, unless the new one is a slip of the pen."""
    tests = any(is_test(path) for path in index.uses(renaming.old))
    if not tests and not is_shared(index, renaming.old, renaming.owner) and not _is_misspelt(renaming):
        return False
    old, new = sum(index.uses(renaming.old).values()), sum(index.uses(renaming.new).values())
    itself = isinstance(renaming.place, ast.Name | ast.Attribute)  # the definition is a use too
    return old >= new and new - itself <= sum(before.uses(renaming.new).values())


def _is_misspelt(renaming: Renaming) -> bool:
    """Whether the new name may be the old one, misspelt. Another style (`readline`, `read_line`) is meant."""
    old, new = (name.replace("_", "").lower() for name in (renaming.old, renaming.new))
    return old != new and is_slip(renaming.new, renaming.old)


def _renamings(case: Case, before: NameIndex) -> Iterator[Renaming]:
    """Renamings of the missing name, in the files that may have defined it."""
    for file in _homes(case, before):
        old_tree, new_tree = before.tree(file), case.repo.index.tree(file)
        if old_tree is None or new_tree is None:
            continue
        old_definitions, new_definitions = definitions_of(old_tree), definitions_of(new_tree)
        for owner, name in sorted(old_definitions):
            if name == case.name and (owner, name) not in new_definitions:
                renaming = _successor(case, file, old_definitions, new_definitions, (owner, name))
                if renaming:
                    yield renaming


def _homes(case: Case, before: NameIndex) -> list[str]:
    """Files that defined the name before and changed since: the named module, then where it failed, then the rest."""
    named = [before.modules.find(owner) for owner in case.owners]
    places = dict.fromkeys([*(file for file in named if file), *case.crashed, *before.files_with(case.name)])
    assert case.repo.before is not None
    return [file for file in places if case.repo.before.blob(file) != case.repo.view.blob(file)]


def _successor(case: Case, file: str, had: Definitions, has: Definitions, key: tuple[str, str]) -> Renaming | None:
    """The new definition that is the old one renamed: the one with the most similar body, if that is unique."""
    gone, owner = had[key], key[0]
    if owner and ("", owner) not in has and ("", owner) in had:
        around = _successor(case, file, had, has, ("", owner))
        owner = around.new if around else owner
    fresh = [
        (k, definition)
        for k, definition in has.items()
        if k[0] == owner and (key[0], k[1]) not in had and definition.kind == gone.kind
    ]
    old_text = _body(case.repo.index_before, file, gone, key[1])
    scored = sorted(
        ((_alike(old_text, _body(case.repo.index, file, definition, k[1])), k[1]) for k, definition in fresh),
        reverse=True,
    )
    if not scored or scored[0][0] < ALIKE or (len(scored) > 1 and scored[0][0] == scored[1][0]):
        return None
    new = scored[0][1]
    return Renaming(file, owner, key[1], new, has[owner, new].place)


def _body(index: NameIndex | None, file: str, one: PythonDefinition, name: str) -> str:
    """The definition's source with its own name masked, also where it occurs inside."""
    data = (index.view.read(file) if index else None) or b""
    first, last = getattr(one.whole, "lineno", 1), getattr(one.whole, "end_lineno", 1)
    lines = data.decode("utf-8", "replace").splitlines()[first - 1 : last]
    return re.sub(rf"\b{re.escape(name)}\b", "‹name›", "\n".join(lines))


def _alike(left: str, right: str) -> float:
    """The similarity: by characters for a few lines, otherwise by lines."""
    if left == right:
        return 1.0
    if max(left.count("\n"), right.count("\n")) < FEW:
        return SequenceMatcher(None, left, right, autojunk=False).ratio()
    return SequenceMatcher(None, left.splitlines(), right.splitlines(), autojunk=False).ratio()
