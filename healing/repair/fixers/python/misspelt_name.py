"""A name, an attribute, an imported name or a keyword that is one clear misspelling of something that exists."""

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.graph import is_test
from healing.graph.names import attributes_of, bound_names, closest_name, imports_of, unbound_names
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited, rewrite
from healing.repair.fixers.python.stdlib_names import stdlib_attributes
from healing.repair.fixers.python.swapped_arguments import written_now

HINT = re.compile(r"(?:[Dd]id you mean:?|maybe) [\"'`](?P<name>[A-Za-z_]\w*)[\"'`]\??(?! or )")
BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_"))
PLAIN_TYPES = {t.__name__: t for t in (str, bytes, int, float, list, dict, set, tuple, frozenset, bool, bytearray)}
FAMILIES = ("undefined-name", "missing-attribute", "missing-member", "keyword")


@dataclass(frozen=True)
class MisspeltName:
    """Only where exactly one name is similar; the interpreter's own hint counts as that."""

    name: str = "misspelt_name"
    certainty: int = 75

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if case.family in FAMILIES:
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        hint, everywhere = _hint(case), dict[str, dict[str, bytes]]()  # by the right name
        for file in dict.fromkeys([*case.crashed, *(file for file, _ in case.frames)]):
            tree = case.repo.index.tree(file) if _may_be_wrong(case, file) else None
            nodes = _wrong(case, file, tree) if tree else []
            meant = hint or (_nearest(case, tree) if tree and nodes else None)
            if nodes and meant and meant != case.name:
                new = rewrite(case.repo.view.read(file) or b"", nodes, case.name, meant)
                everywhere.setdefault(meant, {file: new, **_elsewhere(case, file, meant)})
                why = f"`{case.name}` isn't defined; the only close match is `{meant}`."
                yield case.candidate(self, {file: new}, f"Write `{meant}` for `{case.name}`", why)
        for meant, fixed in everywhere.items():  # the next place may fail only once the first is right
            why = f"`{case.name}` isn't defined anywhere; `{meant}` is what all of these files mean."
            yield case.candidate(self, fixed, f"Write `{meant}` for `{case.name}`", why) if len(fixed) > 1 else None


def _elsewhere(case: Case, file: str, meant: str) -> dict[str, bytes]:
    """The other files with the same slip, repaired: those where the name can be nothing else, and the right one is in
    scope. Checks may not run them, so an imported name or an attribute, which may be another module's, is no slip."""
    index, changes = case.repo.index, dict[str, bytes]()
    if case.family != "undefined-name" or index.defining(case.name):
        return {}
    for path in sorted(index.files_with(case.name)):
        tree = index.tree(path) if path != file and case.may_edit(path) else None
        if tree and not {case.name, "*"} & bound_names(tree) and meant in _in_scope(case, tree):
            changes[path] = rewrite(case.repo.view.read(path) or b"", _wrong(case, path, tree), case.name, meant)
    return changes


def _may_be_wrong(case: Case, file: str) -> bool:
    """Whether a file may be misspelt. A test that uses a name of the repo's own code states the intended name; it can
    be wrong only in its own names and in those of built-in types."""
    plain = any(owner.rpartition(".")[2] in PLAIN_TYPES for owner in case.owners)
    return not is_test(file) or case.family == "undefined-name" or plain


def _hint(case: Case) -> str | None:
    hints = {m.group("name") for e in case.errors for m in HINT.finditer(f"{e.message}\n{e.suggestion or ''}")}
    return hints.pop() if len(hints) == 1 else None


def _wrong(case: Case, file: str, tree: ast.Module) -> list[ast.AST]:
    """The nodes with the wrong name: on the lines of the stack if there are any, otherwise in the whole file."""
    nodes = [node for node in ast.walk(tree) if _has_name(node, case)]
    lines = {line for path, line in case.frames if path == file}
    on_stack = [node for node in nodes if _lines(node) & lines]
    # An undefined or unimportable name is wrong in the whole file, an attribute only where it was looked up.
    return nodes if case.family in ("undefined-name", "missing-member") else on_stack or nodes


def _has_name(node: ast.AST, case: Case) -> bool:
    if case.family == "keyword":
        return isinstance(node, ast.keyword) and node.arg == case.name
    if case.family == "missing-attribute":
        return isinstance(node, ast.Attribute) and node.attr == case.name
    if case.family == "missing-member" and isinstance(node, ast.Attribute | ast.alias):
        return (node.attr if isinstance(node, ast.Attribute) else node.name) == case.name
    return isinstance(node, ast.Name) and node.id == case.name


def _lines(node: ast.AST) -> set[int]:
    first = getattr(node, "lineno", 0)
    return set(range(first, (getattr(node, "end_lineno", None) or first) + 1))


def _nearest(case: Case, tree: ast.Module) -> str | None:
    """The one similar name in the first pool that has one."""
    return next((found for pool in _pools(case, tree) if (found := closest_name(case.name, pool))), None)


def _pools(case: Case, tree: ast.Module) -> Iterator[frozenset[str]]:
    """Names that may have been meant."""
    if case.family == "undefined-name":
        yield _in_scope(case, tree)
    elif case.family == "missing-member":
        yield _members(case)
        yield _outside(case, tree)
        yield unbound_names(tree)  # for modules outside the repo: the names that this file uses
    elif case.family == "keyword":
        yield _parameters(case)
    else:
        yield _attributes(case)
        yield _outside(case, tree)
        # A `__getattr__` may have delegated the look-up to another object.
        classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        yield frozenset[str]().union(*(attributes_of(node) for node in classes))
        # For classes outside the repo: the attributes that this file uses.
        yield frozenset(n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and n.attr != case.name)


def _outside(case: Case, tree: ast.Module) -> frozenset[str]:
    """The attributes that the standard library's owners have, for a name that the pull request wrote. Not where one of
    them is the name: this Python then has what the repository's lacks."""
    if not any(written_now(case.repo, file, line) for file, line in case.frames[:1]):
        return frozenset()
    index = case.repo.index
    owners = [o for o in case.owners if not index.modules.find(o) and not index.classes(o.rpartition(".")[2])]
    names = frozenset[str]().union(*map(stdlib_attributes, owners))
    if "Namespace" in owners:
        own = _options(tree)
        names |= own or frozenset[str]().union(*(_options(index.tree(f)) for f in index.files_with("add_argument")))
    one_letter = frozenset(name for name in names if abs(len(name) - len(case.name)) <= 1)  # `prod` isn't `sumprod`
    return frozenset() if case.name in names else one_letter


def _options(tree: ast.Module | None) -> frozenset[str]:
    """The attributes that the options of an argument parser get."""
    names: set[str] = set()
    for call in ast.walk(tree) if tree else ():
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "add_argument":
            texts = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            named = [k.value.value for k in call.keywords if k.arg == "dest" and isinstance(k.value, ast.Constant)]
            first = next((t for t in texts if not t.startswith("-") or t.startswith("--")), texts[0] if texts else "")
            names.add(str(named[0]) if named else first.lstrip("-").replace("-", "_"))
    return frozenset(names - {""})


def _in_scope(case: Case, tree: ast.Module) -> frozenset[str]:
    """Names bound at the top level or in a function that uses the wrong one, and the builtins."""
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    using = [f for f in functions if any(isinstance(n, ast.Name) and n.id == case.name for n in ast.walk(f))]
    names = {name for f in using for name in bound_names(ast.Module(body=[f], type_ignores=[]))}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        else:
            names |= bound_names(ast.Module(body=[node], type_ignores=[]))
    return frozenset(names - {case.name}) | BUILTINS


def _members(case: Case) -> frozenset[str]:
    index = case.repo.index
    files = [file for owner in case.owners if (file := index.modules.find(owner))]
    imported = {(a.asname or a.name) for f in files for node in imports_of(index.tree(f)) for a in node.names}
    return frozenset(imported).union(*(index.top_level(file) for file in files))


def _parameters(case: Case) -> frozenset[str]:
    names: set[str] = set()
    for owner in case.owners:
        function = owner.rpartition(".")[2]
        class_name = owner.split(".")[-2] if function == "__init__" and "." in owner else function
        for path in case.repo.index.files_with(class_name):
            tree = case.repo.index.tree(path)
            for node in ast.walk(tree) if tree else ():
                names |= _keywords_of(node, {function, class_name})
    return frozenset(names)


def _keywords_of(node: ast.AST, called: set[str]) -> set[str]:
    if isinstance(node, ast.ClassDef) and node.name in called:
        fields = {s.target.id for s in node.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)}
        inits = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
        return fields.union(*(_keywords_of(init, {"__init__"}) for init in inits))
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in called:
        return {arg.arg for arg in [*node.args.args, *node.args.kwonlyargs]} - {"self", "cls"}
    return set()


def _attributes(case: Case) -> frozenset[str]:
    """Attributes of the named class and of its bases."""
    names: set[str] = set()
    for owner in case.owners:
        simple = owner.rpartition(".")[2]
        if simple in PLAIN_TYPES:
            names |= set(dir(PLAIN_TYPES[simple]))
        names |= _class_attributes(case, simple, set())
    return frozenset(names)


def _class_attributes(case: Case, name: str, seen: set[str]) -> set[str]:
    if name in seen:
        return set()
    seen.add(name)
    names: set[str] = set()
    for _, node in case.repo.index.classes(name):
        names |= attributes_of(node)
        for base in node.bases:
            names |= _class_attributes(case, ast.unparse(base).rpartition(".")[2], seen)
    return names
