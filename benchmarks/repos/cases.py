"""Cases: real repositories named by registry and version, and how each of them is broken.

`cases.json` holds `repositories`. What is wrong with one of them is reported, and the others are measured all the same.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Literal

REGISTRIES = ("pypi", "npm", "deb")
FREE = ("yes", "maybe", "no")
# What describes a case for readers, beside what is used here.
NOTES = frozenset(
    ("upstream", "licence", "layout", "ci", "language", "needs", "tools", "split", "check_seconds", "note")
)
CHANGE = frozenset(("edits", "move", "delete", "create"))
REPOSITORY = frozenset(("name", "source", "setup", "checks", "breakages", "adapt", "path", "workflows"))
BREAKAGE = CHANGE | {"id", "kind", "free", "red_checks", "message", "solution"}


class CaseError(Exception):
    """A repository or breakage can't be measured; the text says why."""


@dataclass(frozen=True)
class Edit:
    """Text of a file that occurs once, and what takes its place."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Change:
    """Files are moved and deleted, then text is edited, then files are created. Edits name files as they are called
    after the moves."""

    edits: tuple[Edit, ...] = ()
    move: Mapping[str, str] = field(default_factory=dict)
    delete: tuple[str, ...] = ()
    create: Mapping[str, str] = field(default_factory=dict)

    @property
    def paths(self) -> frozenset[str]:
        """Every file that the change touches, by its old and its new name."""
        edited = (edit.file for edit in self.edits)
        return frozenset((*self.move, *self.move.values(), *self.delete, *self.create, *edited))

    def make(self, root: Path) -> None:
        """Makes the change in a folder. Raises CaseError where it does not fit."""
        for old, new in self.move.items():
            _present(root, old)
            (root / new).parent.mkdir(parents=True, exist_ok=True)
            (root / old).rename(root / new)
        for path in self.delete:
            _present(root, path).unlink()
        for edit in self.edits:
            _edit(_present(root, edit.file), edit)
        for path, content in self.create.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content.encode())


@dataclass(frozen=True)
class Breakage:
    """One commit that turns checks red. `free` says whether a fix without a model is reasonable."""

    id: str
    kind: str
    free: Literal["yes", "maybe", "no"]
    red_checks: frozenset[str]
    change: Change
    message: str = "Rework"


@dataclass(frozen=True)
class Repository:
    """One release, with the commands of its developers. `path` are the folders that its activated environment puts on
    the PATH; None: those that are usual."""

    name: str
    registry: str
    requirement: str
    setup: tuple[str, ...]
    checks: Mapping[str, str]
    breakages: tuple[Breakage, ...]
    adapt: Change = Change()
    path: tuple[str, ...] | None = None

    def only(self, text: str) -> tuple[Breakage, ...]:
        """The breakages with this text in their id or in the repository's name."""
        return tuple(one for one in self.breakages if text in one.id or text in self.name)


def read_cases(folder: Path) -> tuple[tuple[Repository, ...], tuple[str, ...]]:
    """The repositories of `folder/cases.json`, and what is wrong with it, a sentence each. Raises CaseError where there
    is no such file, or nothing in it can be used."""
    file = folder / "cases.json"
    try:
        document = json.loads(file.read_bytes())
    except OSError as error:
        raise CaseError(f"{file} can't be read: {error.strerror}. --cases names a folder with cases.json") from error
    except ValueError as error:
        raise CaseError(f"{file} is not JSON: {error}") from error
    entries = document.get("repositories") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise CaseError(f"{file} has no list `repositories`")
    found: list[Repository] = []
    problems: list[str] = []
    for number, entry in enumerate(entries, 1):
        name = entry.get("name") if isinstance(entry, dict) else None
        label = name if isinstance(name, str) else f"repository {number}"
        try:
            found.append(_repository(entry, problems.append))
        except CaseError as error:
            problems.append(f"{label}: left out, {error}")
    names = [one.name for one in found]
    if doubled := sorted({name for name in names if names.count(name) > 1}):
        raise CaseError(f"{file} has more than one repository named {', '.join(doubled)}")
    return tuple(found), tuple(problems)


def _repository(entry: object, report: Callable[[str], None]) -> Repository:
    fields = _object(entry, "the repository")
    name = _text(fields, "name")
    if not name or PurePosixPath(name).name != name:
        raise CaseError(f"`name` must be usable as a folder's name, not {name!r}")
    _unknown(name, fields, REPOSITORY | NOTES, report)
    source = _texts(fields, "source")
    if len(source) != 1 or next(iter(source)) not in REGISTRIES:
        raise CaseError(f"`source` must name one release of {', '.join(REGISTRIES)}, not {source}")
    ((registry, requirement),) = source.items()
    checks = _texts(fields, "checks")
    if not checks:
        raise CaseError("`checks` names no command")
    breakages = []
    for number, one in enumerate(_list(fields, "breakages"), 1):
        label = one.get("id") if isinstance(one, dict) else None
        try:
            breakages.append(_breakage(_object(one, "the breakage"), checks, report))
        except CaseError as error:
            report(f"{name}: breakage {label or number} left out, {error}")
    return Repository(
        name=name,
        registry=registry,
        requirement=requirement,
        setup=_strings(fields, "setup"),
        checks=checks,
        breakages=tuple(breakages),
        adapt=_change(_object(fields.get("adapt", {}), "`adapt`")),
        path=_strings(fields, "path") if "path" in fields else None,
    )


def _breakage(fields: dict[str, Any], checks: Mapping[str, str], report: Callable[[str], None]) -> Breakage:
    ident = _text(fields, "id")
    _unknown(ident, fields, BREAKAGE | NOTES, report)
    red, free = frozenset(_strings(fields, "red_checks")), fields.get("free")
    if not red <= set(checks):
        raise CaseError(f"`red_checks` names {', '.join(sorted(red - set(checks)))}, which `checks` does not")
    if free not in FREE:
        raise CaseError(f"`free` must be one of {', '.join(FREE)}, not {free!r}")
    change = _change({key: value for key, value in fields.items() if key in CHANGE})
    if not change.paths:
        raise CaseError("it changes nothing")
    message = fields.get("message", "Rework")
    return Breakage(ident, _text(fields, "kind"), free, red, change, str(message))


def _change(fields: dict[str, Any]) -> Change:
    if unknown := sorted(set(fields) - CHANGE):
        raise CaseError(f"unknown field in a change: {', '.join(unknown)}")
    edits = []
    for item in _list(fields, "edits", []):
        edit = _object(item, "an edit")
        if set(edit) != {"file", "old", "new"} or not all(isinstance(value, str) for value in edit.values()):
            raise CaseError(f"an edit must have the texts file, old and new, not {sorted(edit)}")
        edits.append(Edit(**edit))
    delete = _strings(fields, "delete", [])
    change = Change(tuple(edits), _texts(fields, "move", {}), delete, _texts(fields, "create", {}))
    for path in change.paths:
        if not path or path.startswith("/") or ".." in PurePosixPath(path).parts:
            raise CaseError(f"{path!r} is not a path in the repository")
    return change


def _unknown(label: str, fields: dict[str, Any], known: frozenset[str], report: Callable[[str], None]) -> None:
    if unknown := sorted(set(fields) - known):
        report(f"{label}: unknown field ignored: {', '.join(unknown)}")


def _object(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise CaseError(f"{what} must be an object")
    return value


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise CaseError(f"`{name}` must be a text")
    return value


def _list(fields: dict[str, Any], name: str, default: list[Any] | None = None) -> list[Any]:
    value = fields.get(name, default)
    if not isinstance(value, list):
        raise CaseError(f"`{name}` must be a list")
    return value


def _strings(fields: dict[str, Any], name: str, default: list[Any] | None = None) -> tuple[str, ...]:
    value = _list(fields, name, default)
    if not all(isinstance(item, str) for item in value):
        raise CaseError(f"`{name}` must be a list of texts")
    return tuple(value)


def _texts(fields: dict[str, Any], name: str, default: dict[str, str] | None = None) -> dict[str, str]:
    value = fields.get(name, default)
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise CaseError(f"`{name}` must be an object of texts")
    return value


def _edit(file: Path, edit: Edit) -> None:
    data, old = file.read_bytes(), edit.old.encode()
    if (count := data.count(old)) != 1:
        raise CaseError(f"{edit.file}: the text to edit occurs {count} times, not once: {edit.old!r}")
    file.write_bytes(data.replace(old, edit.new.encode()))


def _present(root: Path, path: str) -> Path:
    file = root / path
    if not file.is_file():
        raise CaseError(f"{path}: there is no such file in the release")
    return file


def breakages_of(repositories: tuple[Repository, ...], only: str) -> Iterator[tuple[Repository, tuple[Breakage, ...]]]:
    """The repositories with the breakages that are wanted; those with none are passed over."""
    for one in repositories:
        if wanted := one.only(only):
            yield one, wanted
