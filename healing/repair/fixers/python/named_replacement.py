"""A name that is gone or deprecated, where the error itself names the one to use in its place."""

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.causes import Places
from healing.causes.stated import Stated, advice_of
from healing.edits.exact import EditSpan, splice
from healing.graph import is_test
from healing.graph.names import closest_name
from healing.model import Candidate, Category, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.python.origins import Origins
from healing.repair.fixers.python.uses import NameUse, function_lines, statement_lines, uses
from healing.repair.fixers.signatures import ParsedFile

FRAMES = 3  # of a trace, from the deepest: a warning is raised a call or two below the line that it is about
BOM = b"\xef\xbb\xbf"
BINDS_TIGHTER = re.compile(rb"\s*(?:\*\*|[.(\[])")


@dataclass(frozen=True)
class Spot:
    """Where an error says that a name is gone."""

    file: str
    line: int
    use: NameUse


@dataclass(frozen=True)
class NamedReplacement:
    """Only where the old name stands at the error's place, in one role. What an import says is the same thing follows
    in all files; of a method, which may be anything's, the uses on the same object, then those in the same function."""

    name: str = "named_replacement"
    certainty: int = 88

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        by_advice: dict[Stated, list[CIError]] = {}
        for error in case.errors:
            # A linter accepts any name: it would not see that `os.path.Path` doesn't exist.
            if error.category is not Category.LINT and (advice := advice_of(error)):
                by_advice.setdefault(advice, []).append(error)
        for advice, errors in by_advice.items():
            for old in advice.olds or _near_olds(case, errors, advice.new):
                spots = [spot for error in errors for spot in _spots(case, error, old)]
                if len({spot.use.kind for spot in spots}) != 1:
                    continue
                title = f"Use `{advice.new}` instead of `{old}`"
                why = f"`{old}` is gone or going; the error itself names `{advice.new}` in its place."
                for in_function in (False, True):
                    changes = _changes(case, spots, advice, old, in_function=in_function)
                    yield from case.followed(self, changes, title, why) if changes else ()


def _spots(case: Case, error: CIError, old: str) -> list[Spot]:
    """The uses of the old name on the error's line, or on the first line further up the trace that has one."""
    for file, line in Places(case.repo.view).frames(error)[:FRAMES]:
        tree = case.repo.index.tree(file) if file.endswith((".py", ".pyi")) else None
        if tree is None or (is_test(file) and _is_own(case, old)):
            continue
        lines = statement_lines(tree, line)
        found = [use for use in uses(_origins(case, file, tree), _last(old)) if use.is_on(lines)]
        if "." in old and any(use.known for use in found):
            found = [use for use in found if use.known]  # `np.Inf` is of a module, and no other object's `Inf`
        if found:
            return [Spot(file, line, use) for use in found]
    return []


def _near_olds(case: Case, errors: list[CIError], new: str) -> tuple[str, ...]:
    """For a message that names just the new one, as unittest's do: the one name like it on every error's line."""
    names: set[str] = set()
    for error in errors:
        frames = Places(case.repo.view).frames(error)
        file, line = frames[0] if frames else ("", 0)
        tree = case.repo.index.tree(file) if file.endswith(".py") else None
        lines = statement_lines(tree, line) if tree else range(0)
        nodes = [n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and n.lineno in lines] if tree else []
        pool = {node.attr for node in nodes}
        names.add((closest_name(new, pool) if new not in pool else None) or "")
    return tuple(names) if len(names) == 1 and "" not in names else ()


def _is_own(case: Case, old: str) -> bool:
    """Whether the repository itself defines the old name: then a test that uses it may be what keeps it working."""
    for path in case.repo.index.files_with(_last(old)):
        tree = case.repo.index.tree(path) if not is_test(path) else None
        for node in ast.walk(tree) if tree else ():
            if getattr(node, "name", "") == _last(old) and not isinstance(node, ast.alias):
                return True
    return False


def _changes(case: Case, spots: list[Spot], advice: Stated, old: str, *, in_function: bool) -> dict[str, bytes]:
    """The changed files; none where one of the places can't be written as advised."""
    kind, changes = spots[0].use.kind, dict[str, bytes]()
    meanings = {spot.use.meaning for spot in spots}
    everywhere = all(spot.use.known for spot in spots)
    of_repo = case.repo.index.files_with(_last(old)) if everywhere else ()
    tests_stay = _is_own(case, old)
    for file in sorted({*of_repo, *(spot.file for spot in spots)}):
        tree = case.repo.index.tree(file)
        data = case.repo.view.read(file) or b""
        if tree is None or data.startswith(BOM) or (tests_stay and is_test(file)):
            continue
        origins = _origins(case, file, tree)
        near = [function_lines(tree, spot.line) for spot in spots if spot.file == file and in_function]
        same = [
            use
            for use in uses(origins, _last(old))
            if (use.kind == kind or everywhere)
            and not (use.kind == "imported" and file.endswith("__init__.py"))  # others import it from there
            and (use.meaning in meanings or (use.kind == kind and any(use.is_on(lines) for lines in near)))
        ]
        spans = [_written(ParsedFile(data, tree), origins, use, advice, old) for use in same]
        if None in spans:
            return {}
        if spans:
            changes[file] = splice(data, sorted({s for s in spans if s}, key=lambda span: span.start))
    return changes if _has_plain_name(case, advice) else {}


def _has_plain_name(case: Case, advice: Stated) -> bool:
    """A bare word may be English ("use bytes instead"): it is a name where the repository defines it."""
    return not advice.plain or _is_own(case, advice.new)


def _written(source: ParsedFile, origins: Origins, use: NameUse, advice: Stated, old: str) -> EditSpan | None:
    """The new name in place of one use; None where the advice doesn't fit there."""
    node, new = use.node, advice.new
    if isinstance(node, ast.Attribute):
        return _attribute(source, origins, node, advice, old)
    if "." in new and use.kind != "imported":
        return None
    if isinstance(node, ast.keyword):
        start = source.at(node.lineno, node.col_offset)
        taken = any(keyword.arg == new for keyword in (use.called.keywords if use.called else ()))
        fits = new.isidentifier() and new.islower() and not taken and _keeps_its_value(node, new)
        return EditSpan(start, start + len((node.arg or "").encode()), new.encode()) if fits else None
    if isinstance(node, ast.Constant):
        start, end = source.start(node) + 1, source.end(node) - 1
        plain = source.data[start:end] == old.encode() and advice.quoted
        return EditSpan(start, end, new.encode()) if plain else None
    owner, _, last = new.rpartition(".")
    if isinstance(node, ast.alias | ast.Name) and owner in ("", old.rpartition(".")[0], use.meaning.rpartition(".")[0]):
        names = {a.asname or a.name for n in ast.walk(source.tree) if isinstance(n, ast.ImportFrom) for a in n.names}
        if advice.whole or not {last, _last(old)}.isdisjoint(origins.bound) or last in names:
            return None
        start = source.at(node.lineno, node.col_offset)
        return EditSpan(start, start + len(_last(old).encode()), last.encode())
    return None


def _keeps_its_value(keyword: ast.keyword, new: str) -> bool:
    """Whether a value can mean the same under another keyword: `allow_mutation=False` is `frozen=True`, so a truth
    value can't, and a variable may be one unless the two keywords share a word."""
    if isinstance(keyword.value, ast.Constant) and not isinstance(keyword.value.value, bool):
        return True
    plain = isinstance(keyword.value, ast.Name | ast.Attribute | ast.BinOp | ast.List | ast.Tuple | ast.Dict)
    return plain and bool({*(keyword.arg or "").split("_")} & {*new.split("_")})


def _attribute(source: ParsedFile, origins: Origins, node: ast.Attribute, advice: Stated, old: str) -> EditSpan | None:
    new, sign = advice.new.removeprefix("-"), "-" if advice.new.startswith("-") else ""
    end = source.end(node)
    rest = _rest(origins, node, new, old)
    if advice.whole and ("." not in new or new[0].isdigit()):
        known = new[0].isdigit() or hasattr(builtins, new)
        text = sign + new
        if not known or not origins.of(node.value):
            return None
    elif not rest or (rest.startswith("_") and not _last(old).startswith("_")):
        return None
    elif not sign:
        return EditSpan(end - len(node.attr.encode()), end, rest.encode())
    else:
        text = f"{sign}{source.text(node.value).decode()}.{rest}"
    needs_brackets = sign and BINDS_TIGHTER.match(source.data, end)
    return EditSpan(source.start(node), end, (f"({text})" if needs_brackets else text).encode())


def _rest(origins: Origins, node: ast.Attribute, new: str, old: str) -> str:
    """What follows the object that the old name is looked up in: `inf` of `np.inf`; empty where the new name is of
    something else."""
    *owner, last = _parts(new)
    old_owner = _parts(old)[:-1]
    if not owner:
        return last
    if old_owner and owner[: len(old_owner)] == old_owner:
        return ".".join([*owner[len(old_owner) :], last])
    whose = (ast.unparse(node.value), origins.of(node.value))
    return last if not old_owner and ".".join(owner) in whose else ""


def _parts(name: str) -> list[str]:
    return re.split(r"\.|::", name)


def _last(name: str) -> str:
    return _parts(name)[-1]


def _origins(case: Case, file: str, tree: ast.Module) -> Origins:
    return Origins(file, tree, case.repo.index.modules)
