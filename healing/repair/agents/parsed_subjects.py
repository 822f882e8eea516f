"""The code that failing tests of JavaScript, TypeScript, Go, Rust, Java and Kotlin are about: the test with its hooks,
and the functions and types that it uses, through re-exports; whole, as far as they are not very long."""

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

MOST = 14  # definitions
DEPTH = 2  # calls between a test and what is still shown
LONG_TYPE = 60  # and of a class
COMMON = 3  # definitions of one name in a file; of more nothing says which is meant
LARGEST = 1 << 20  # bytes of a file that is parsed
SECONDS = 15.0  # for all files that are parsed; what is found by then has to do
CHAIN = 12  # types in which an inherited method is looked for
READERS: dict[str, type[Scopes]] = dict.fromkeys(PARSED, Scopes) | dict.fromkeys(SUFFIXES, JvmScopes)
NAMED = re.compile(r"[\"'`‘](?P<name>[A-Za-z_$][\w$]{0,100})[\"'`’]")


@dataclass(frozen=True)
class CodePlace:
    """A definition in a file."""

    file: str
    scope: Scope


@dataclass
class ParsedLookUp:
    """Finds definitions in one tree; each file is parsed once, when a name that stands in it is looked for."""

    read: Callable[[str], bytes | None]
    nearby: Nearby
    _files: dict[str, Scopes | None] = field(default_factory=dict, init=False)
    _end: float = field(default_factory=lambda: time.monotonic() + SECONDS, init=False)

    def scopes(self, path: str) -> Scopes | None:
        """The parsed file; None where there is none that can be parsed."""
        if path not in self._files:
            reader = READERS.get(suffix_of(path))
            data = self.read(path) if reader and time.monotonic() < self._end else None
            self._files[path] = reader(path, data) if reader and data is not None and len(data) <= LARGEST else None
        return self._files[path]

    def find(self, user: CodePlace, use: Use) -> Iterator[CodePlace]:
        """The definitions of a name that is used there, in the nearest file that has some. What is defined inside of
        the user is its own, and a method that many types have is nobody's."""
        if use.typed and (members := self._members(user.file, use)):
            yield from (one for one in members[:COMMON] if one != user)
            return
        for path in self.nearby.of(user.file):
            raw = self.read(path)
            if raw is None or use.name.encode() not in raw or (scopes := self.scopes(path)) is None:
                continue
            found = [one for one in scopes.matching(use) if path != user.file or not user.scope.holds(one)]
            found = [one for one in found if CodePlace(path, one) != user]
            if found and len(found) <= COMMON:
                yield from (CodePlace(path, one) for one in found)
                return

    def _members(self, file: str, use: Use) -> list[CodePlace]:
        """What a use means of the type that it names, of what that type inherits, or, where that is only declared, of
        the types that are known to implement it."""
        waiting, seen = [(file, use.owner)], set[tuple[str, str]]()
        while waiting and len(seen) < CHAIN:
            one = waiting.pop(0)
            owner = self._type(*one) if one not in seen else None
            seen.add(one)
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
            found = [one for one in scopes.named(name) if one.kind in TYPES] if scopes else []
            if found:
                return CodePlace(path, found[0])
        return None

    def _implementing(self, declared: Iterable[Scope], use: Use) -> Iterator[CodePlace]:
        """In the files that were needed so far."""
        owners = {one.name[-2] for one in declared if not one.body and len(one.name) > 1}
        for path, scopes in list(self._files.items()) if owners else ():
            for one in scopes.defined if scopes else ():
                if scopes and one.kind in TYPES and owners & set(scopes.supers(one)):
                    yield from (CodePlace(path, member) for member in scopes.members(one, use))

    def default(self, user: CodePlace) -> Iterator[CodePlace]:
        """What the files that the user's file imports give by default, under whatever name it is used."""
        for path in self.nearby.imported(user.file):
            scopes = self.scopes(path) if not is_test(path) else None
            yield from (CodePlace(path, one) for one in (scopes.named(DEFAULT) if scopes else [])[:1])


def parsed_subjects(
    errors: Iterable[CIError], read: Callable[[str], bytes | None], paths: Iterable[str]
) -> Iterator[tuple[str, tuple[int, int]]]:
    """File and lines of the tests, the functions around the errors' frames, and what these use, the nearest first."""
    look = ParsedLookUp(read, Nearby(read, paths))
    found: dict[CodePlace, int] = {}
    for error in errors:
        begun = list(dict.fromkeys(_begun(look, error)))
        found |= {one: 0 for one in begun if one not in found}
        named = [Use(match["name"], "", True) for match in NAMED.finditer(error.message[:2_000])]
        found |= {place: 1 for one in begun[:1] for use in named for place in look.find(one, use) if place not in found}
    waiting = list(found)
    while waiting and len(found) < MOST:
        one = waiting.pop(0)
        if found[one] < DEPTH:
            new = [place for place in _used(look, one, found[one]) if place not in found]
            found |= dict.fromkeys(new, found[one] + 1)
            waiting += new
    for place in list(found)[:MOST]:
        yield place.file, (place.scope.first, place.scope.last)


def _begun(look: ParsedLookUp, error: CIError) -> Iterator[CodePlace]:
    """The function or test around each place of an error, the deepest frame first, and the hooks of a test."""
    places = [(error.file, error.line), *((r.file, r.line) for r in reversed(error.related))]
    for file, line in ((look.nearby.located(file), line) for file, line in places if file and line):
        scopes = look.scopes(file)
        around = scopes.around(line) if scopes else None
        if scopes and around:
            yield CodePlace(file, around)
            if around.kind == "test":
                yield from (CodePlace(file, hook) for hook in scopes.hooks(around) if hook.last - hook.first < WHOLE)
    if error.file and error.test and not error.line and (scopes := look.scopes(error.file)) is not None:
        name = re.split(r"::|/|\.", error.test)[-1]
        yield from (CodePlace(error.file, one) for one in scopes.named(name)[:1])
    file, name = look.nearby.tested(error.test or "") or ("", "")
    if file and (scopes := look.scopes(file)) is not None:
        for one in scopes.named(name)[:1]:
            yield from (CodePlace(file, scope) for scope in (one, *scopes.hooks(one)))


def _used(look: ParsedLookUp, user: CodePlace, depth: int) -> Iterator[CodePlace]:
    """The definitions behind the names that a piece of code uses: a test's all, further on what is called."""
    scopes = look.scopes(user.file)
    uses = scopes.uses(user.scope) if scopes else []
    wanted = [use for use in uses if use.called] + [use for use in uses if not use.called and not depth]
    called = [use for use in uses if use.called]
    shown = [one for use in wanted for place in look.find(user, use) for one in _shown(look, place, called)]
    yield from shown
    if not depth and user.scope.kind in ("test", "hook") and not any(not is_test(place.file) for place in shown):
        yield from look.default(user)


def _shown(look: ParsedLookUp, place: CodePlace, called: list[Use]) -> Iterator[CodePlace]:
    """What is shown of a definition: a long class is its constructor and the methods that are used."""
    scope = place.scope
    if scope.last - scope.first <= LONG_TYPE or scope.kind in FUNCTIONS | MADE - {"class"}:
        yield place
        return
    scopes = look.scopes(place.file)
    wanted = {(use.name, use.arguments) for use in called} | {("constructor", -1)}
    for one in scopes.functions if scopes else ():
        if scope.holds(one) and (one.kind == "hook" or any(_means(one, *use) for use in wanted)):
            yield CodePlace(place.file, one)


def _means(one: Scope, name: str, arguments: int) -> bool:
    return one.name[-1] == name and (arguments < 0 or one.takes[0] <= arguments <= one.takes[1])
