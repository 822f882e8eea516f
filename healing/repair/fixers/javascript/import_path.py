"""A relative import path that leads nowhere: its file was moved, or one word of the path is misspelt."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from healing.graph import is_test
from healing.graph.javascript import read_facts
from healing.graph.javascript.resolving import ENDINGS, TYPED, UNTYPED, Specifiers
from healing.graph.language import Tree
from healing.graph.names import closest_name
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.view import TreeView

CODE = (*TYPED, *UNTYPED)
MAX_FILES, MAX_BYTES = 3_000, 400_000


@dataclass(frozen=True)
class ImportPath:
    """A moved file is found by comparison with the pull request's base: the one new file with its bytes, or else with
    its name. A misspelt word is replaced by the one similar name in its folder."""

    name: str = "import_path"
    certainty: int = 86

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if case.family == "no-module" and case.name and any(path.endswith(CODE) for path in case.crashed):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        paths = _Paths(case.repo.view, case.repo.before)
        broken = [(file, specifier) for file, specifier in paths.leading_nowhere(case.name) if case.may_edit(file)]
        moved = {reference: target for reference in broken if (target := paths.moved(*reference))}
        if moved:
            why = f"What was imported as `{case.name}` was moved; {len(moved)} of its users still import the old path."
            yield case.candidate(self, _rewritten(case, moved), "Import the file from where it is now", why)
        near_by = {
            reference: target
            for reference in broken
            if not is_test(reference[0]) and (target := paths.near_by(*reference))
        }
        if near_by:
            meant = next(iter(near_by.values()))
            why = f"`{case.name}` leads to no file; the only close match is `{meant}`."
            yield case.candidate(self, _rewritten(case, near_by), f"Import `{meant}`", why)


@dataclass(frozen=True)
class _Paths:
    view: TreeView
    before: TreeView | None

    @cached_property
    def _now(self) -> Specifiers:
        return _resolver(self.view)

    @cached_property
    def _old(self) -> Specifiers | None:
        return _resolver(self.before) if self.before is not None else None

    @cached_property
    def _fresh(self) -> tuple[str, ...]:
        """The files that the base does not have."""
        return tuple(path for path in self.view.paths() if self.before is not None and not self.before.mode(path))

    @cached_property
    def _folders(self) -> Mapping[str, frozenset[str]]:
        """The names in each folder."""
        inside: dict[str, set[str]] = {}
        for path in self.view.paths():
            words = path.split("/")
            for depth, word in enumerate(words):
                inside.setdefault("/".join(words[:depth]), set()).add(word)
        return {folder: frozenset(names) for folder, names in inside.items()}

    def leading_nowhere(self, name: str) -> Iterator[tuple[str, str]]:
        """(file, specifier) of each relative import that leads nowhere and is what the message calls `name`: the
        specifier, or the path that it stands for."""
        word = posixpath.basename(name).encode()
        for file in [path for path in self.view.paths() if path.endswith(CODE)][:MAX_FILES]:
            data = self.view.read(file) or b""
            if word not in data or len(data) > MAX_BYTES:
                continue
            for reference in read_facts(data, posixpath.splitext(file)[1]).imports:
                place = posixpath.normpath(posixpath.join(posixpath.dirname(file), reference.module))
                meant = reference.module == name or f"/{name}".endswith(f"/{place}")
                if meant and reference.module.startswith(".") and self._now.find(file, reference.module) is None:
                    yield file, reference.module

    def moved(self, file: str, specifier: str) -> str:
        """How `file` would import the file that `specifier` led to before; empty where that is unknown."""
        was = self._old.find(file, specifier) if self._old is not None else None
        if was is None or self.before is None or self.view.mode(was):
            return ""
        same = [path for path in self._fresh if self.view.blob(path) == self.before.blob(was)]
        homes = same or [path for path in self._fresh if posixpath.basename(path) == posixpath.basename(was)]
        return self._as_written(file, specifier, homes[0]) if len(homes) == 1 else ""

    def _as_written(self, file: str, specifier: str, home: str) -> str:
        """The path to `home`, with an ending and `index` only where `specifier` had them."""
        stem, _ = posixpath.splitext(home)
        ending = posixpath.splitext(specifier)[1]
        target = stem + (ending if ending in ENDINGS else "")
        if posixpath.basename(target) == "index" and posixpath.basename(specifier) != "index":
            target = posixpath.dirname(target)
        path = posixpath.relpath(target or ".", posixpath.dirname(file) or ".")
        path = path if path.startswith(".") else f"./{path}"
        return path if self._now.find(file, path) == home else ""

    def near_by(self, file: str, specifier: str) -> str:
        """The path with its one misspelt word corrected; empty where none or more than one word may be meant."""
        words = specifier.split("/")
        folder = posixpath.dirname(file)
        for at, word in enumerate(words):
            place = posixpath.normpath(posixpath.join(folder, word))
            place = "" if place == "." else place
            if place in self._folders and at < len(words) - 1:
                folder = place
                continue
            ending = posixpath.splitext(word)[1] in ENDINGS
            names = self._folders.get(folder, frozenset())
            pool = (
                names if ending else {posixpath.splitext(name)[0] if name.endswith(ENDINGS) else name for name in names}
            )
            meant = closest_name(word, pool)
            path = "/".join([*words[:at], meant, *words[at + 1 :]]) if meant else ""
            return path if path and self._now.find(file, path) not in (None, file) else ""
        return ""


def _resolver(view: TreeView) -> Specifiers:
    return Specifiers(Tree(tuple(view.paths()), {}, view.read))


def _rewritten(case: Case, paths: Mapping[tuple[str, str], str]) -> dict[str, bytes]:
    """The files with each specifier replaced, wherever it is in quotes."""
    changes: dict[str, bytes] = {}
    for (file, specifier), meant in paths.items():
        data = changes.get(file) or case.repo.view.read(file) or b""
        quoted = re.compile(rb"(['\"`])" + re.escape(specifier.encode()) + rb"\1")
        changes[file] = quoted.sub(lambda found, meant=meant: found[1] + meant.encode() + found[1], data)  # type: ignore[misc]
    return changes
