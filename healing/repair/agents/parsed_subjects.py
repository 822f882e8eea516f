"""The code that failing tests of JavaScript, TypeScript, Go, Rust, Java and Kotlin are about: the test with its hooks,
and the functions and types that it uses, also through re-exports; whole unless they are very long."""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from healing.graph import is_test
from healing.graph.jvm.scopes import SUFFIXES, JvmScopes
from healing.graph.language import suffix_of
from healing.graph.nearby import Nearby
from healing.graph.scopes import DEFAULT, FUNCTIONS, MADE, PARSED, TYPES, Scope, Scopes, Use
from healing.model import CIError
from healing.repair.agents.long_functions import WHOLE

LIMIT = 14  # definitions
DEPTH = 2  # calls between a test and what is still shown
LONG_TYPE = 60  # longest class, in lines, that is shown whole
COMMON = 3  # most definitions of one name in a file; with more it is unclear which is meant
MAX_SIZE = 1 << 20  # bytes of a file that is parsed
SECONDS = 15.0  # for parsing all files; what is found by then is used
CHAIN = 12  # types that are searched for an inherited method
READERS: dict[str, type[Scopes]] = dict.fromkeys(PARSED, Scopes) | dict.fromkeys(SUFFIXES, JvmScopes)
NAMED = re.compile(r"[\"'`‘](?P<name>[A-Za-z_$][\w$]{0,100})[\"'`’]")


@dataclass(frozen=True)
class CodePlace:
    """A definition in a file."""

    file: str
    scope: Scope


@dataclass
class ParsedLookUp:
    """Finds definitions in one tree; each file is parsed once, when a name that occurs in it is looked up."""

    read: Callable[[str], bytes | None]
    nearby: Nearby
    _files: dict[str, Scopes | None] = field(default_factory=dict, init=False)
    _end: float = field(default_factory=lambda: time.monotonic() + SECONDS, init=False)

    def scopes(self, path: str) -> Scopes | None:
        """The parsed file; None where it can't be parsed."""
        if path not in self._files:
            reader = READERS.get(suffix_of(path))
            data = self.read(path) if reader and time.monotonic() < self._end else None
            self._files[path] = reader(path, data) if reader and data is not None and len(data) <= MAX_SIZE else None
        return self._files[path]

    def find(self, user: CodePlace, use: Use) -> Iterator[CodePlace]:
        """The definitions of a name that is used there, in the nearest file that has any. Definitions inside the user
        are left out, and so is a method that too many types have."""
        if use.typed and (members := self._members(user.file, use)):
            yield from (scope for scope in members[:COMMON] if scope != user)
            return
        for path in self.nearby.of(user.file):
            raw = self.read(path)
            if raw is None or use.name.encode() not in raw or (scopes := self.scopes(path)) is None:
                continue
            matches = [scope for scope in scopes.matching(use) if path != user.file or not user.scope.holds(scope)]
            matches = [scope for scope in matches if CodePlace(path, scope) != user]
            if matches and len(matches) <= COMMON:
                yield from (CodePlace(path, scope) for scope in matches)
                return

    def _members(self, file: str, use: Use) -> list[CodePlace]:
        """The members that a use refers to: of the type that it names, of its supertypes, or, where the method is only
        declared there, of known types that implement it."""
        waiting, seen = [(file, use.owner)], set[tuple[str, str]]()
        while waiting and len(seen) < CHAIN:
            current = waiting.pop(0)
            owner = self._type(*current) if current not in seen else None
            seen.add(current)
            scopes = self.scopes(owner.file) if owner else None
            if owner is None or scopes is None:
                continue
            if found := scopes.members(owner.scope, use):
                return [*(CodePlace(owner.file, member) for member in found), *self._implementing(found, use)]
            waiting += [(owner.file, above) for above in scopes.supers(owner.scope)]
        return []

    def _type(self, file: str, name: str) -> CodePlace | None:
        for path in self.nearby.of(file):
            raw = self.read(path)
            scopes = self.scopes(path) if raw is not None and name.encode() in raw else None
            types = [scope for scope in scopes.named(name) if scope.kind in TYPES] if scopes else []
            if types:
                return CodePlace(path, types[0])
        return None

    def _implementing(self, declared: Iterable[Scope], use: Use) -> Iterator[CodePlace]:
        """Implementations in the files that were parsed so far."""
        owners = {scope.name[-2] for scope in declared if not scope.body and len(scope.name) > 1}
        for path, scopes in list(self._files.items()) if owners else ():
            for scope in scopes.defined if scopes else ():
                if scopes and scope.kind in TYPES and owners & set(scopes.supers(scope)):
                    yield from (CodePlace(path, member) for member in scopes.members(scope, use))

    def default(self, user: CodePlace) -> Iterator[CodePlace]:
        """The default exports of the files that the user's file imports, under whatever name they are used."""
        for path in self.nearby.imported(user.file):
            scopes = self.scopes(path) if not is_test(path) else None
            yield from (CodePlace(path, scope) for scope in (scopes.named(DEFAULT) if scopes else [])[:1])


def parsed_subjects(
    errors: Iterable[CIError], read: Callable[[str], bytes | None], paths: Iterable[str]
) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yields file and lines of the tests, of the functions around the errors' frames, and of what these use, nearest
    first."""
    lookup = ParsedLookUp(read, Nearby(read, paths))
    depth_of: dict[CodePlace, int] = {}
    for error in errors:
        starts = list(dict.fromkeys(_begun(lookup, error)))
        depth_of |= {definition: 0 for definition in starts if definition not in depth_of}
        named = [Use(match["name"], "", True) for match in NAMED.finditer(error.message[:2_000])]
        depth_of |= {
            place: 1
            for definition in starts[:1]
            for use in named
            for place in lookup.find(definition, use)
            if place not in depth_of
        }
    waiting = list(depth_of)
    while waiting and len(depth_of) < LIMIT:
        definition = waiting.pop(0)
        if depth_of[definition] < DEPTH:
            new = [place for place in _used(lookup, definition, depth_of[definition]) if place not in depth_of]
            depth_of |= dict.fromkeys(new, depth_of[definition] + 1)
            waiting += new
    for place in list(depth_of)[:LIMIT]:
        yield place.file, (place.scope.first, place.scope.last)


def _begun(lookup: ParsedLookUp, error: CIError) -> Iterator[CodePlace]:
    """The function or test around each place of an error, the deepest frame first, and the hooks of a test."""
    places = [(error.file, error.line), *((r.file, r.line) for r in reversed(error.related))]
    for file, line in ((lookup.nearby.located(file), line) for file, line in places if file and line):
        scopes = lookup.scopes(file)
        around = scopes.around(line) if scopes else None
        if scopes and around:
            yield CodePlace(file, around)
            if around.kind == "test":
                yield from (CodePlace(file, hook) for hook in scopes.hooks(around) if hook.last - hook.first < WHOLE)
    if error.file and error.test and not error.line and (scopes := lookup.scopes(error.file)) is not None:
        name = re.split(r"::|/|\.", error.test)[-1]
        yield from (CodePlace(error.file, test) for test in scopes.named(name)[:1])
    file, name = lookup.nearby.tested(error.test or "") or ("", "")
    if file and (scopes := lookup.scopes(file)) is not None:
        for test in scopes.named(name)[:1]:
            yield from (CodePlace(file, scope) for scope in (test, *scopes.hooks(test)))


def _used(lookup: ParsedLookUp, user: CodePlace, depth: int) -> Iterator[CodePlace]:
    """The definitions of the names that a piece of code uses: of a test all, further away only what is called."""
    scopes = lookup.scopes(user.file)
    uses = scopes.uses(user.scope) if scopes else []
    wanted = [use for use in uses if use.called] + [use for use in uses if not use.called and not depth]
    called = [use for use in uses if use.called]
    shown = [part for use in wanted for place in lookup.find(user, use) for part in _shown(lookup, place, called)]
    yield from shown
    if not depth and user.scope.kind in ("test", "hook") and not any(not is_test(place.file) for place in shown):
        yield from lookup.default(user)


def _shown(lookup: ParsedLookUp, place: CodePlace, called: list[Use]) -> Iterator[CodePlace]:
    """What is shown of a definition: a long class is reduced to its constructor and the methods that are used."""
    scope = place.scope
    if scope.last - scope.first <= LONG_TYPE or scope.kind in FUNCTIONS | MADE - {"class"}:
        yield place
        return
    scopes = lookup.scopes(place.file)
    wanted = {(use.name, use.arguments) for use in called} | {("constructor", -1)}
    for function in scopes.functions if scopes else ():
        if scope.holds(function) and (function.kind == "hook" or any(_means(function, *use) for use in wanted)):
            yield CodePlace(place.file, function)


def _means(one: Scope, name: str, arguments: int) -> bool:
    return one.name[-1] == name and (arguments < 0 or one.takes[0] <= arguments <= one.takes[1])
