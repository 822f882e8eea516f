"""Updates calls that broke because this pull request renamed, moved or removed a parameter."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from healing.graph.names import NameIndex
from healing.graph.python.syntax import parse
from healing.model import Candidate, Category, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.python.call_sites import Signature, adapted, calls_of, rewritten

CALLED = re.compile(r"([A-Za-z_][\w.<>]{0,200})\(\) (?:got an unexpected|got multiple values|missing \d|takes )")
CALLED_BY_MYPY = re.compile(
    r"(?:Unexpected keyword argument .{1,100} for|Too many (?:positional )?arguments for|in call to|Missing positional "
    r"arguments? .{1,200} in call to|Argument \d+ to) \"(?P<name>[A-Za-z_]\w{0,100})\""
)
MAX_FRAMES = 4  # frames up the stack whose calls may have wrong arguments
Definition = ast.FunctionDef | ast.AsyncFunctionDef
Place = tuple[Definition, bool, str]  # the function, whether it is a method, the name used in calls


@dataclass(frozen=True)
class Changed:
    """A function whose parameters changed in the pull request. `call` is the name used in calls: for `__init__` the
    class's."""

    file: str
    call: str
    old: Signature
    new: Signature
    renamed: Mapping[str, str]


@dataclass(frozen=True)
class ChangedSignature:
    """Needs the tree before the pull request; calls on lines that the pull request wrote are left as they are."""

    name: str = "changed_signature"
    certainty: int = 91

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        wanted = cause.category in (Category.TEST, Category.RUNTIME, Category.TYPE, Category.LINT, Category.IMPORT)
        if repo.index_before is not None and wanted:
            yield from limited(self._candidates(case, repo.index_before))

    def _candidates(self, case: Case, before: NameIndex) -> Iterator[Candidate | None]:
        for changed in _changed(case, before):
            changes = {f: new for f in case.repo.index.files_with(changed.call) if (new := _followed(case, f, changed))}
            editable = {file: new for file, new in changes.items() if case.may_edit(file)}
            if editable:
                why = f"This pull request changed the parameters of `{changed.call}` in {changed.file}; calls that it "
                yield case.candidate(
                    self, editable, f"Call `{changed.call}` as it is now", f"{why}didn't touch follow."
                )


def _changed(case: Case, before: NameIndex) -> Iterator[Changed]:
    """The functions that the messages name, and those that are called on the stack."""
    named = [_called(error.message) for error in case.errors]
    # Only changed files can have changed signatures.
    touched = [path for path in case.repo.changed if path.endswith((".py", ".pyi"))]
    for qualified in dict.fromkeys([*(name for name in named if name), *_on_stack(case)]):
        owner, _, name = qualified.rpartition(".")
        owner = owner.rpartition(".")[2]
        for file in before.those_with(name if name != "__init__" else owner, touched):
            old, new = _definition(before.tree(file), owner, name), _definition(case.repo.index.tree(file), owner, name)
            change = _compare(file, old, new) if old and new else None
            if change is not None:
                yield change


def _called(message: str) -> str:
    match = CALLED.search(message[:4000])
    if match:
        return match.group(1).replace(".<locals>", "")
    typed = CALLED_BY_MYPY.search(message[:4000])
    return typed.group("name") if typed else ""


def _on_stack(case: Case) -> list[str]:
    """The names called on the stack's lines: for arguments in the wrong order the message seldom names the function."""
    names = []
    for file, line in case.frames[:MAX_FRAMES]:
        tree = case.repo.index.tree(file)
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or node.lineno):
                names.append(node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", ""))
    return [name for name in names if name]


def _definition(tree: ast.Module | None, owner: str, name: str) -> Place | None:
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.ClassDef):
            method = {n.name: n for n in node.body if isinstance(n, Definition)}
            if name in method and owner in ("", node.name):
                return method[name], True, node.name if name == "__init__" else name
            if node.name == name and not owner and "__init__" in method:
                return method["__init__"], True, name
    for node in tree.body if tree else ():
        if isinstance(node, Definition) and node.name == name and not owner:
            return node, False, name
    return None


def _compare(file: str, was: Place, now: Place) -> Changed | None:
    """The change, if callers can be updated for it."""
    old, new = Signature.of(was[0], was[1]), Signature.of(now[0], now[1])
    if old == new or old.open or new.open:
        return None
    gone = [p for p in old.names if p not in new.names]
    fresh = [p for p in new.names if p not in old.names]
    renamed = {}
    if len(gone) == len(fresh) and all(_same_place(g, f, old, new) for g, f in zip(gone, fresh, strict=True)):
        renamed = dict(zip(gone, fresh, strict=True))
    elif any(p in new.required for p in fresh):
        return None  # the value for a new parameter can't be invented
    return Changed(file, now[2], old, new, renamed)


def _same_place(gone: str, fresh: str, old: Signature, new: Signature) -> bool:
    """Whether one may be the other renamed: of the same kind, at the same place, and both required or both optional."""
    if (gone in old.required) != (fresh in new.required):
        return False
    if gone in old.keyword_only or fresh in new.keyword_only:
        return gone in old.keyword_only and fresh in new.keyword_only
    return old.positional.index(gone) == new.positional.index(fresh)


def _followed(case: Case, file: str, changed: Changed) -> bytes | None:
    """The file with every call that the pull request didn't touch adapted to the new signature; None where nothing
    changes."""
    assert case.repo.before is not None
    data = case.repo.view.read(file) or b""
    old = set((case.repo.before.read(file) or b"").splitlines())
    fresh = {number for number, line in enumerate(data.splitlines(), 1) if line not in old}
    result, behind = data, (len(data), 0)
    while True:  # from the end to the start, inner calls first, so that earlier positions stay valid
        tree = parse(result)
        places = {(c.lineno, c.col_offset): c for c in calls_of(tree, changed.call)} if tree else {}
        behind = max((place for place in places if place < behind), default=(0, 0))
        if behind not in places:
            return result if result != data else None
        call = places[behind]
        arguments = adapted(call, changed.old, changed.new, changed.renamed)
        if arguments is not None and fresh.isdisjoint(range(call.lineno, (call.end_lineno or call.lineno) + 1)):
            result = rewritten(result, call, changed.old, arguments)
