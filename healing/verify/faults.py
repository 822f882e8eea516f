"""Finds where an error itself lies in a file outside the product: only there may a fix change such a file."""

import json
import posixpath
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from healing.causes.stated import advice_of
from healing.causes.unknown_words import WHOLE, listed_words, unknown_words, words_of
from healing.graph import is_test
from healing.graph.names import closest_name
from healing.model import Category, CIError
from healing.spelling import is_slip
from healing.verify.guard.patch import Change, Follows
from healing.verify.missing_parts import WORD, ReportedFailures, missing_part, only_adds, swapped
from healing.verify.retold import retold
from healing.verify.roles import FileRole, Role, missing_modules
from healing.view import TreeView

MANIFEST = re.compile(
    r"(^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|Pipfile|package\.json|Cargo\.toml|go\.mod|go\.work|Gemfile|composer\.json"
    r"|build\.gradle(?:\.kts)?|pom\.xml|[\w.-]{0,40}requirements[\w.-]{0,40}\.(?:txt|in)|environment\.ya?ml)$"
)
# Messages about a name that doesn't exist.
GONE = re.compile(
    r"has no attribute ['\"`](\w{1,100})|name ['\"`](\w{1,100})['\"`] is not defined"
    r"|cannot import name ['\"`](\w{1,100})"
    r"|\b(\w{1,100}) is not (?:a function|defined|a constructor)|undefined: (?:\w{1,100}\.)?(\w{1,100})"
    r"|cannot find (?:function|value|type|struct|macro) `(\w{1,100})`"
    r"|has no (?:exported )?member (?:named )?['\"`](\w{1,100})"
    r"|no (?:function|method|field)[^`\n]{0,60}`(\w{1,100})`|unresolved import `[\w:]{0,200}?(\w{1,100})`"
)
UNEXPECTED = re.compile(r"unexpected keyword argument ['\"](\w{1,100})['\"]")
NO_MODULE = re.compile(r"No module named ['\"]([\w.]{1,200})['\"]")


class Before(NamedTuple):
    """The branch, and the commit at which the pull request began (None: not known)."""

    head: TreeView
    base: TreeView | None = None


class Fault(NamedTuple):
    """Why errors lie in a file, and their ids. `follows`: what the fix writes in the place of something else, where all
    that it does to the file is to follow the pull request, or to mend what that misspelt."""

    why: str
    error_ids: frozenset[str]
    follows: Follows | None = None


def faults(
    changes: Mapping[str, Change], roles: Mapping[str, FileRole], errors: Iterable[CIError], before: Before
) -> dict[str, Fault]:
    """The changed files outside the product in which one of the errors lies, each with the reason."""
    errors = tuple(errors)
    by_path = {}
    for path, change in changes.items():
        role = roles[path].role
        fault = None if role is Role.PRODUCT else _fault(path, change, role, errors, before)
        if fault:
            by_path[path] = fault
    return by_path


def _fault(path: str, change: Change, role: Role, errors: tuple[CIError, ...], before: Before) -> Fault | None:
    named = [e for e in errors if e.category is not Category.TEST and _named(e, path, role)]
    text = "\n".join(f"{e.message}\n{e.actual or ''}\n{e.excerpt}" for e in errors)
    mended = _mended(path, change, role, text, before.base)
    told = _told_otherwise(change, role, text, before)
    follows = mended or told or (_follows(change, before) if role is Role.TESTS else None)
    if named:
        return Fault(f"{named[0].tool} found fault with it", frozenset(e.id for e in named), follows)
    why = next(filter(None, _reasons(path, change, role, errors, before)), "")
    why = why or (f"nothing knows {mended.old}, which this pull request wrote" if mended else "")
    why = why or (f"this pull request words it otherwise: {told.new.strip()[:60]}" if told else "")
    return Fault(why, frozenset(e.id for e in errors), follows) if why else None


def _told_otherwise(change: Change, role: Role, text: str, before: Before) -> Follows | None:
    """The text that a change to tests or their data replaces by the one that the pull request put in its place in the
    product, where the error has the new one."""
    old, new = change
    if role not in (Role.TESTS, Role.DATA) or before.base is None or old is None or new is None:
        return None
    pair = retold(old, new, before.base, before.head)
    return Follows(*pair, in_text=True) if pair and pair[1].strip() in text else None


def _reasons(path: str, change: Change, role: Role, errors: tuple[CIError, ...], before: Before) -> Iterator[str]:
    """Reasons why the file is behind all of the errors, though none is reported in it."""
    old, new = change
    tests = tuple({name for e in errors for name in (e.file, (e.test or "").partition("::")[0]) if name})
    complaint = ReportedFailures("\n".join(f"{e.message}\n{e.excerpt}" for e in errors), tests, before.head)
    yield missing_part(path, change, role, complaint)
    if old is None or new is None:
        return
    if role in (Role.DATA, Role.JUDGE) and _was_broken(path, old, new):
        yield "it could not be read"
    if role is Role.TESTS and before.base and (name := _renamed(old, new, errors, before)):
        yield f"this pull request renamed {name}"
    if role is Role.TESTS and (name := _replaced_as_advised(old, new, errors, before.head)):
        yield f"{name} is gone, and the error itself names what to use instead"
    if role is Role.JUDGE and before.base and (name := _renamed_file(old, new, complaint.text, before)):
        yield f"this pull request renamed the file {name}"
    if MANIFEST.search(path) and missing_modules([complaint.text]) and only_adds(old, new):
        yield "a dependency is missing"


def _mended(path: str, change: Change, role: Role, text: str, base: TreeView | None) -> Follows | None:
    """The word that a file outside the product misspells, and the right one, if a change does nothing but mend it on
    lines that the pull request wrote. The right one is nearly the same, and the base has it there, or the error itself
    lists it. Of settings an error names the wrong one somehow; tests and their data have to use what isn't known,
    rather than to expect it."""
    old, new = ((side or b"").splitlines() for side in change)
    known = frozenset(((base.read(path) if base else None) or b"").splitlines())
    lines = [(was, now) for was, now in zip(old, new, strict=False) if was != now]
    pairs = {_one_word(was, now) for was, now in lines}
    pair = pairs.pop() if len(pairs) == 1 and len(old) == len(new) else None
    if pair is None or not known or any(was in known for was, _ in lines):
        return None
    wrong = words_of(text) if role is Role.JUDGE else unknown_words(text)
    is_listed = pair[1] in listed_words(text) and closest_name(pair[0], {pair[1]})
    meant = is_listed or (is_slip(*pair) and all(now in known for _, now in lines))
    return Follows(*pair) if pair[0] in wrong and meant else None


def _one_word(was: bytes, now: bytes) -> tuple[str, str] | None:
    """(old, new) where two lines differ in one word alone, which may stand on them more than once."""
    old, new = (WHOLE.findall(line.decode("utf-8", "replace")) for line in (was, now))
    pairs = {(gone, come) for gone, come in zip(old, new, strict=False) if gone != come}
    rest = {WHOLE.sub("", line.decode("utf-8", "replace")) for line in (was, now)}
    return pairs.pop() if len(pairs) == len(rest) == 1 and len(old) == len(new) else None


def _named(error: CIError, path: str, role: Role) -> bool:
    """Whether an error is reported in a file; a tool may name its own settings only in its message."""
    if error.file is not None or role is not Role.JUDGE:
        return error.file == path
    return bool(re.search(rf"(?<![\w.-]){re.escape(path)}(?![\w/-])", f"{error.message}\n{error.excerpt}"))


def _was_broken(path: str, old: bytes, new: bytes) -> bool:
    """Whether a file could not be parsed before and can be now, with the same words in it."""
    read = json.loads if path.endswith(".json") else _toml if path.endswith(".toml") else None
    same = re.findall(rb"\w+", old) == re.findall(rb"\w+", new)
    return read is not None and same and not _loads(read, old) and _loads(read, new)


def _toml(data: bytes) -> object:
    return tomllib.loads(data.decode())


def _loads(read: Callable[[bytes], object], data: bytes) -> bool:
    try:
        read(data)
    except (ValueError, RecursionError):
        return False
    return True


def _renamed(old: bytes, new: bytes, errors: tuple[CIError, ...], before: Before) -> str:
    """The old name, if a change to a test only replaces one name by another, an error reports the old one as missing,
    and a file of the pull request now has the new one instead."""
    swap = swapped(old, new)
    if swap is None:
        return ""
    old_name, new_name = swap
    text = "\n".join(f"{e.message}\n{e.excerpt}" for e in errors)
    if any(match[1].rpartition(".")[2].encode() == old_name for match in NO_MODULE.finditer(text)):
        return old_name.decode() if _moved(old_name, new_name, before) else ""
    missing = {name for match in GONE.finditer(text) for name in match.groups()}
    if old_name.decode() in missing and _swapped(old_name, new_name, before):
        return old_name.decode()
    unexpected = {match[1] for match in UNEXPECTED.finditer(text)}
    parameter = old_name.decode() in unexpected and _rewritten(old_name, new_name, _word(old_name), before)
    return old_name.decode() if parameter else ""


def _replaced_as_advised(old: bytes, new: bytes, errors: tuple[CIError, ...], head: TreeView) -> str:
    """The old name, if a change to a test only replaces it by the one that every error names in its place. What the
    repository itself defines is not gone: a test of it says that it should stay."""
    swap = swapped(old, new)
    if swap is None:
        return ""
    gone, come = (word.decode() for word in swap)
    for error in errors:
        advice = advice_of(error)
        if advice is None or advice.new_name != come or not advice.may_replace(gone):
            return ""
    return "" if _is_defined(swap[0], head) else gone


def _follows(change: Change, before: Before) -> Follows | None:
    """The one name that a change replaces and its replacement, if the pull request did the same to a definition of the
    product, and the product defines the old name nowhere any more."""
    swap = swapped(*change)
    if swap is None or not _rewritten(*swap, _definition(swap[0]), before):
        return None
    return None if _is_defined(swap[0], before.head) else Follows(swap[0].decode(), swap[1].decode())


def _rewritten(gone: bytes, come: bytes, where: re.Pattern[bytes], before: Before) -> bool:
    """Whether the pull request put one word in the place of another on a line of the product that `where` matches, and
    changed nothing else of the line."""
    head, base = before
    for path in base.paths() if base else ():
        if base and not is_test(path) and head.blob(path) not in (None, base.blob(path)):
            old, new = (set((view.read(path) or b"").splitlines()) for view in (base, head))
            lost = (line for line in old - new if where.search(line))
            if any(_word(gone).sub(come, line) in new - old for line in lost):
                return True
    return False


def _word(name: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"(?<!\w)" + re.escape(name) + rb"(?!\w)")


def _definition(name: bytes) -> re.Pattern[bytes]:
    return re.compile(
        rb"\b(?:def|class|function|func|fn|const|let|var)[ \t]+%(name)s\b|^[ \t]*%(name)s[ \t]*[:=]"
        % {b"name": re.escape(name)},
        re.MULTILINE,
    )


def _is_defined(name: bytes, head: TreeView) -> bool:
    """Whether a file of the product defines the name."""
    defined = _definition(name)
    return any(defined.search(head.read(path) or b"") for path in head.paths() if not is_test(path))


def _renamed_file(old: bytes, new: bytes, text: str, before: Before) -> str:
    """The old name of a file, if a change to settings or a script only replaces it by the one that the pull request
    gave that file, and an error says the old one."""
    gone, come = swapped(old, new) or (b"", b"")
    name = gone.decode("utf-8", "replace")
    said = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) if name else None
    return name if said and _moved(gone, come, before) else ""


def _moved(gone: bytes, come: bytes, before: Before) -> bool:
    """Whether the pull request gave a file another name: the same bytes lie in the same folder under the new one."""
    head, base = before
    for path in base.paths() if base else ():
        renamed = _with_stem(path, gone, come)
        if base and renamed and not head.mode(path) and not base.mode(renamed):
            return head.blob(renamed) == base.blob(path)
    return False


def _with_stem(path: str, old: bytes, new: bytes) -> str:
    """The path of a module with another name; empty where `old` is not its name."""
    folder, name = posixpath.split(path)
    if name == "__init__.py":
        above, package = posixpath.split(folder)
        return posixpath.join(above, new.decode(), name) if package.encode() == old else ""
    stem, suffix = posixpath.splitext(name)
    return posixpath.join(folder, new.decode() + suffix) if stem.encode() == old else ""


def _swapped(gone: bytes, come: bytes, before: Before) -> bool:
    """Whether a file of the pull request has lost one name and gained the other."""
    head, base = before
    for path in base.paths() if base else ():
        if base and head.blob(path) not in (None, base.blob(path)):
            old_words, new_words = set(WORD.findall(base.read(path) or b"")), set(WORD.findall(head.read(path) or b""))
            if gone in old_words - new_words and come in new_words - old_words:
                return True
    return False
