"""Inserts one import at its conventional place: merged into its module's line, otherwise sorted into its section."""

import ast
import sys

from healing.graph.python.modules import Modules
from healing.graph.python.syntax import parse

Import = ast.Import | ast.ImportFrom
WIDTH = 88  # longest import on one line; a longer list of names is split up as Black does it


def insert_import(data: bytes, node: Import, modules: Modules) -> bytes | None:
    """`data` with the one-name import `node` inserted; None where the file doesn't parse. A last line without an end
    stays as it is."""
    tree = parse(data)
    if tree is None:
        return None
    lines = data.splitlines(keepends=True)
    newline = b"\r\n" if lines and lines[0].endswith(b"\r\n") else b"\n"
    is_open = bool(lines) and not lines[-1].endswith((b"\n", b"\r"))
    if is_open:
        lines[-1] += newline
    _insert(lines, tree, node, newline, modules)
    inserted = b"".join(lines)
    return inserted.removesuffix(newline) if is_open else inserted


def _insert(lines: list[bytes], tree: ast.Module, node: Import, newline: bytes, modules: Modules) -> None:
    existing = _same_module(tree, node)
    if (
        len(node.names) == 1
        and existing is not None
        and isinstance(node, ast.ImportFrom)
        and _merge(lines, existing, node.names[0], newline)
    ):
        return
    block = _block(tree)
    text = ast.unparse(node).encode() + newline
    if block:
        _among(lines, block, node, text, newline, modules)
    else:
        _first(lines, tree, text, newline)


def _same_module(tree: ast.Module, node: Import) -> ast.ImportFrom | None:
    if not isinstance(node, ast.ImportFrom):
        return None
    for other in tree.body:
        if isinstance(other, ast.ImportFrom) and (other.module, other.level) == (node.module, node.level):
            return None if other.names[0].name == "*" else other
    return None


def _merge(lines: list[bytes], into: ast.ImportFrom, alias: ast.alias, newline: bytes) -> bool:
    """Merges the name into an existing import; returns False where comments or other statements share its lines."""
    first, last = into.lineno - 1, (into.end_lineno or into.lineno) - 1
    rest = lines[last][into.end_col_offset or 0 :]
    alone = into.col_offset == 0 and not rest.strip().startswith(b";")
    if not alone or (last > first and any(b"#" in line for line in lines[first : last + 1])):
        return False
    names = sorted([*into.names, alias], key=_name_key)
    head = f"from {'.' * into.level}{into.module or ''} import "
    words = [ast.unparse(name) for name in names]
    single_line = head + ", ".join(words)
    if first == last and len(single_line) <= WIDTH:
        lines[first] = single_line.encode() + rest
        return True
    indent = newline.decode() + "    "
    multi_line = f"{head}({indent}{f',{indent}'.join(words)},{newline.decode()})"
    lines[first : last + 1] = [multi_line.encode() + rest]
    return True


def _name_key(alias: ast.alias) -> tuple[int, str, str]:
    name = alias.name
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return (kind, name.lower(), name)


def _block(tree: ast.Module) -> list[Import]:
    """The imports that open the file, after its docstring."""
    body = tree.body[1:] if _docstring(tree) else tree.body
    block: list[Import] = []
    for node in body:
        if not isinstance(node, Import):
            break
        block.append(node)
    return block


def _docstring(tree: ast.Module) -> bool:
    first = tree.body[0] if tree.body else None
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)


def _among(
    lines: list[bytes], block: list[Import], node: Import, text: bytes, newline: bytes, modules: Modules
) -> None:
    key = _sort_key(node, modules)
    before = [other for other in block if _sort_key(other, modules) <= key]
    if before:
        neighbour = before[-1]
        at = neighbour.end_lineno or neighbour.lineno
        apart = _sort_key(neighbour, modules)[0] != key[0]
        following = block[block.index(neighbour) + 1 :]
        close = apart and bool(following) and not _blank(lines, at)
        lines[at:at] = [newline, text, newline] if close else [newline, text] if apart else [text]
        return
    at = block[0].lineno - 1
    lines[at:at] = [text, newline] if _sort_key(block[0], modules)[0] != key[0] else [text]


def _blank(lines: list[bytes], at: int) -> bool:
    return at >= len(lines) or not lines[at].strip()


def _sort_key(node: Import, modules: Modules) -> tuple[int, bool, str]:
    """(section, plain imports first, module): the order of isort's default."""
    module = node.names[0].name if isinstance(node, ast.Import) else node.module or ""
    level = node.level if isinstance(node, ast.ImportFrom) else 0
    return (_section(level, module, modules), isinstance(node, ast.ImportFrom), module.lower())


def _section(level: int, module: str, modules: Modules) -> int:
    top = module.partition(".")[0]
    if level:
        return 4
    if top == "__future__":
        return 0
    if top in sys.stdlib_module_names:
        return 1
    return 3 if modules.holds(top) else 2


def _first(lines: list[bytes], tree: ast.Module, text: bytes, newline: bytes) -> None:
    """Inserts the file's first import: below its docstring, or above its first statement and that statement's
    comment."""
    if _docstring(tree):
        at = tree.body[0].end_lineno or 1
        lines[at:at] = [newline, text] if _blank(lines, at) else [newline, text, newline]
        return
    if not tree.body:
        lines.append(text)
        return
    first = tree.body[0]
    at = min([first.lineno, *(d.lineno for d in getattr(first, "decorator_list", []))]) - 1
    while at > 1 and lines[at - 1].lstrip().startswith(b"#") and any(not line.strip() for line in lines[: at - 1]):
        at -= 1
    gap = [newline, newline] if isinstance(first, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else [newline]
    lines[at:at] = [text, *gap]
