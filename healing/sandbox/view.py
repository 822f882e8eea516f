"""The part of a person's machine that a sandboxed command sees besides its worktree and the system's own folders."""

import hashlib
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from healing.sandbox.exposure import SYSTEM

ABSENT = re.compile(r"no module named|no such file|ENOENT|cannot (?:find|open)|can't (?:find|open)|not found", re.I)
MAX_ENTRIES = 3000  # entries read of one folder of the clone
STAMPED = ("pyvenv.cfg", ".package-lock.json", ".modules.yaml", ".yarn-state.yml", ".yarn-integrity")


@dataclass(frozen=True)
class View:
    """The environment of the person who runs Heal, as the sandbox shows it.

    `root` is the clone: the worktree appears at its path, so that editable installs, absolute shebangs and recorded
    paths refer to the worktree, and what git ignores in the clone lies below the worktree, copy-on-write. `home`
    appears as an empty folder with only what is listed. `readable` appears at its own place, and so does `writable`
    (caches), where writes are discarded. `files` are created below the home, with these bytes; a command may write them
    too. `hidden` are files and folders among these that never appear. `env` is the whole environment besides what every
    sandboxed command has; `notes` describe what was left out, with the line that helps.
    """

    root: Path
    home: Path
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[Path, bytes] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    editable: tuple[str, ...] = ()  # folders of the clone that an environment imports from, relative to the root

    @property
    def programs(self) -> tuple[Path, ...]:
        """The folders of the `PATH`, in order."""
        return tuple(Path(entry) for entry in self.env.get("PATH", "").split(":") if entry)

    def shows(self, path: Path) -> bool:
        """Whether a file or folder that exists here appears inside."""
        shown = (*SYSTEM, self.root, *self.readable, *self.writable, *self.files)
        return any(path.is_relative_to(one) for one in shown) and not any(path.is_relative_to(h) for h in self.hidden)

    def unseen(self, output: str) -> str:
        """The first file or folder of the home that the output names, that exists, and that doesn't appear inside;
        empty where there is none."""
        for match in re.finditer(rf"(?:~|{re.escape(str(self.home))})(/[\w.@+-][\w./@+-]{{0,200}})", output):
            path = Path(os.path.normpath(f"{self.home}{match[1].rstrip('./')}"))
            with suppress(OSError):
                if path.exists() and not self.shows(path) and path not in (self.home, *self.root.parents):
                    return str(path)
        return ""

    def left_out(self, output: str, tracked: Collection[str]) -> str:
        """The first file or folder at the top of the clone, or one folder below, that the output reports missing and
        that the repository doesn't track; empty where there is none. Such files don't appear where the worktree lies
        beside the clone."""
        folders = {path[: path.rindex("/")] for path in tracked if "/" in path}
        known = {*tracked, *folders, *(parent for folder in folders for parent in _above(folder))}
        words = {word for line in output.splitlines() if ABSENT.search(line) for word in re.findall(r"[\w-]+", line)}
        for folder in (self.root, *(self.root / name for name in sorted(known & _entries(self.root)))):
            for name in sorted(_entries(folder)):
                path = str((folder / name).relative_to(self.root))
                if path not in known and not name.startswith((".", "__")) and name.partition(".")[0] in words:
                    return path
        return ""

    def key(self) -> str:
        """Content id of what a result depends on besides tree and command: variables, the programs and packages that
        are installed, and the ignored files of the clone. Installing or removing a package changes it."""
        stamps = [*_stamps(self.programs), *_stamps(self.readable), *_packages(self), *_ignored(self.root)]
        files = [(str(path), content.decode(errors="replace")) for path, content in sorted(self.files.items())]
        text = json.dumps([sorted(self.env.items()), [str(path) for path in self.readable], stamps, files])
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _entries(folder: Path) -> set[str]:
    try:
        return set(os.listdir(folder)[:MAX_ENTRIES])
    except OSError:
        return set()


def _above(folder: str) -> list[str]:
    parts = folder.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _stamps(paths: Iterable[Path]) -> Iterator[tuple[str, int]]:
    for path in paths:
        try:
            yield str(path), path.stat().st_mtime_ns
        except OSError:
            yield str(path), 0


def _packages(view: View) -> Iterator[tuple[str, int]]:
    """Stamps of installed packages. Package folders change when a package is installed or removed; the metadata that
    package managers write changes when a version does."""
    for environment in {view.root / ".venv", Path(view.env.get("VIRTUAL_ENV", view.root / ".venv"))}:
        yield from _stamps((environment / "pyvenv.cfg", *environment.glob("lib/python*/site-packages")))
        yield from _stamps(sorted(environment.glob("lib/python*/site-packages/*.dist-info")))
    yield from _stamps(view.root / "node_modules" / name for name in STAMPED)


def _ignored(root: Path) -> Iterator[tuple[str, int]]:
    """Stamps of the entries in the clone's top folder, where build products come and go."""
    for entry in sorted(os.scandir(root), key=lambda one: one.name):
        if entry.name != ".git":
            yield entry.name, entry.stat(follow_symlinks=False).st_mtime_ns if entry.is_dir() else 0
