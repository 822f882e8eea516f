"""Makes parts of a person's environment appear where no worktree can be laid over the clone.

Where no overlay can be mounted, bubblewrap mounts the installed packages below the repository's files. Where nothing
can be mounted, the worktree lies beside the clone. Then whatever tools look for below the files (a virtual environment,
`node_modules`) is linked from the clone while a job runs; a job's own home has links to the visible parts of the
person's home; and packages that are installed as editable are imported from the worktree first. The clone's other files
can't be read, so they don't affect the result.
"""

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from healing.sandbox.job import Job
from healing.sandbox.view import View

NODE = "node_modules"


def installed_in(view: View) -> tuple[Path, ...]:
    """What package managers installed below the files of the clone: virtual environments, and the `node_modules` of the
    top folder and of packages up to two folders below. A link counts only where it leads to something that is shown
    anyway: a repository can contain one into the home, or to the clone's own `.git`."""
    root = view.root
    patterns = (NODE, f"*/{NODE}", f"*/*/{NODE}") if (root / "package.json").is_file() else ()
    modules = [path for pattern in patterns for path in sorted(root.glob(pattern))]
    outermost = [path for path in modules if NODE not in path.relative_to(root).parent.parts]
    candidates = (*(file.parent for file in sorted(root.glob("*/pyvenv.cfg"))), *outermost)
    return tuple(path for path in candidates if _is_shown_anyway(path, view))


def _is_shown_anyway(path: Path, view: View) -> bool:
    real = path.resolve()
    return real == view.root.resolve() / path.relative_to(view.root) or any(map(real.is_relative_to, view.readable))


@contextlib.contextmanager
def linked(view: View, worktree: Path) -> Iterator[tuple[Path, ...]]:
    """Link the clone's installed packages into the worktree, where it has nothing of its own at their places; yields
    the link targets. Afterwards the links are removed; anything that a command put in their place stays."""

    def remove(place: Path, target: Path) -> None:
        if os.readlink(place) == str(target):
            place.unlink()

    with _placed(view, worktree, Path.symlink_to, remove) as targets:
        yield targets


@contextlib.contextmanager
def room_for(view: View, worktree: Path) -> Iterator[tuple[Path, ...]]:
    """The clone's installed packages for which the worktree has nothing of its own, each with an empty folder to mount
    it on, removed afterwards."""
    with _placed(view, worktree, lambda place, _: place.mkdir(), lambda place, _: place.rmdir()) as targets:
        yield targets


@contextlib.contextmanager
def _placed(
    view: View, worktree: Path, make: Callable[[Path, Path], None], remove: Callable[[Path, Path], None]
) -> Iterator[tuple[Path, ...]]:
    places: dict[Path, Path] = {}
    try:
        for target in installed_in(view):
            place = worktree / target.relative_to(view.root)
            if _is_really_below(worktree, place):
                with contextlib.suppress(OSError):  # something is there already, or the parent folder is missing
                    make(place, target)
                    places[target] = place
        yield tuple(places)
    finally:
        for target, place in places.items():
            if _is_really_below(worktree, place):
                with contextlib.suppress(OSError):
                    remove(place, target)


def _is_really_below(worktree: Path, place: Path) -> bool:
    """Whether no parent folder on the way there is a link; a repository may contain links that lead anywhere."""
    return place.parent.resolve() == worktree.resolve() / place.parent.relative_to(worktree)


def link_into_home(view: View, home: Path) -> None:
    """Create in a job's own home what appears in the person's: links to what is shown there, and the files generated
    for it."""
    for target in sorted(view.readable):
        if target != view.home and target.is_relative_to(view.home):
            place = _make_room(home, target.relative_to(view.home))
            if place is not None:
                place.symlink_to(target)
    for path, content in view.files.items():
        if path.is_relative_to(view.home) and (place := _make_room(home, path.relative_to(view.home))):
            place.write_bytes(content)


def _make_room(home: Path, below: Path) -> Path | None:
    """The place for something in a home, after creating its parent folders; None where it appears already."""
    place = home / below
    if any((home / parent).is_symlink() for parent in below.parents) or os.path.lexists(place):
        return None
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def with_import_paths(view: View, job: Job) -> Job:
    """The job with variables by which Python imports editable packages from the worktree, and tools keep their caches
    in the job's own home."""
    caches = {str(path) for path in view.writable}
    env = {name: value for name, value in job.env.items() if value not in caches}
    editable = [os.path.normpath(job.root.resolve() / folder) for folder in view.editable]
    path = [*editable, *(entry for entry in env.get("PYTHONPATH", "").split(":") if entry)]
    return replace(job, env={**env, "PYTHONPATH": ":".join(path)} if path else env)
