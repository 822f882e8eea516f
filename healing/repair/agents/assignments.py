"""Finds where the attributes are assigned that a failed assertion or an error names: a wrong value was assigned
somewhere, and no frame of the traceback leads there."""

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator

from healing.graph import is_test
from healing.graph.language import suffix_of
from healing.graph.python.syntax import parse
from healing.model import CIError
from healing.repair.agents.long_functions import Span

MAX_NAMES = 8  # attributes that are searched for
MAX_FILES = 200  # that are searched
MAX_BYTES = 1 << 20  # of one of them
MAX_AROUND = 12  # assignments that are shown with the lines around them
LIMIT = 40  # in all; the others are shown as single lines
AROUND = 3  # lines before and after an assignment
SHORT = 15  # lines of a function that is shown whole
_NAMED = re.compile(
    r"(?<=[\w>)\]])\.(?P<name>[A-Za-z_]\w{0,100})\b(?!\s*\()|attribute '(?P<missing>[A-Za-z_]\w{0,100})'"
)
_SUFFIXES = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".go", ".rs", ".java", ".kt")
_FILE = re.compile(r"[\w/.-]+\.(?:py|[cm]?[jt]sx?|go|rs|java|kt|json|toml|ya?ml|txt|md|cfg|ini|html|css)\b")
Read = Callable[[str], bytes | None]


def assignment_spans(
    errors: Iterable[CIError], known: Collection[str], read: Read, paths: Iterable[str]
) -> Iterator[tuple[str, Span]]:
    """Yields file and lines of the assignments; `known` are the files that are already shown, the nearest first.
    Assignments in other files count if they set an object's attribute from outside; what a class assigns to its own
    attributes counts only where no known file has any assignment."""
    names = _names(errors, read)
    if not names:
        return
    places: dict[tuple[str, Span], bool] = {}
    for file in _searched(known, paths):
        raw = read(file)
        if raw is None or len(raw) > MAX_BYTES or not any(name.encode() in raw for name in names):
            continue
        for line, span, own in _assignments(file, raw, names):
            place = (file, span if len(places) < MAX_AROUND else (line, line))
            places.setdefault(place, not own or file in known)
    near = any(file in known for file, _ in places)
    yield from [place for place, counts in places.items() if counts or not near][:LIMIT]


def _names(errors: Iterable[CIError], read: Read) -> frozenset[str]:
    """The attributes in the failing lines and in the errors' messages."""
    names: dict[str, None] = {}
    for error in errors:
        messages = [error.message, *(line[1:] for line in error.excerpt.split("\n") if line.startswith("E "))]
        texts = [_line(error, read), *(_FILE.sub("", text[:2_000]) for text in messages)]
        for match in (match for text in texts for match in _NAMED.finditer(text)):
            names[match["name"] or match["missing"]] = None
    return frozenset(list(names)[:MAX_NAMES])


def _line(error: CIError, read: Read) -> str:
    raw = read(error.file) if error.file and error.line else None
    rows = raw.decode("utf-8", "replace").split("\n") if raw is not None and len(raw) <= MAX_BYTES else []
    row = rows[error.line - 1] if error.line and error.line <= len(rows) else ""
    return "" if row.lstrip().startswith(("import ", "from ", "package ", "use ")) else row[:400]


def _searched(known: Collection[str], paths: Iterable[str]) -> list[str]:
    """The files to search: the known ones, then product files in the same languages."""
    suffixes = {suffix_of(file) for file in known}
    folders = {file.rpartition("/")[0] for file in known}
    others = [path for path in paths if suffix_of(path) in suffixes and path not in known and not is_test(path)]
    others.sort(key=lambda path: path.rpartition("/")[0] not in folders)
    return [*known, *others][:MAX_FILES]


def _assignments(file: str, raw: bytes, names: frozenset[str]) -> Iterator[tuple[int, Span, bool]]:
    """Yields the line, the lines to show, and whether an object assigns the attribute to itself."""
    if file.endswith((".py", ".pyi")):
        tree = parse(raw)
        yield from _of_python(tree, names) if tree is not None else ()
    elif file.endswith(_SUFFIXES):
        either = "|".join(sorted(names))
        pattern = re.compile(
            rf"(?P<of>\w+|\))\.(?:{either})\s*(?:[-+*/%&|^]|<<|>>|\*\*|\?\?|\|\||&&)?=(?![=>])"
            rf"|\b(?:private|public|protected|readonly|static|val|var)\s(?:[\w<>\[\]?, ]{{1,80}}\s)?(?:{either})\s*[:=]"
        )
        for number, row in enumerate(raw.decode("utf-8", "replace").split("\n"), 1):
            if match := pattern.search(row[:400]):
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
    """The attributes that a statement in a class body defines: fields and properties."""
    if isinstance(statement, ast.FunctionDef):
        return {statement.name}
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    targets = [statement.target] if isinstance(statement, ast.AnnAssign) else targets
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _set_by_name(call: ast.Call) -> str:
    """The attribute that `setattr(it, "name", …)` sets."""
    named = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    second = call.args[1] if len(call.args) > 2 and named in ("setattr", "__setattr__") else None
    return second.value if isinstance(second, ast.Constant) and isinstance(second.value, str) else ""
