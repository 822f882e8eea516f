"""What `uv sync` will install, read from uv.lock and the project, as commands that fetch it as wheels.

uv itself is not asked: it would read the project's own settings. What it finds in its cache afterwards is what the
lock names, from the index that the lock names.
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
MOST = 2_000  # packages
BUILDING = ("setuptools>=40.8.0", "wheel")  # where a project names nothing (PEP 518)
Pinned = dict[str, list[str]]  # versions by name: a lock may have several, each for other machines
Packages = list[tuple[dict[str, object], dict[str, object]]]


def uv_commands(view: TreeView, folder: str) -> Iterator[str]:
    """The commands, as bash text, for the project in `folder` (empty, or with `/` at its end); none without a lock."""
    packages = _packages(_toml(view.read(f"{folder}uv.lock")))
    pinned = _pinned(packages)
    for number, (index, versions) in enumerate(pinned.items()):
        for turn in range(max(map(len, versions.values()))):
            names = [f"{name}=={known[turn]}" for name, known in versions.items() if turn < len(known)]
            yield f"{UV.format(f'{number}-{turn}')} --no-deps --default-index {shlex.join([index, *names])}"
    building = sorted({text for at in _own(packages) for text in _builders(view, posixpath.normpath(folder + at))})
    if building:
        yield f"{UV.format('build')} --default-index {shlex.join([next(iter(pinned), PYPI), *building])}"


def _packages(lock: dict[str, object]) -> Packages:
    """Each package that the lock names, and where it comes from."""
    packages = lock.get("package")
    found = [one for one in packages[:MOST] if isinstance(one, dict)] if isinstance(packages, list) else []
    return [(one, one["source"]) for one in found if isinstance(one.get("source"), dict)]


def _pinned(packages: Packages) -> dict[str, Pinned]:
    """What the lock names of each index, as far as there are wheels for this machine."""
    found: dict[str, Pinned] = defaultdict(dict)
    for one, source in packages:
        index, name, version = str(source.get("registry")), str(one.get("name")), str(one.get("version"))
        if index.startswith("https://") and _plain(name) and _plain(version) and _fits(one.get("wheels")):
            found[index].setdefault(name, []).append(version)
    return dict(sorted(found.items(), key=lambda one: one[0] != PYPI))


def _own(packages: Packages) -> Iterator[str]:
    """The folders of the projects that are built here."""
    for _, source in packages:
        if path := source.get("editable") or source.get("directory"):
            yield str(path)


def _builders(view: TreeView, folder: str) -> Iterator[str]:
    """What builds the project there, by name."""
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
    """Checks run by a Python of our own version."""
    return frozenset(sys_tags())


def _toml(data: bytes | None) -> dict[str, object]:
    try:
        return tomllib.loads((data or b"").decode())
    except (ValueError, RecursionError):
        return {}
