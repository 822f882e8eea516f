"""The code that failing tests and their tracebacks are about: the functions that they call, whole, and the definitions
of the names in a message. For a failed assertion no frame leads there. Python is handled here, other languages in
parsed_subjects.py."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator

from healing.graph.python.looking_up import DefinedName, Function, LookUp
from healing.model import CIError
from healing.repair.agents.code_parts import named_lines
from healing.repair.agents.long_functions import Span, lines_of
from healing.repair.agents.parsed_subjects import parsed_subjects

Spans = dict[str, list[Span]]  # file → first and last lines
LIMIT = 14  # definitions
DEPTH = 2  # calls between a test and what is still shown
LONG_CLASS = 60  # longest class, in lines, that is shown whole; of a longer one its constructor and the methods used
NAMED = re.compile(r"[\"'`‘](?P<name>[A-Za-z_]\w{0,100})[\"'`’]")


def subjects(errors: Iterable[CIError], read: Callable[[str], bytes | None], paths: Iterable[str]) -> Spans:
    """The lines of the functions that contain the errors and their frames, and of what these use, nearest first; of
    very long functions the lines around those that errors name, the beginning and the end."""
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
    lookup = LookUp(read, paths)
    depth_of: dict[DefinedName, int] = {}
    for error in errors:
        starts = list(dict.fromkeys(_begun(lookup, error)))
        depth_of |= {definition: 0 for definition in starts if definition not in depth_of}
        depth_of |= {definition: 1 for definition in _named(lookup, error, starts) if definition not in depth_of}
    called = frozenset(name for definition, depth in depth_of.items() if not depth for name in _attributes(definition))
    waiting = list(depth_of)
    while waiting and len(depth_of) < LIMIT:
        definition = waiting.pop(0)
        if depth_of[definition] < DEPTH:
            new = [used for used in _used(lookup, definition, called) if used not in depth_of]
            depth_of |= dict.fromkeys(new, depth_of[definition] + 1)
            waiting += new
    for definition in list(depth_of)[:LIMIT]:
        yield definition.file, definition.lines


def _begun(lookup: LookUp, error: CIError) -> Iterator[DefinedName]:
    """The test, its fixtures, and the functions around the error and its frames, the deepest first."""
    places = [(error.file, error.line), *((r.file, r.line) for r in reversed(error.related))]
    for file, line in places:
        if file and line and (around := lookup.around(file, line)):
            yield around
    file, *names = (error.test or "").partition("[")[0].split("::")
    test = lookup.inside(file, *names) if names else None
    if test is not None:
        yield test
        yield from _fixtures(lookup, test)


def _fixtures(lookup: LookUp, test: DefinedName) -> Iterator[DefinedName]:
    """The functions with the names of the test's arguments, in its file or a conftest.py above it."""
    folders = test.file.split("/")[:-1]
    above = ["/".join([*folders[:depth], "conftest.py"]) for depth in range(len(folders), -1, -1)]
    wanted = [arg.arg for arg in test.node.args.args] if isinstance(test.node, Function) else []
    for name in wanted:
        fixture = next((one for file in (test.file, *above) if (one := lookup.inside(file, name))), None)
        if fixture is not None:
            yield fixture


def _named(lookup: LookUp, error: CIError, begun: Iterable[DefinedName]) -> Iterator[DefinedName]:
    """The definitions of names quoted in the message, as seen from the error's files."""
    files = dict.fromkeys(filter(None, (error.file, *(one.file for one in begun))))
    for name in dict.fromkeys(match["name"] for match in NAMED.finditer(error.message[:2_000])):
        definition = next((one for file in files if (one := lookup.find(file, name))), None)
        if definition is not None:
            yield from _shown(definition, frozenset())


def _attributes(user: DefinedName) -> frozenset[str]:
    return frozenset(node.attr for node in ast.walk(user.node) if isinstance(node, ast.Attribute))


def _used(lookup: LookUp, user: DefinedName, called: frozenset[str]) -> Iterator[DefinedName]:
    """The definitions of the names that a piece of code uses; `called` are attributes that the tests use."""
    attributes = called | _attributes(user)
    for node in ast.walk(user.node):
        definition = None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            definition = lookup.member(user.file, node.value.id, node.attr) or _sibling(lookup, user, node)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            definition = lookup.find(user.file, node.id)
        if definition is not None and definition.node is not user.node:
            yield from _shown(definition, attributes)


def _sibling(lookup: LookUp, user: DefinedName, node: ast.Attribute) -> DefinedName | None:
    """A method called on `self`, in the class around the code."""
    if not isinstance(node.value, ast.Name) or node.value.id not in ("self", "cls"):
        return None
    tree = lookup.tree(user.file)
    classes = (n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and user.node in n.body) if tree else iter(())
    owner = next(classes, None)
    return lookup.inside(user.file, owner.name, node.attr) if owner else None


def _shown(one: DefinedName, attributes: frozenset[str]) -> Iterator[DefinedName]:
    """What is shown of a definition: a long class is reduced to its constructor and the methods that are used."""
    node, (first, last) = one.node, one.lines
    if not isinstance(node, ast.ClassDef) or last - first <= LONG_CLASS:
        yield one
        return
    for part in node.body:
        if isinstance(part, Function) and part.name in {"__init__", "__new__", *attributes}:
            yield DefinedName(one.file, part)
