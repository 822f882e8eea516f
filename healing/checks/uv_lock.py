"""The commands that fetch as wheels what `uv sync` will install, read from uv.lock and the project.

uv itself is not used to read the project, since it would read the project's own settings too. Its cache afterwards
holds what the lock names, from the indexes that the lock names.
"""

import functools
import posixpath
import shlex
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress

from packaging.requirements import InvalidRequirement, Requirement
from packaging.tags import Tag, sys_tags
from packaging.utils import parse_wheel_filename

from healing.view import TreeView

UV = 'uv pip install --quiet --no-config --python "$HEAL_PYTHON" --only-binary :all: --target "$HOME/.heal/uv/{}"'
PYPI = "https://pypi.org/simple"
LIMIT = 2_000  # packages
BUILDING = ("setuptools>=40.8.0", "wheel")  # default build requirements of a project that names none (PEP 518)
Pinned = dict[str, list[str]]  # versions by name; a lock may have several, each for different machines
Packages = list[tuple[dict[str, object], dict[str, object]]]


def uv_commands(view: TreeView, folder: str) -> Iterator[str]:
    """The commands, as bash text, for the project in `folder` (empty, or ending in `/`); none without a lock."""
    packages = _packages(_toml(view.read(f"{folder}uv.lock")))
    pinned = _pinned(packages)
    for number, (index, versions) in enumerate(pinned.items()):
        for position in range(max(map(len, versions.values()))):
            names = [f"{name}=={listed[position]}" for name, listed in versions.items() if position < len(listed)]
            yield f"{UV.format(f'{number}-{position}')} --no-deps --default-index {shlex.join([index, *names])}"
    build_requirements = sorted(
        {
            text
            for path in _project_folders(packages)
            for text in _build_requirements(view, posixpath.normpath(folder + path))
        }
    )
    if build_requirements:
        yield f"{UV.format('build')} --default-index {shlex.join([next(iter(pinned), PYPI), *build_requirements])}"


def _packages(lock: dict[str, object]) -> Packages:
    """Each package in the lock, with its source."""
    packages = lock.get("package")
    tables = [table for table in packages[:LIMIT] if isinstance(table, dict)] if isinstance(packages, list) else []
    return [(table, table["source"]) for table in tables if isinstance(table.get("source"), dict)]


def _pinned(packages: Packages) -> dict[str, Pinned]:
    """The locked packages by index, as far as there are wheels for this machine; PyPI comes first."""
    by_index: dict[str, Pinned] = defaultdict(dict)
    for package, source in packages:
        index, name, version = str(source.get("registry")), str(package.get("name")), str(package.get("version"))
        if index.startswith("https://") and _plain(name) and _plain(version) and _fits(package.get("wheels")):
            by_index[index].setdefault(name, []).append(version)
    return dict(sorted(by_index.items(), key=lambda one: one[0] != PYPI))


def _project_folders(packages: Packages) -> Iterator[str]:
    """The folders of the projects that are built here."""
    for _, source in packages:
        if path := source.get("editable") or source.get("directory"):
            yield str(path)


def _build_requirements(view: TreeView, folder: str) -> Iterator[str]:
    """The build requirements of the project in a folder, as far as they are named packages."""
    project = _toml(view.read("pyproject.toml" if folder == "." else f"{folder}/pyproject.toml"))
    build = project.get("build-system")
    requires = build.get("requires") if isinstance(build, dict) else None
    for text in requires if isinstance(requires, list) else BUILDING:
        with suppress(InvalidRequirement):
            requirement = Requirement(str(text))
            if requirement.url is None:
                yield str(requirement)


def _plain(word: str) -> bool:
    return word.isascii() and word[:1].isalnum() and all(letter.isalnum() or letter in "._+!-" for letter in word)


def _fits(wheels: object) -> bool:
    for wheel in wheels if isinstance(wheels, list) else ():
        name = str(wheel.get("url", wheel.get("path", ""))) if isinstance(wheel, dict) else ""
        try:
            if parse_wheel_filename(name.rpartition("/")[2].replace("%2B", "+"))[3] & _tags():
                return True
        except ValueError:
            continue
    return False


@functools.cache
def _tags() -> frozenset[Tag]:
    """The wheel tags of this machine. Checks run with a Python of the same version as Heal's."""
    return frozenset(sys_tags())


def _toml(data: bytes | None) -> dict[str, object]:
    try:
        return tomllib.loads((data or b"").decode())
    except (ValueError, RecursionError):
        return {}
