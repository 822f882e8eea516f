"""What of a person's environment appears where a worktree can't be laid over the clone.

Where no overlay can be mounted, bubblewrap mounts what package managers installed below the files. Where nothing can be
mounted, the worktree lies beside the clone. What tools look for below the files (a virtual environment, `node_modules`)
is linked from the clone for as long as a job runs; a home of the job's own has links to what of the person's is shown;
and packages that are installed as editable are looked for in the worktree first. The clone's other files can't be read,
so nothing is judged by them.
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
    """What package managers installed below the files of the clone: virtual environments, and the `node_modules` of
    the top and of packages up to two folders below. A link counts only where it leads to what is shown anyway: a
    repository can have one that leads into the home, or to the clone's own `.git`."""
    root = view.root
    patterns = (NODE, f"*/{NODE}", f"*/*/{NODE}") if (root / "package.json").is_file() else ()
    modules = [path for pattern in patterns for path in sorted(root.glob(pattern))]
    outermost = [path for path in modules if NODE not in path.relative_to(root).parent.parts]
    found = (*(file.parent for file in sorted(root.glob("*/pyvenv.cfg"))), *outermost)
    return tuple(path for path in found if _leads_nowhere_else(path, view))


def _leads_nowhere_else(path: Path, view: View) -> bool:
    real = path.resolve()
    return real == view.root.resolve() / path.relative_to(view.root) or any(map(real.is_relative_to, view.readable))


@contextlib.contextmanager
def linked(view: View, worktree: Path) -> Iterator[tuple[Path, ...]]:
    """Links to the clone's installed packages in the worktree, where it has nothing of its own at their places; gives
    what they lead to. In the end the links are gone; what a command put there instead stays."""

    def remove(place: Path, target: Path) -> None:
        if os.readlink(place) == str(target):
            place.unlink()

    with _made(view, worktree, Path.symlink_to, remove) as targets:
        yield targets


@contextlib.contextmanager
def room_for(view: View, worktree: Path) -> Iterator[tuple[Path, ...]]:
    """The clone's installed packages that the worktree has nothing of its own for, each with an empty folder to mount
    it on, gone in the end."""
    with _made(view, worktree, lambda place, _: place.mkdir(), lambda place, _: place.rmdir()) as targets:
        yield targets


@contextlib.contextmanager
def _made(
    view: View, worktree: Path, make: Callable[[Path, Path], None], remove: Callable[[Path, Path], None]
) -> Iterator[tuple[Path, ...]]:
    made: dict[Path, Path] = {}
    try:
        for target in installed_in(view):
            place = worktree / target.relative_to(view.root)
            if _is_really_below(worktree, place):
                with contextlib.suppress(OSError):  # something is there, or the folder that it belongs in is not
                    make(place, target)
                    made[target] = place
        yield tuple(made)
    finally:
        for target, place in made.items():
            if _is_really_below(worktree, place):
                with contextlib.suppress(OSError):
                    remove(place, target)


def _is_really_below(worktree: Path, place: Path) -> bool:
    """Whether no folder on the way there is a link: a repository may have one that leads anywhere."""
    return place.parent.resolve() == worktree.resolve() / place.parent.relative_to(worktree)


def furnish(view: View, home: Path) -> None:
    """Makes in a job's own home what appears in the person's: links to what is shown there, and files made for it."""
    for target in sorted(view.readable):
        if target != view.home and target.is_relative_to(view.home):
            place = _made_room(home, target.relative_to(view.home))
            if place is not None:
                place.symlink_to(target)
    for path, content in view.files.items():
        if path.is_relative_to(view.home) and (place := _made_room(home, path.relative_to(view.home))):
            place.write_bytes(content)


def _made_room(home: Path, below: Path) -> Path | None:
    """The place for something in a home, with the folders above it; None where it appears already."""
    place = home / below
    if any((home / parent).is_symlink() for parent in below.parents) or os.path.lexists(place):
        return None
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def aimed(view: View, job: Job) -> Job:
    """The job with Python told to import what is installed as editable from the worktree, and tools to keep their
    caches in the job's own home."""
    caches = {str(path) for path in view.writable}
    env = {name: value for name, value in job.env.items() if value not in caches}
    ours = [os.path.normpath(job.root.resolve() / folder) for folder in view.editable]
    path = [*ours, *(entry for entry in env.get("PYTHONPATH", "").split(":") if entry)]
    return replace(job, env={**env, "PYTHONPATH": ":".join(path)} if path else env)
