"""Inserts one import at its conventional place: merged into its module's line, otherwise sorted into its section."""

import ast
import re
import sys
from dataclasses import dataclass
from itertools import dropwhile

from healing.graph.python.modules import Modules
from healing.graph.python.syntax import parse
from healing.view import TreeView

Import = ast.Import | ast.ImportFrom
SETTINGS = ("ruff.toml", ".ruff.toml", "pyproject.toml", ".flake8", "setup.cfg", "tox.ini", ".isort.cfg")
LINE_LENGTH = re.compile(rb"^[ \t]*(?:max[-_])?line[-_]length[ \t]*=[ \t]*(\d{2,3})\b", re.MULTILINE)
BLACKS = 88  # the line length where no setting says another


@dataclass(frozen=True)
class ImportStyle:
    """How a file writes its imports: a list of names that is longer than `width` is split up as Black does it."""

    width: int = BLACKS
    newline: bytes = b"\n"

    @classmethod
    def of(cls, view: TreeView, data: bytes) -> "ImportStyle":
        """The style of a file with these bytes, in this repository."""
        lengths = (LINE_LENGTH.search(view.read(path) or b"") for path in SETTINGS)
        width = next((int(found[1]) for found in lengths if found), BLACKS)
        return cls(width, b"\r\n" if data.partition(b"\n")[0].endswith(b"\r") else b"\n")

    def write(self, node: Import, indent: bytes = b"") -> bytes:
        """The statement without its indentation and without the end of its line."""
        line = ast.unparse(node).encode()
        if len(indent + line) <= self.width or isinstance(node, ast.Import):
            return line
        inner = self.newline + indent + b"    "
        names = b"".join(inner + ast.unparse(alias).encode() + b"," for alias in node.names)
        return line.partition(b" import ")[0] + b" import (" + names + self.newline + indent + b")"


def insert_import(data: bytes, node: Import, modules: Modules, style: ImportStyle) -> bytes | None:
    """`data` with the import `node` inserted; None where the file doesn't parse. A last line without an end stays as it
    is."""
    tree = parse(data)
    if tree is None:
        return None
    lines = data.splitlines(keepends=True)
    is_open = bool(lines) and not lines[-1].endswith((b"\n", b"\r"))
    if is_open:
        lines[-1] += style.newline
    _insert(lines, tree, node, modules, style)
    inserted = b"".join(lines)
    return inserted.removesuffix(style.newline) if is_open else inserted


def _insert(lines: list[bytes], tree: ast.Module, node: Import, modules: Modules, style: ImportStyle) -> None:
    existing = _same_module(tree, node)
    if existing is not None and _merge(lines, existing, node.names[0], style):
        return
    block = _block(tree)
    text = style.write(node) + style.newline
    if block:
        _among(lines, block, node, text, style.newline, modules)
    else:
        _first(lines, tree, text, style.newline)


def _same_module(tree: ast.Module, node: Import) -> ast.ImportFrom | None:
    """The import of the same module that takes one more name. Where the file has one name in each import of a module,
    or renames in imports of their own, it stays so."""
    if not isinstance(node, ast.ImportFrom) or len(node.names) > 1:
        return None
    others = [
        other
        for other in tree.body
        if isinstance(other, ast.ImportFrom) and (other.module, other.level) == (node.module, node.level)
    ]
    plain = [other for other in others if other.names[0].name != "*" and not any(name.asname for name in other.names)]
    mixed = [other for other in others if len({bool(name.asname) for name in other.names}) == 2]
    if len(plain) > 1 and all(len(other.names) == 1 for other in plain):
        return None
    return next(iter(mixed if node.names[0].asname else [*plain, *mixed]), None)


def _merge(lines: list[bytes], into: ast.ImportFrom, alias: ast.alias, style: ImportStyle) -> bool:
    """Merges the name into an existing import; returns False where comments or other statements share its lines."""
    first, last = into.lineno - 1, (into.end_lineno or into.lineno) - 1
    rest = lines[last][into.end_col_offset or 0 :]
    alone = into.col_offset == 0 and not rest.strip().startswith(b";")
    if not alone or (last > first and any(b"#" in line for line in lines[first : last + 1])):
        return False
    names = sorted([*into.names, alias], key=_name_key)
    merged = ast.ImportFrom(into.module, names, into.level)
    several = ImportStyle(0, style.newline) if last > first else style
    lines[first : last + 1] = [several.write(merged) + rest]
    return True


def _name_key(alias: ast.alias) -> tuple[int, str, str]:
    name = alias.name
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return (kind, name.lower(), name)


def _block(tree: ast.Module) -> list[Import]:
    """The imports that open the file, after its docstring and names like `__all__` and `__version__`."""
    opening = tree.body[1:] if _docstring(tree) else tree.body
    body = list(dropwhile(_dunder, opening))
    block: list[Import] = []
    for node in body if body and isinstance(body[0], Import) else opening:
        if not isinstance(node, Import):
            break
        block.append(node)
    return block


def _dunder(node: ast.stmt) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return all(isinstance(target, ast.Name) and re.fullmatch(r"__\w+__", target.id) for target in targets)


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


def sort_again(was: bytes, now: bytes, node: ast.ImportFrom, modules: Modules) -> bytes:
    """`now` with the changed import moved to where it belongs among those around it, if they were in order before:
    `node` is the import as it was in `was`."""
    before, after = _around(was, node.lineno), _around(now, node.lineno)
    keys = [_sort_key(other, modules) for other in before]
    changed = next((other for other in after if other.lineno == node.lineno), None)
    levels = {other.level for other in after if isinstance(other, ast.ImportFrom) and other.level}
    if changed is None or keys != sorted(keys) or len(levels) > 1 or len({key[0] for key in keys}) > 1:
        return now
    key, others = _sort_key(changed, modules), [other for other in after if other is not changed]
    below = [other for other in others if _sort_key(other, modules) > key]
    lines = now.splitlines(keepends=True)
    text = lines[changed.lineno - 1 : changed.end_lineno]
    if not others or key[0] != keys[0][0] or not all(line.endswith(b"\n") for line in lines[: others[-1].end_lineno]):
        return now
    at = below[0].lineno - 1 if below else others[-1].end_lineno or 0
    rest = [*lines[: changed.lineno - 1], *[b""] * len(text), *lines[changed.end_lineno or 0 :]]
    return b"".join([*rest[:at], *text, *rest[at:]])


def _around(data: bytes, line: int) -> list[Import]:
    """The imports without a gap around a line."""
    tree = parse(data)
    block: list[Import] = []
    for node in tree.body if tree else ():
        if block and (not isinstance(node, Import) or node.lineno != (block[-1].end_lineno or 0) + 1):
            if block[-1].lineno >= line:
                break
            block = []
        if isinstance(node, Import):
            block.append(node)
    return block if any(node.lineno == line for node in block) else []


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
