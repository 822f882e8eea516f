"""The code that failing tests and their tracebacks are about: the functions that they call, whole, and where what a
message names is defined. For a failed assertion no frame leads there. Here of Python; of other languages beside."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator

from healing.graph.python.looking_up import DefinedName, Function, LookUp
from healing.model import CIError
from healing.repair.agents.code_parts import named_lines
from healing.repair.agents.long_functions import Span, lines_of
from healing.repair.agents.parsed_subjects import parsed_subjects

Spans = dict[str, list[Span]]  # file → first and last lines
MOST = 14  # definitions
DEPTH = 2  # calls between a test and what is still shown
LONG_CLASS = 60  # and of a class; of a longer one what is used, and where its attributes are assigned
NAMED = re.compile(r"[\"'`‘](?P<name>[A-Za-z_]\w{0,100})[\"'`’]")


def subjects(errors: Iterable[CIError], read: Callable[[str], bytes | None], paths: Iterable[str]) -> Spans:
    """The lines of the functions in which the errors and their frames lie, and of what these use, the nearest first; of
    very long ones what is around the lines that errors name, and where they begin and end."""
    errors, paths = list(errors), tuple(paths)
    if not errors:
        return {}
    spans: Spans = {}
    named = named_lines(errors)
    for file, lines in (*_of_python(errors, read, paths), *parsed_subjects(errors, read, paths)):
        spans.setdefault(file, []).extend(lines_of(lines, named.get(file, ())))
    return spans


def _of_python(
    errors: Iterable[CIError], read: Callable[[str], bytes | None], paths: Iterable[str]
) -> Iterator[tuple[str, Span]]:
    look = LookUp(read, paths)
    found: dict[DefinedName, int] = {}
    for error in errors:
        begun = list(dict.fromkeys(_begun(look, error)))
        found |= {one: 0 for one in begun if one not in found}
        found |= {one: 1 for one in _named(look, error, begun) if one not in found}
    called = frozenset(name for one, depth in found.items() if not depth for name in _attributes(one))
    waiting = list(found)
    while waiting and len(found) < MOST:
        one = waiting.pop(0)
        if found[one] < DEPTH:
            new = [used for used in _used(look, one, called) if used not in found]
            found |= dict.fromkeys(new, found[one] + 1)
            waiting += new
    for one in list(found)[:MOST]:
        yield one.file, one.lines


def _begun(look: LookUp, error: CIError) -> Iterator[DefinedName]:
    """The test, its fixtures, and the functions around the error and its frames, the deepest first."""
    places = [(error.file, error.line), *((r.file, r.line) for r in reversed(error.related))]
    for file, line in places:
        if file and line and (around := look.around(file, line)):
            yield around
    file, *names = (error.test or "").partition("[")[0].split("::")
    test = look.inside(file, *names) if names else None
    if test is not None:
        yield test
        yield from _fixtures(look, test)


def _fixtures(look: LookUp, test: DefinedName) -> Iterator[DefinedName]:
    """The functions after which the test's arguments are called, in its file or a conftest.py above it."""
    folders = test.file.split("/")[:-1]
    above = ["/".join([*folders[:depth], "conftest.py"]) for depth in range(len(folders), -1, -1)]
    wanted = [arg.arg for arg in test.node.args.args] if isinstance(test.node, Function) else []
    for name in wanted:
        fixture = next((one for file in (test.file, *above) if (one := look.inside(file, name))), None)
        if fixture is not None:
            yield fixture


def _named(look: LookUp, error: CIError, begun: Iterable[DefinedName]) -> Iterator[DefinedName]:
    """What the message names in quotes, as the files of the error know it."""
    files = dict.fromkeys(filter(None, (error.file, *(one.file for one in begun))))
    for name in dict.fromkeys(match["name"] for match in NAMED.finditer(error.message[:2_000])):
        found = next((one for file in files if (one := look.find(file, name))), None)
        if found is not None:
            yield from _shown(found, frozenset())


def _attributes(user: DefinedName) -> frozenset[str]:
    return frozenset(node.attr for node in ast.walk(user.node) if isinstance(node, ast.Attribute))


def _used(look: LookUp, user: DefinedName, called: frozenset[str]) -> Iterator[DefinedName]:
    """The definitions behind the names that a piece of code uses; `called` are attributes that the tests use."""
    attributes = called | _attributes(user)
    for node in ast.walk(user.node):
        found = None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found = look.member(user.file, node.value.id, node.attr) or _sibling(look, user, node)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found = look.find(user.file, node.id)
        if found is not None and found.node is not user.node:
            yield from _shown(found, attributes)


def _sibling(look: LookUp, user: DefinedName, node: ast.Attribute) -> DefinedName | None:
    """A method that is called on `self`, in the class around."""
    if not isinstance(node.value, ast.Name) or node.value.id not in ("self", "cls"):
        return None
    tree = look.tree(user.file)
    classes = (n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and user.node in n.body) if tree else iter(())
    owner = next(classes, None)
    return look.inside(user.file, owner.name, node.attr) if owner else None


def _shown(one: DefinedName, attributes: frozenset[str]) -> Iterator[DefinedName]:
    """What is shown of a definition: a long class is its constructor and the methods that are used."""
    node, (first, last) = one.node, one.lines
    if not isinstance(node, ast.ClassDef) or last - first <= LONG_CLASS:
        yield one
        return
    for part in node.body:
        if isinstance(part, Function) and part.name in {"__init__", "__new__", *attributes}:
            yield DefinedName(one.file, part)
