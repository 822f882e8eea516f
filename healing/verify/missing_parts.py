"""Rules for errors that report something missing from tests, settings or documentation, and changes that add just that.

The error then lies in that file, though no tool names it. Such a fix is flagged, since it changes more than the
product. Each rule is a function that returns a reason, or an empty string.
"""

import json
import posixpath
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from healing.verify.guard.patch import Change
from healing.verify.guard.paths import CODE, is_test_file
from healing.verify.roles import Role
from healing.view import TreeView

WORD = re.compile(rb"\w+|[^\w\s]")
# Messages about a name that is missing.
FIXTURE = re.compile(r"fixture ['\"](\w{1,100})['\"] not found")
DECORATED = rb"\bfixture\b[^\n]{0,200}\n(?:[ \t]{0,80}@[^\n]{0,200}\n){0,5}[ \t]{0,80}(?:async )?def "
UNDEFINED = re.compile(r"name ['\"](\w{1,100})['\"] is not defined|\b(\w{1,100}) is not defined")
NO_FILE = r"(?:No such file or directory|ENOENT|no such file|cannot find the file|FileNotFound)"
NO_PATH = r"(?:not found|no such file|could not find|can(?:no|')t find|does not exist|ENOENT|no rule to make)"
MARKER = re.compile(r"['\"](\w{1,100})['\"] not found in `?markers`? configuration option")
NO_PACKAGE = re.compile(r"package ([\w./-]{3,200}) is not in|no required module provides package ([\w./-]{3,200})")
IMPORT = re.compile(r"(?:from [\w.]{1,200} )?import [\w., ()*]{1,400}\Z")
PYTEST_SETTINGS = re.compile(r"(^|/)(?:\.?pytest\.ini|pyproject\.toml|setup\.cfg|tox\.ini)$")
# Keys of a package's manifest that don't affect how it is checked.
DESCRIBES = re.compile(
    r"(?:project|package|tool\.poetry)\.(?:version|description|authors|maintainers|license|keywords|classifiers|urls|readme"
    r"|homepage|repository|documentation|categories)\b|(?:version|description|author|license|keywords|homepage|repository"
    r"|bugs|contributors|files)\b"
)
LOADS = re.compile(r"(?:exports|imports|main|module|types|typings|bin|browser|type)\b")


class ReportedFailures(NamedTuple):
    """The text of the errors, the tests that failed, and the files of the branch."""

    text: str
    tests: tuple[str, ...]
    head: TreeView


def missing_part(path: str, change: Change, role: Role, complaint: ReportedFailures) -> str:
    """Why the file is behind the errors: it lacks what they report missing, and the change adds that and nothing else.
    Empty if it isn't."""
    return next(filter(None, (rule(path, change, role, complaint) for rule in RULES)), "")


def _documentation(path: str, change: Change, role: Role, complaint: ReportedFailures) -> str:
    old, new = change
    named = posixpath.basename(path).encode()
    if role is not Role.DOCS or old is None or new is None or not only_adds(old, new):
        return ""
    reads = any(named in (complaint.head.read(test) or b"") for test in complaint.tests)
    return "the failing test reads it" if reads else ""


def _file(path: str, change: Change, role: Role, complaint: ReportedFailures) -> str:
    """A file that a test looks for: only a person knows what it should hold."""
    if change[0] is not None or role not in (Role.DATA, Role.TESTS) or CODE.search(path):
        return ""
    name = re.escape(posixpath.basename(path))
    missing = re.search(rf"{NO_FILE}[^\n]{{0,300}}\b{name}\b|\b{name}\b[^\n]{{0,100}}{NO_FILE}", complaint.text)
    return "a test looks for it, and it was not there" if missing else ""


def _package(path: str, change: Change, role: Role, complaint: ReportedFailures) -> str:
    """Test files of the same name in two folders need packages."""
    empty = change[0] is None and change[1] is not None and not change[1].strip()
    if not empty or role is not Role.TESTS or posixpath.basename(path) != "__init__.py":
        return ""
    return "test files have the same name" if "import file mismatch" in complaint.text else ""


def _marker(path: str, change: Change, role: Role, complaint: ReportedFailures) -> str:
    old, new = change
    if role is not Role.JUDGE or not PYTEST_SETTINGS.search(path) or new is None or not only_adds(old or b"", new):
        return ""
    name = next((match[1] for match in MARKER.finditer(complaint.text)), "")
    added = set(WORD.findall(new)) - set(WORD.findall(old or b""))
    return f"the marker {name} is not registered" if name and name.encode() in added and len(added) <= 8 else ""


def _fixture(path: str, change: Change, role: Role, complaint: ReportedFailures) -> str:
    """A fixture whose name differs from the one that tests request."""
    swap = swapped(*change) if role is Role.JUDGE and path.endswith("conftest.py") else None
    wanted = {match[1].encode() for match in FIXTURE.finditer(complaint.text)}
    return f"the fixture {swap[1].decode()} is not there" if swap and swap[1] in wanted else ""


def _fixture_asked(path: str, change: Change, role: Role, complaint: ReportedFailures) -> str:
    """A test that asks for a fixture which is not there, and now for one that is."""
    swap = swapped(*change) if role is Role.TESTS and path in complaint.tests else None
    wanted = {match[1].encode() for match in FIXTURE.finditer(complaint.text)}
    if swap is None or swap[0] not in wanted:
        return ""
    defined = re.compile(DECORATED + re.escape(swap[1]) + rb"\(")
    supports = [path, *(other for other in complaint.head.paths() if other.endswith("conftest.py"))]
    there = any(defined.search(complaint.head.read(other) or b"") for other in supports)
    return f"the fixture {swap[0].decode()} is not there, and {swap[1].decode()} is" if there else ""


def _import(path: str, change: Change, role: Role, complaint: ReportedFailures) -> str:
    """A test that lacks an import of its own."""
    old, new = change
    if role is not Role.TESTS or old is None or new is None or path not in complaint.tests:
        return ""
    added = added_lines(old, new)
    names = {name for match in UNDEFINED.finditer(complaint.text) for name in match.groups() if name}
    if not added or not all(IMPORT.match(line) for line in added):
        return ""
    bound = {word for line in added for word in re.findall(r"\w+", line.partition("import ")[2])}
    used = sorted(names & bound)
    return f"it doesn't import {used[0]}" if used else ""


def _path(path: str, change: Change, role: Role, complaint: ReportedFailures) -> str:
    """A wrong path in a command or setting, corrected."""
    swap = swapped(*change) if role is Role.JUDGE else None
    if swap is None:
        return ""
    removed, added = (part.decode("utf-8", "replace") for part in swap)
    paths = tuple(complaint.head.paths())
    # A program's name is not a path of the repository either: the error has to say that this one doesn't exist.
    name = re.escape(removed)
    if not re.search(rf"{NO_PATH}[^\n]{{0,200}}\b{name}\b|\b{name}\b[^\n]{{0,100}}{NO_PATH}", complaint.text, re.I):
        return ""
    exists = [any(path == name or path.startswith(f"{name}/") for path in paths) for name in (removed, added)]
    return f"it names {removed}, which is not there" if exists == [False, True] and not is_test_file(path) else ""


def _module(path: str, change: Change, role: Role, complaint: ReportedFailures) -> str:
    """A Go module's name that differs from the one its packages are imported by."""
    swap = swapped(*change) if role is Role.JUDGE and path.endswith("go.mod") else None
    wanted = " ".join(name for match in NO_PACKAGE.finditer(complaint.text) for name in match.groups() if name)
    match = swap and re.search(rf"(?:^|[/ ]){re.escape(swap[1].decode())}(?:[/ ]|$)", wanted)
    return "its packages are imported by another name" if match else ""


def _description(path: str, change: Change, role: Role, complaint: ReportedFailures) -> str:
    del complaint
    kind = posixpath.basename(path)
    read = {"pyproject.toml": _toml, "Cargo.toml": _toml, "package.json": _json}.get(kind)
    old, new = change
    if role is not Role.JUDGE or read is None or old is None or new is None:
        return ""
    before, after = read(old), read(new)
    changed = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    if changed and all(DESCRIBES.match(key) for key in changed):
        return "it describes the package"
    if kind == "package.json" and changed and all(DESCRIBES.match(key) or LOADS.match(key) for key in changed):
        return "it says which files the package is"
    return ""


RULES: tuple[Callable[[str, Change, Role, ReportedFailures], str], ...] = (
    _documentation, _file, _package, _marker, _fixture, _fixture_asked, _import, _path, _module, _description,
)  # fmt: skip


def only_adds(old: bytes, new: bytes) -> bool:
    """Whether every word of the old text is still there, in its order."""
    remaining = iter(WORD.findall(new))
    return all(word in remaining for word in WORD.findall(old))


def swapped(old: bytes | None, new: bytes | None) -> tuple[bytes, bytes] | None:
    """The word that a change replaces and its replacement, if it does nothing else; it may occur more than once."""
    old_words, new_words = WORD.findall(old or b""), WORD.findall(new or b"")
    pairs = {(a, b) for a, b in zip(old_words, new_words, strict=False) if a != b}
    return next(iter(pairs)) if len(old_words) == len(new_words) and len(pairs) == 1 else None


def added_lines(old: bytes, new: bytes) -> list[str]:
    """The lines that were added among the old ones; empty if an old line is gone."""
    rest, added = iter(old.splitlines()), list[str]()
    wanted = next(rest, None)
    for line in new.splitlines():
        if line == wanted:
            wanted = next(rest, None)
        elif line.strip():
            added.append(line.decode("utf-8", "replace"))
    return added if wanted is None else []


def _flat(value: object, within: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _flat(inner, f"{within}.{key}" if within else str(key))
    else:
        yield within, repr(value)


def _toml(data: bytes) -> dict[str, object]:
    try:
        return dict(_flat(tomllib.loads(data.decode())))
    except (ValueError, RecursionError):
        return {}


def _json(data: bytes) -> dict[str, object]:
    try:
        return dict(_flat(json.loads(data)))
    except (ValueError, RecursionError):
        return {}
