"""Maps paths as logs print them to paths of the repository.

Work folders of CI runners (`/home/runner/work/r/r`, `D:\\a\\r\\r`, `/__w/r/r`) are built in; others are prefixes.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection
from functools import cached_property

_WORK = re.compile(
    r"^(?:(?:/home/runner/work|/Users/runner/work|/__w|[A-Za-z]:/a|(?:/[\w.-]+){1,4}/_work)/(?!_)([^/]+)/(?:\1/)?"
    r"|/github/workspace/|/home/circleci/project/|/builds/[^/]+/[^/]+/)"
)
_OUTSIDE = re.compile(
    r"(?:^|/)(?:site-packages|dist-packages|hostedtoolcache|node_modules|_actions|_temp|_tool)/"
    r"|(?:^|/)(?:\.?venv|\.(?:tox|nox)/[^/]{1,100})/(?:bin|lib|Scripts)/"
    r"|(?:^|/)lib/python\d|(?:^|/)python\d\.\d+/|^/usr/|^<|^[A-Za-z]:/(?:Program Files|Windows|msys64)|/\.pyenv/",
    re.IGNORECASE,
)

_UPWARDS = re.compile(r"^(?:\.\./){1,40}")


class Paths:
    """Maps printed paths to files of the repository."""

    def __init__(self, known_files: Collection[str] | None = None, prefixes: tuple[str, ...] = ()) -> None:
        self._known = None if known_files is None else frozenset(known_files)
        self._prefixes = tuple(sorted((_posix(p).rstrip("/") + "/" for p in prefixes), key=len, reverse=True))

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """The repository's files by base name; built on demand, since many logs don't need it."""
        by_name: dict[str, list[str]] = defaultdict(list)
        for file in self._known or ():
            by_name[posixpath.basename(file)].append(file)
        return by_name

    def inside(self, path: str) -> bool:
        """Whether `path` belongs to the repository, and not to the interpreter or a dependency."""
        return self.repository(path) is not None

    def repository(self, path: str) -> str | None:
        """`path` relative to the repository's root, or None if it is outside.

        An absolute path that can't be mapped is returned as printed if the repository's files are not known, else None.
        """
        path = self._stripped(_posix(path))
        if not path or _OUTSIDE.search(path):
            return None
        path = posixpath.normpath(path)
        if self._known is None:
            path = _UPWARDS.sub("", path)  # relative to a build folder, mostly one inside the repository
            return path if path not in (".", "..") else None
        if path in self._known:
            return path
        if file := self._by_suffix(path):
            return file
        return None if path.startswith(("..", "/")) or path == "." else path

    def _stripped(self, path: str) -> str:
        for prefix in self._prefixes:
            if path.startswith(prefix):
                return path[len(prefix) :]
        return _WORK.sub("", path, count=1)

    def _by_suffix(self, path: str) -> str | None:
        """The only known file that ends with `path`, or that `path` ends with: a job often runs in a subfolder."""
        tail = "/" + path.lstrip("./")
        hits = [
            f
            for f in self._by_name.get(posixpath.basename(path), ())
            if ("/" + f).endswith(tail) or tail.endswith("/" + f)
        ]
        return hits[0] if len(hits) == 1 else None


def _posix(path: str) -> str:
    path = path.strip().removeprefix("file://")
    if "\\" in path and ("/" not in path or re.match(r"[A-Za-z]:\\", path)):
        path = path.replace("\\", "/")
    return path
