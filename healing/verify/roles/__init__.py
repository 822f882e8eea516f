"""The role of every file of a repository in the proof of a fix: product, tests, judge, test data, docs or generated.

Derived from what the failing command does: its words, the scripts it runs, and what the product's own code reads. A
file that nothing shows to be the product's counts as the judge's: a proof that is made without it is never wrong.
"""

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from healing.checks.check import WORKSPACE, Check
from healing.verify.guard.forbidden import ALWAYS, UNLESS_NAMED, is_generated
from healing.verify.guard.paths import CODE, is_test_data, is_test_file
from healing.verify.guard.reading.text import any_of
from healing.verify.roles.reached import scripts
from healing.verify.roles.shadows import shadowed
from healing.view import TreeView

__all__ = ["UNSEEN", "WORDS", "FileRole", "Role", "Roles"]
Read = Callable[[str], bytes | None]
PROSE = any_of(
    r"\.(?:md|mdx|rst|adoc)$|(^|/)docs?/.{1,200}\.(?:txt|svg|png|html|css)$",
    r"(^|/)(?:LICENSE|LICENCE|COPYING|NOTICE|AUTHORS|CONTRIBUTORS|CHANGELOG|CHANGES|HISTORY|NEWS|README|TODO)(?:\.txt)?$",
    flags=re.IGNORECASE,
)
# Code that tools load by its name, whether or not it is imported.
LOADED = any_of(
    r"(^|/)(?:conftest|noxfile|setup|sitecustomize|usercustomize|hatch_build|build)\.(?:py|rs)$",
    r"(^|/)[\w.-]{1,60}\.(?:config|setup|workspace|conf)\.[cm]?[jt]sx?$|(^|/)(?:[Gg]runt|[Gg]ulp)file\.[cm]?[jt]s$",
    r"(^|/)\.[^/]{1,80}$|(^|/)(?:__mocks__|\.cargo|\.config|hooks|githooks)/",
)
# Names that task runners share with the product (`tasks.py` is also Celery's): what the file imports decides.
RUNNERS = re.compile(r"(^|/)(?:tasks|fabfile)\.py$")
OF_A_RUNNER = re.compile(rb"^[ \t]{0,40}(?:import|from)[ \t]+(?:invoke|fabric)\b", re.MULTILINE)
# Settings files of tools, even in the product's folders.
SETTINGS = any_of(
    r"\.(?:toml|ini|cfg|conf|mk|lock|pth|properties|gradle|cmake|bazel|bzl)$|rc$|rc\.(?:json|ya?ml|js)$|(^|/)\.",
    r"(^|/)(?:package(?:-lock)?|[jt]sconfig[\w.-]{0,40}|composer|deno|biome|turbo|nx|lerna|renovate)\.jsonc?$",
    r"(^|/)(?:[\w.-]{0,40}requirements[\w.-]{0,40}|constraints|CMakeLists)\.txt$|(^|/)[A-Z]\w{2,30}file(?:\.\w{1,9})?$",
    r"(^|/)(?:docker-)?compose[\w.-]{0,20}\.ya?ml$|(^|/)go\.(?:mod|sum|work)$",
)
FRAMEWORKS = re.compile(
    rb"^[ \t]{0,40}(?:import|from)[ \t]+(?:pytest|_pytest|unittest|hypothesis|nose|testtools)\b"
    rb"|['\"](?:node:test|vitest|jest|@jest/globals|mocha|chai|ava|tap|tape|@playwright/test)['\"]"
    rb"|^(?:import[ \t]+|[ \t]{1,8})\"testing\"$",
    re.M,
)
UNSEEN = "neither tests nor settings name it, so that only the product can read it"
MAX_CODE = 3_000  # files that are searched for the names of others
MAX_BYTES = 500_000


# What a file of a repository is for, as far as a proof is concerned.
class Role(StrEnum):
    """`JUDGE` decides what is run and how it is counted; `DATA` is what tests compare with or load."""

    PRODUCT = "product"
    TESTS = "tests"
    JUDGE = "judge"
    DATA = "test data"
    DOCS = "docs"
    GENERATED = "generated"


WORDS = {
    Role.PRODUCT: "is source of the product",
    Role.TESTS: "belongs to the tests",
    Role.JUDGE: "decides what is run, or how it is counted",
    Role.DATA: "is data of the tests",
    Role.DOCS: "is documentation",
    Role.GENERATED: "is generated, or comes from elsewhere",
}


@dataclass(frozen=True)
class FileRole:
    """A file's role, and the reason as a sentence that continues after the file's name."""

    role: Role
    why: str

    def __str__(self) -> str:
        return f"{WORDS[self.role]}: {self.why}"


@dataclass(frozen=True)
class Roles:
    """The roles of the files of one tree. `commands` are those that failed (folder, text), `missing` the modules that
    they could not find; `new` are files that don't exist yet, with their content."""

    commands: tuple[tuple[str, str], ...]
    paths: frozenset[str]
    read: Read
    missing: frozenset[str] = frozenset()
    new: Mapping[str, bytes] = field(default_factory=dict)

    @classmethod
    def of_checks(
        cls,
        checks: Iterable[Check],
        view: TreeView,
        missing: frozenset[str] = frozenset(),
        new: Mapping[str, bytes] | None = None,
    ) -> "Roles":
        """The roles as these checks see the files of a tree."""
        commands = ((check.step.cwd.removeprefix(WORKSPACE).strip("/") or ".", check.step.run) for check in checks)
        return cls(tuple(commands), frozenset(view.paths()), view.read, missing, dict(new or {}))

    def of(self, path: str) -> FileRole:
        """A file's role and why."""
        return (
            self._by_command(path)
            or self._by_name(path)
            or (self._code(path) if CODE.search(path) else self._other(path))
        )

    @cached_property
    def _scripts(self) -> dict[str, str]:
        return scripts(self.commands, self.paths, self.read)

    @cached_property
    def _words(self) -> frozenset[str]:
        """The words of the commands, and of the scripts that these run."""
        texts = [text for _, text in self.commands]
        texts += [(self.read(path) or b"").decode("utf-8", "replace") for path in self._scripts]
        return frozenset(word for text in texts for word in re.findall(r"[\w./@+-]{1,200}", text))

    def _by_command(self, path: str) -> FileRole | None:
        if path in self._scripts:
            return FileRole(Role.JUDGE, self._scripts[path])
        name = posixpath.basename(path)
        if path in self.new and "." not in name and name in self._words:
            return FileRole(Role.JUDGE, f"the failing command calls a program of the name {name}")
        return None

    def _by_name(self, path: str) -> FileRole | None:
        if ALWAYS.search(path):
            return FileRole(Role.JUDGE, "CI, git or an interpreter reads it by its name")
        if LOADED.search(path):
            return FileRole(Role.JUDGE, "tools load it by its name")
        if RUNNERS.search(path) and (path in self.new or OF_A_RUNNER.search(self.read(path) or b"")):
            return FileRole(Role.JUDGE, "a task runner loads it by its name")
        if is_test_file(path):
            return FileRole(Role.TESTS, "its name or folder is one of tests")
        if UNLESS_NAMED.search(path) or is_generated(self.read(path)):
            return FileRole(Role.GENERATED, "its name, folder or first lines say so")
        if PROSE.search(path):
            read = path in self._words or posixpath.basename(path) in self._words
            return FileRole(Role.TESTS, "the failing command reads it") if read else FileRole(Role.DOCS, "it is prose")
        if is_test_data(path):
            return FileRole(Role.DATA, "its name or folder is one of test data")
        return None

    def _code(self, path: str) -> FileRole:
        if path in self.new:
            other = shadowed(path, self.paths, self.read, self.missing)
            if other:
                return FileRole(Role.JUDGE, f"it is new, and takes the place of {other}")
            if FRAMEWORKS.search(self.new[path]):
                return FileRole(Role.TESTS, "it is new, and imports a test framework")
            if path.endswith((".pyi", ".d.ts", ".d.mts", ".d.cts")):
                return FileRole(Role.JUDGE, "it is new, and tells a checker what other files hold")
        return FileRole(
            Role.PRODUCT, "it is code, and neither a test nor anything that the failing command goes through"
        )

    def _other(self, path: str) -> FileRole:
        """The role of a file that is not code: the product's if its code names it, or if it lies among that code."""
        if path in self.new and (other := shadowed(path, self.paths, self.read)):
            return FileRole(Role.JUDGE, f"it is new, and takes the place of {other}")
        reader = "" if SETTINGS.search(path) else self._reader(posixpath.basename(path))
        if reader:
            return FileRole(Role.PRODUCT, f"{reader} names it")
        folder = posixpath.dirname(path)
        if path not in self.new and not SETTINGS.search(path) and self._holds_code(folder):
            return FileRole(Role.PRODUCT, f"it lies among the code of {folder}/")
        basename = posixpath.basename(path)
        if SETTINGS.search(path) or basename in self._words or self._names(basename, self._settings):
            return FileRole(Role.JUDGE, "nothing shows that the product reads it, so it may decide what is run")
        if self._names(basename, self._tests):
            return FileRole(Role.DATA, "a test names it")
        return FileRole(Role.PRODUCT, UNSEEN)

    @cached_property
    def _settings(self) -> tuple[str, ...]:
        return tuple(p for p in sorted(self.paths) if SETTINGS.search(p) or p in self._scripts)[:MAX_CODE]

    @cached_property
    def _tests(self) -> tuple[str, ...]:
        return tuple(p for p in sorted(self.paths) if is_test_file(p))[:MAX_CODE]

    def _names(self, name: str, files: Iterable[str]) -> str:
        """The first of the files that names another; empty if none does."""
        wanted = name.encode()
        return next((path for path in files if wanted in (self.read(path) or b"")[:MAX_BYTES]), "")

    def _holds_code(self, folder: str) -> bool:
        top = folder.partition("/")[0]
        return bool(top) and any(path.startswith(f"{top}/") for path in self._source)

    @cached_property
    def _source(self) -> tuple[str, ...]:
        code = (p for p in sorted(self.paths) if CODE.search(p) and not p.endswith(".sh"))
        return tuple(p for p in code if not self._by_name(p) and p not in self._scripts)[:MAX_CODE]

    def _reader(self, name: str) -> str:
        """A product file that names another; empty if none does."""
        return self._names(name, self._source) if len(name) >= 3 else ""


def missing_modules(messages: Iterable[str]) -> frozenset[str]:
    """The modules that a run could not find, by the first part of their names."""
    matches = (MISSING.search(message) for message in messages)
    return frozenset(match[1].split(".")[0].split("/")[0] for match in matches if match)


MISSING = re.compile(
    r"(?:No module named|Cannot find (?:module|package)|Can't resolve|no required module provides package|"
    r"unresolved (?:import|module)|can't find crate for|Cannot find name|could not find"
    r"|contains? (?:these|this) features?|does not (?:contain|have) (?:this|the|that) feature)"
    r"[ :]{1,3}[`'\"]?([\w@./-]{1,200})"
)
