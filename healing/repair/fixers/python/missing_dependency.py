"""Declares a third-party module that is imported but missing in the package's requirements, the way the repo declares
it elsewhere."""

import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from healing.graph import is_test
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.view import TreeView

# Modules whose distribution has another name.
CALLED = {
    "attr": "attrs", "bs4": "beautifulsoup4", "Crypto": "pycryptodome", "cv2": "opencv-python", "dateutil":
    "python-dateutil", "docx": "python-docx", "dotenv": "python-dotenv", "fitz": "pymupdf", "git": "gitpython",
    "jose": "python-jose", "jwt": "pyjwt", "magic": "python-magic", "MySQLdb": "mysqlclient", "OpenSSL": "pyopenssl",
    "PIL": "pillow", "pkg_resources": "setuptools", "psycopg2": "psycopg2-binary", "serial": "pyserial", "skimage":
    "scikit-image", "sklearn": "scikit-learn", "usb": "pyusb", "yaml": "pyyaml", "zmq": "pyzmq",
}  # fmt: skip
REQUIREMENTS = re.compile(r"(?:[\w.-]{0,60}requirements[\w.-]{0,60}|requirements/[\w.-]{1,60})\.(?:txt|in)")
LOCKS = ("poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock")
FOR_TESTS = re.compile(r"test|dev|ci\b|lint", re.IGNORECASE)
NAME = re.compile(r"\s*([A-Za-z0-9][\w.-]{0,100})")
LOCKED = re.compile(r"^name = \"([\w.-]{1,100})\"|^        \"([\w.-]{1,100})\": \{", re.MULTILINE)
TABLE = re.compile(rb"^\[([\w.-]{1,100})\]", re.MULTILINE)
DEPENDENCIES = re.compile(rb"^dependencies[ \t]*=[ \t]*\[", re.MULTILINE)


@dataclass(frozen=True)
class MissingDependency:
    """Only requirements that an extra, a lock file, another requirements file or the pull request's base names: a
    guessed name may be an unrelated package."""

    name: str = "missing_dependency"
    certainty: int = 70

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        module = case.name.partition(".")[0]
        missing = case.family == "no-module" and module and module not in sys.stdlib_module_names
        if missing and not repo.index.modules.holds(module):
            yield from limited(self._candidates(case, module))

    def _candidates(self, case: Case, module: str) -> Iterator[Candidate | None]:
        wanted = same(CALLED.get(module, module))
        spec = next((line for line in declared(case.repo) if _name(line) == wanted), None)
        if spec is None:
            return
        files = [file for file, _ in case.frames]
        for path, new in _places(case.repo.view, spec, for_tests=bool(files) and all(map(is_test, files))):
            why = f"`{module}` is imported, but {path} doesn't declare the package; the repository calls it `{spec}`."
            yield case.candidate(self, {path: new}, f"Declare `{spec}` in {path}", why)


def same(name: str) -> str:
    """A distribution's normalised name, as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _name(line: str) -> str:
    match = NAME.match(line)
    return same(match[1]) if match else ""


def declared(repo: Repo) -> Iterator[str]:
    """The requirements that the repo names, the most reliable first: at the pull request's base, in extras and other
    files, in lock files (without versions)."""
    for view in (repo.before, repo.view):
        if view is not None:
            project = _pyproject(view)
            yield from (line for lines in _lists(project) for line in lines)
            for path in _requirement_files(view):
                yield from (line.partition(" #")[0].strip() for line in _text(view, path).splitlines())
    for path in LOCKS:
        for one, other in LOCKED.findall(_text(repo.view, path)):
            yield one or other


def _lists(project: dict[str, Any]) -> Iterator[list[str]]:
    """The lists of requirements in a pyproject.toml."""
    table = project.get("project")
    table = table if isinstance(table, dict) else {}
    extras, groups = table.get("optional-dependencies"), project.get("dependency-groups")
    several = [entries for kind in (extras, groups) if isinstance(kind, dict) for entries in kind.values()]
    for entries in (table.get("dependencies"), *several):
        yield [line for line in entries if isinstance(line, str)] if isinstance(entries, list) else []


def _pyproject(view: TreeView) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(view, "pyproject.toml"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _text(view: TreeView, path: str) -> str:
    return (view.read(path) or b"").decode("utf-8-sig", "replace")


def _requirement_files(view: TreeView) -> list[str]:
    return [path for path in view.paths() if REQUIREMENTS.fullmatch(path)]


def _places(view: TreeView, line: str, for_tests: bool) -> Iterator[tuple[str, bytes]]:
    """(file, its new text): the files that could declare it, those that fit the importing files first."""
    files = [path for path in _requirement_files(view) if _name(line) not in map(_name, _text(view, path).splitlines())]
    matching = [path for path in files if bool(FOR_TESTS.search(path)) is for_tests]
    project = [("pyproject.toml", new)] if (new := _in_pyproject(view, line)) else []
    if not for_tests:
        yield from project
    for path in dict.fromkeys([*matching, *files]):
        old = view.read(path) or b""
        yield path, old + (b"" if old.endswith(b"\n") or not old else b"\n") + line.encode() + b"\n"
    if for_tests:
        yield from project


def _in_pyproject(view: TreeView, line: str) -> bytes | None:
    """The text with the requirement as first entry of the project's dependencies; None where that is impossible or it
    is declared already."""
    old = view.read("pyproject.toml") or b""
    tables = {match[1]: match.end() for match in reversed([*TABLE.finditer(old)])}
    start = tables.get(b"project")
    end = min((at for at in tables.values() if start is not None and at > start), default=len(old))
    match = DEPENDENCIES.search(old, start, end) if start is not None else None
    if match is None or _name(line) in map(_name, next(_lists(_pyproject(view)))):
        return None
    rest = old[match.end() :]
    quoted = b'"' + line.replace('"', "'").encode() + b'"'
    indent = re.match(rb"[ \t]*\r?\n[ \t]*", rest)
    empty = rest.lstrip().startswith(b"]")
    new = quoted if empty else (indent.group() + quoted + b"," if indent else quoted + b", ")
    return old[: match.end()] + new + rest
