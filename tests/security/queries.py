"""Which functions of the store name a table with rows of a repository, and which of them were called."""

import ast
import contextlib
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from sqlalchemy import Table

from bot import store
from bot.store.repo import OF_A_REPO

FOLDER = Path(store.__file__).parent
NAMES = {table.name for table in OF_A_REPO}


def queries() -> set[str]:
    """`module.function` or `module.Class.method`, for each that names such a table itself."""
    return {f"{path.stem}.{name}" for path in sorted(FOLDER.glob("*.py")) for name in _of(path)}


def with_helpers(called: set[str]) -> set[str]:
    """These, and the private functions of the same module that they name: what SQLAlchemy runs in a greenlet, nobody
    sees being called."""
    found = set(called)
    for path in FOLDER.glob("*.py"):
        nodes = dict(_functions(ast.parse(path.read_text()), ""))
        for _ in range(3):
            mine = [node for name, node in nodes.items() if f"{path.stem}.{name}" in found]
            named = {one for node in mine for one in _named(node) if one.startswith("_")}
            found |= {f"{path.stem}.{name}" for name in nodes if name.rpartition(".")[2] in named}
    return found


def _of(path: Path) -> set[str]:
    module = importlib.import_module(f"{store.__name__}.{path.stem}" if path.stem != "__init__" else store.__name__)
    tables = {name for name, value in vars(module).items() if isinstance(value, Table) and value.name in NAMES}
    return {name for name, node in _functions(ast.parse(path.read_text()), "") if _named(node) & tables}


def _functions(node: ast.AST, above: str) -> Iterator[tuple[str, ast.AST]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{above}{child.name}.")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{above}{child.name}", child  # with what is defined in it


def _named(node: ast.AST) -> set[str]:
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return names | {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}


@contextlib.contextmanager
def called() -> Iterator[set[str]]:
    """What of the store is called meanwhile in this thread, as `queries` names it."""
    found: set[str] = set()
    folder = f"{FOLDER}/"

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(folder):
            found.add(f"{Path(code.co_filename).stem}.{code.co_qualname.split('.<locals>')[0]}")

    before = sys.gettrace()
    sys.settrace(note)
    try:
        yield found
    finally:
        sys.settrace(before)
