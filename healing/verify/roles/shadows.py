"""Finds new files that would be used in place of something else: a module of the standard library, of a package or of
the repository itself."""

import posixpath
import re
import sys
from collections.abc import Callable, Collection

from healing.verify.guard.paths import is_test_file

Read = Callable[[str], bytes | None]
PYTHON = (".py", ".pyi", ".pyd", ".so")
JAVASCRIPT = ("", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".json", ".node")
IMPORTED = re.compile(rb"^[ \t]{0,40}(?:from|import)[ \t]+([A-Za-z_]\w{0,99})", re.M)
MAX_READ = 3_000  # Python files that are searched for imports
MAX_BYTES = 500_000
LOADED = ("sitecustomize", "usercustomize")


def shadowed(path: str, paths: Collection[str], read: Read, missing: Collection[str] = ()) -> str:
    """What a new file shadows, as text; empty if nothing. `missing` are modules that a run could not find: a file that
    adds one of them hides nothing."""
    folder, name = posixpath.split(path)
    stem, kind = posixpath.splitext(name)
    if kind in PYTHON:
        inner = stem in ("__init__", "__main__") and folder
        module = posixpath.basename(folder) if inner else stem
        root = posixpath.dirname(folder) if inner else folder
        return _python(module, root, path, paths, read, missing)
    if kind in JAVASCRIPT and not name.startswith("."):
        module_path = path.removesuffix(kind) if kind else path
        beside = f"{folder}/" if stem == "index" and folder else module_path
        return next((other for other in sorted(paths) if other != path and _found_as(other, beside)), "")
    return ""


def _found_as(other: str, place: str) -> bool:
    """Whether an `import` with the same specifier finds another file."""
    if place.endswith("/"):  # index.js of a folder, beside a file of the folder's name
        return any(other == place.removesuffix("/") + kind for kind in JAVASCRIPT)
    return any(other == place + kind or other == f"{place}/index{kind}" for kind in JAVASCRIPT if kind)


def _python(module: str, root: str, path: str, paths: Collection[str], read: Read, missing: Collection[str]) -> str:
    stem = posixpath.join(root, module)
    for other in (f"{stem}.py", f"{stem}/__init__.py"):
        if other in paths and other != path:
            return other
    if module in LOADED:
        return "what Python loads at its start"
    if module in missing or f"{root}/__init__.py" in paths or is_test_file(path):
        return ""
    if module in sys.stdlib_module_names and module != "__main__":
        return f"Python's own module {module}"
    ours = {p.split("/")[0].removesuffix(".py") for p in paths} | {
        p.split("/")[1].removesuffix(".py") for p in paths if "/" in p
    }
    if module not in ours and module in _imported(paths, read):
        return f"the package {module}, which is imported here"
    return ""


def _imported(paths: Collection[str], read: Read) -> set[str]:
    modules: set[str] = set()
    for path in [p for p in sorted(paths) if p.endswith(".py")][:MAX_READ]:
        modules.update(name.decode() for name in IMPORTED.findall((read(path) or b"")[:MAX_BYTES]))
    return modules
