"""Where the attributes are assigned that a failed assertion or an error names: a wrong value was put there somewhere,
and no frame of the traceback leads to it."""

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator

from healing.graph import is_test
from healing.graph.language import suffix_of
from healing.graph.python.syntax import parse
from healing.model import CIError
from healing.repair.agents.long_functions import Span

MOST_NAMES = 8  # attributes that are looked for
MOST_FILES = 200  # that are looked through
MOST_BYTES = 1 << 20  # of one of them
MOST_AROUND = 12  # assignments that are shown with what is around them
MOST = 40  # of which the others are shown as single lines
AROUND = 3  # lines before and after an assignment
SHORT = 15  # lines of a function that is shown whole for it
_NAMED = re.compile(
    r"(?<=[\w>)\]])\.(?P<name>[A-Za-z_]\w{0,100})\b(?!\s*\()|attribute '(?P<missing>[A-Za-z_]\w{0,100})'"
)
_SUFFIXES = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".go", ".rs", ".java", ".kt")
_FILE = re.compile(r"[\w/.-]+\.(?:py|[cm]?[jt]sx?|go|rs|java|kt|json|toml|ya?ml|txt|md|cfg|ini|html|css)\b")
Read = Callable[[str], bytes | None]


def assigned(
    errors: Iterable[CIError], known: Collection[str], read: Read, paths: Iterable[str]
) -> Iterator[tuple[str, Span]]:
    """File and lines of the assignments; `known` are the files of what is shown already, the nearest first. In other
    files an object's attribute counts that is assigned from outside, and what a class assigns to its own only where no
    known file has any."""
    names = _names(errors, read)
    if not names:
        return
    found: dict[tuple[str, Span], bool] = {}
    for file in _searched(known, paths):
        raw = read(file)
        if raw is None or len(raw) > MOST_BYTES or not any(name.encode() in raw for name in names):
            continue
        for line, span, own in _assignments(file, raw, names):
            place = (file, span if len(found) < MOST_AROUND else (line, line))
            found.setdefault(place, not own or file in known)
    near = any(file in known for file, _ in found)
    yield from [place for place, counts in found.items() if counts or not near][:MOST]


def _names(errors: Iterable[CIError], read: Read) -> frozenset[str]:
    """The attributes in the failing line, and in what the error says."""
    found: dict[str, None] = {}
    for error in errors:
        said = [error.message, *(line[1:] for line in error.excerpt.split("\n") if line.startswith("E "))]
        texts = [_line(error, read), *(_FILE.sub("", text[:2_000]) for text in said)]
        for match in (match for text in texts for match in _NAMED.finditer(text)):
            found[match["name"] or match["missing"]] = None
    return frozenset(list(found)[:MOST_NAMES])


def _line(error: CIError, read: Read) -> str:
    raw = read(error.file) if error.file and error.line else None
    rows = raw.decode("utf-8", "replace").split("\n") if raw is not None and len(raw) <= MOST_BYTES else []
    row = rows[error.line - 1] if error.line and error.line <= len(rows) else ""
    return "" if row.lstrip().startswith(("import ", "from ", "package ", "use ")) else row[:400]


def _searched(known: Collection[str], paths: Iterable[str]) -> list[str]:
    """The files to look through: the known ones, then those of the product that are written in the same languages."""
    suffixes = {suffix_of(file) for file in known}
    folders = {file.rpartition("/")[0] for file in known}
    others = [path for path in paths if suffix_of(path) in suffixes and path not in known and not is_test(path)]
    others.sort(key=lambda path: path.rpartition("/")[0] not in folders)
    return [*known, *others][:MOST_FILES]


def _assignments(file: str, raw: bytes, names: frozenset[str]) -> Iterator[tuple[int, Span, bool]]:
    """Line, lines to show, and whether an object assigns it to itself."""
    if file.endswith((".py", ".pyi")):
        tree = parse(raw)
        yield from _of_python(tree, names) if tree is not None else ()
    elif file.endswith(_SUFFIXES):
        some = "|".join(sorted(names))
        found = re.compile(
            rf"(?P<of>\w+|\))\.(?:{some})\s*(?:[-+*/%&|^]|<<|>>|\*\*|\?\?|\|\||&&)?=(?![=>])"
            rf"|\b(?:private|public|protected|readonly|static|val|var)\s(?:[\w<>\[\]?, ]{{1,80}}\s)?(?:{some})\s*[:=]"
        )
        for number, row in enumerate(raw.decode("utf-8", "replace").split("\n"), 1):
            if match := found.search(row[:400]):
                yield number, _around(number), match["of"] in (None, "this", "self")


def _around(line: int) -> Span:
    return max(line - AROUND, 1), line + AROUND


def _of_python(tree: ast.Module, names: frozenset[str]) -> Iterator[tuple[int, Span, bool]]:
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    for node, own in sorted(_stored(tree, names), key=lambda one: one[0].lineno):
        line = node.lineno
        inside = [one for one in functions if one.lineno <= line <= (one.end_lineno or 0)]
        around = max(inside, key=lambda one: one.lineno, default=None)
        short = around is not None and (around.end_lineno or 0) - around.lineno < SHORT
        yield line, (around.lineno, around.end_lineno or line) if around and short else _around(line), own


def _stored(tree: ast.Module, names: frozenset[str]) -> Iterator[tuple[ast.expr | ast.stmt, bool]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr in names:
            yield node, isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        elif isinstance(node, ast.ClassDef):
            yield from ((part, True) for part in node.body if _binds(part) & names)
        elif isinstance(node, ast.Call) and _set_by_name(node) in names:
            yield node, False


def _binds(statement: ast.stmt) -> set[str]:
    """The attributes that a statement of a class's body gives it: fields, and properties."""
    if isinstance(statement, ast.FunctionDef):
        return {statement.name}
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    targets = [statement.target] if isinstance(statement, ast.AnnAssign) else targets
    return {one.id for one in targets if isinstance(one, ast.Name)}


def _set_by_name(call: ast.Call) -> str:
    """The attribute that `setattr(it, "name", …)` sets."""
    named = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    second = call.args[1] if len(call.args) > 2 and named in ("setattr", "__setattr__") else None
    return second.value if isinstance(second, ast.Constant) and isinstance(second.value, str) else ""
