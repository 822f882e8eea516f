"""What the repository's manifests and lock files say about its dependencies."""

import re
from collections.abc import Iterable

from healing.view import TreeView

MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "environment.yml", "package.json", "tox.ini")
REQUIREMENTS = re.compile(r"(?:^|/)[\w-]*requirements[\w-]*(?:/[\w.-]+)?\.(?:txt|in)$")
LOCKS = (("pnpm-lock.yaml", "pnpm install"), ("yarn.lock", "yarn install"), ("bun.lock", "bun install"))
# Programs whose pip package has the same name. For any other program or module that the repository doesn't declare no
# package is suggested: the name may be misspelt, the package may belong to somebody else, and a repository can print
# any name.
PYTHON_PROGRAMS = frozenset({
    "pytest", "ruff", "black", "isort", "flake8", "pylint", "mypy", "pyright", "tox", "nox", "hatch", "poetry", "pdm",
    "uv", "pre-commit", "coverage", "bandit", "codespell",
})  # fmt: skip


def can_be_installed(view: TreeView) -> bool:
    """Whether pip could install the project itself."""
    return any(view.read(name) is not None for name in ("pyproject.toml", "setup.py"))


def node_install(view: TreeView) -> str:
    """The command that installs the project's Node packages, by its lock file."""
    return next((command for lock, command in LOCKS if view.read(lock) is not None), "npm install")


def declares(name: str, view: TreeView, files: Iterable[str] = (), quoted: bool = False) -> str:
    """The file in which the repository declares the package as a dependency; empty where none does."""
    spelt = re.sub(r"[-_.]+", "[-_.]+", re.escape(name).replace(r"\-", "-").replace(r"\.", "."))
    pattern = rf'"{re.escape(name)}"' if quoted else rf"(?im)(?:^|[\s\"'\[,]){spelt}(?=[\s\"'\]\[,;<>=!~@]|$)"
    candidates = files or (*MANIFESTS, *(path for path in view.paths() if REQUIREMENTS.search(path)))
    for path in candidates:
        data = view.read(path)
        if data is not None and re.search(pattern, data.decode(errors="replace")):
            return path
    return ""
