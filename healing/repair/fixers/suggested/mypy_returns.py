"""Python: the missing return type of a function, as mypy itself infers it (`dmypy suggest`)."""

import ast
import builtins
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from healing.edits.exact import EditSpan
from healing.graph.names import imports_of
from healing.graph.python.syntax import parse
from healing.model import CIError
from healing.repair.fixers.signatures import ParsedFile, gives_something
from healing.repair.fixers.suggested.suggester import objects
from healing.repair.fixers.suggested.suggestion import LIKELY, Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig
from healing.view import TreeView

CODE = "no-untyped-def"
OPTIONS = frozenset({"--config-file", "--python-version", "--platform"})
FLAGS = frozenset({"--strict", "--ignore-missing-imports", "--namespace-packages", "--explicit-package-bases"})
LIMIT = 20  # functions per call
STATUS = "/tmp/heal-dmypy.json"  # noqa: S108 -- the sandbox's own
BUILT_IN = frozenset(dir(builtins))


@dataclass(frozen=True)
class MypyReturns:
    """Only types without `Any`, and only with names that the file has; where mypy can't infer that, a person has to
    decide."""

    name: str = "dmypy"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.tool == "mypy" and e.code == CODE and e.file and e.line)

    def calls(self, files: tuple[str, ...], errors: tuple[CIError, ...], tool_config: ToolConfig) -> tuple[Call, ...]:
        dmypy = ("dmypy", "--status-file", STATUS)
        options = tool_config.options("mypy", OPTIONS, FLAGS)
        places = list(dict.fromkeys(f"./{e.file}:{e.line}" for e in errors))[:LIMIT]
        asked = "; ".join(shlex.join([*dmypy, "suggest", "--json", "--no-any", place]) for place in places)
        checked = [f"./{file}" for file in files]
        # Errors are expected, so exit codes are ignored; nor is a function whose type can't be inferred a failure.
        script = (
            f"{shlex.join([*dmypy, 'run', '--', *options, *checked])} >&2; {asked}; {shlex.join([*dmypy, 'kill'])} >&2"
        )
        return (Call(("bash", "-c", script)),)

    def read(self, answer: str, errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        for line in answer.splitlines():
            for suggestion in objects(line):
                try:
                    yield from _suggested(suggestion, errors, view)
                except (KeyError, TypeError, ValueError, AttributeError):
                    continue


def _suggested(suggestion: dict[str, Any], errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
    path, line, returned = str(suggestion["path"]), int(suggestion["line"]), str(suggestion["signature"]["return_type"])
    data = view.read(path)
    tree = parse(data) if data is not None else None
    if data is None or tree is None or not any(e.file == path and e.line == line for e in errors):
        return
    source = ParsedFile(data, tree)
    for node in source.functions(line):
        at = source.signature_end(node)
        kind = type_source(returned, tree)
        if at is not None and kind and not node.returns and gives_something(node):
            title = f"Declare that `{node.name}` returns `{kind.strip(chr(34))}`"
            yield Suggestion(path, line, title, {path: (EditSpan(at, at, f" -> {kind}".encode()),)}, LIKELY, (CODE,))


def type_source(kind: str, tree: ast.Module) -> str:
    """A type as it can be written in the file, in quotes where it names something that may not exist yet when the
    function is defined; empty where the file lacks a name that it needs."""
    imported = {alias.asname or alias.name for node in imports_of(tree) for alias in node.names}
    defined = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    late = defined | _only_for_types(tree)
    statements = getattr(parse(kind), "body", [])
    if len(statements) != 1 or not isinstance(statements[0], ast.Expr):
        return ""  # mypy has its own notation for what Python can't express
    expression = _Shortened().visit(statements[0].value)
    names = {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}
    if not names <= imported | late | BUILT_IN:
        return ""
    text = ast.unparse(expression)
    return f'"{text}"' if names & late and "annotations" not in imported and '"' not in text else text


class _Shortened(ast.NodeTransformer):
    """Shortens mypy's fully qualified names to their last part, as the file uses them."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.Name:
        return ast.Name(node.attr, ast.Load())


def _only_for_types(tree: ast.Module) -> set[str]:
    """Names imported under a condition at the top of a file, such as `if TYPE_CHECKING:`."""
    blocks = [node for node in tree.body if isinstance(node, ast.If | ast.Try)]
    nodes = [node for block in blocks for node in ast.walk(block) if isinstance(node, ast.Import | ast.ImportFrom)]
    return {alias.asname or alias.name for node in nodes for alias in node.names}
