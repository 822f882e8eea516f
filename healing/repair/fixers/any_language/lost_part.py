"""Puts back what this pull request removed and an error says is missing: `export` or `pub` of a name that others use, a
case, an entry or a method that a type demands, the `return` at a function's end."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.graph.outlines import function_rows
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import LIMIT, Case, Repo, limited
from healing.repair.fixers.losses import MAX_FILES, TOKEN, Loss, changes, losses, shifts

TEXT = 2_000  # characters of an error that are read
# The name is there, but not for who uses it.
HIDDEN = re.compile(
    r"declares '([\w$]+)' locally, but it is not exported|has no exported member '([\w$]+)'|"
    r"has no (default) export\b|does not provide an export named '([\w$]+)'|"
    r"(?:^|[ .])([\w$]+)\)? is not a (?:function|constructor)\b|"
    r"[\"']([\w$]+)[\"'] is not exported (?:by|from)|No matching export in \"[^\"]{1,300}\" for import \"([\w$]+)\"|"
    r"[Ee]xport (?:named )?'([\w$]+)'(?: \([^()]{1,200}\))? (?:was )?not found|"
    r"`(\w+)`(?: of [\w ]{1,40} `[\w:]{1,200}`)? is private|unresolved import `(?:\w+::){1,20}(\w+)`|"
    r"\b(\w+)(?:\([^()]{0,300}\))? is not public in"
)
NO_MODULE = re.compile(r"File '([^'\n]{1,300})' is not a module")  # it exports nothing any more
MARK = re.compile(rb"export(?: default)?|pub(?: \( [\w: ]{1,50} \))?|public")
MARKED = re.compile(rb"\s*(?:export(?:\s+default)?|pub(?:\s*\([\w: ]{1,50}\))?|public)\s+")
DECLARED = re.compile(rb"use\b[^\n]{0,300}|[^(=:;{<]{0,300}")  # with the name, before its type or value
EXPORTS = re.compile(
    rb"\s*(?:export\s*(?:type\s*)?[{*]|export\s+default\s+\w+;?\s*$|"
    rb"module\.exports\b|exports\.|pub(?:\([\w: ]{1,50}\))? use\b)"
)
ELSEWHERE = re.compile(rb"\bfrom\s*[\"']|\bpub\b.{0,50}\buse\b")  # what is exported is defined in another file
REEXPORTS = re.compile(rb"\bexport\s*(?:type\s*)?\{[^{}]{0,5000}\}\s*from\s*[\"']")
# What a type still demands.
OWED = re.compile(
    r"non-exhaustive patterns: (.{1,300}) not covered|missing fields? (.{1,300}) in initializer|"
    r"not all trait items implemented, missing: (.{1,300})|Property '([\w$]+)' is missing in type|"
    r"is missing the following properties from type .{1,300}?: (.{1,300})|"
    r"does not implement inherited abstract member '?([\w$]+)|"
    r"(?:Type|of type) '(?:\"|\w+\.)([\w$]+)\"?' is not assignable to (?:parameter of )?type 'never'|"
    r"\"Literal\[['\"]?(?:\w+\.){0,9}(\w+)['\"]?\]\??\"; expected \"(?:Never|NoReturn)\"|"
    r"\(missing method (\w+)\)|\(missing (\w+) method\)|"
    r"without an implementation for abstract method '(\w+)'|with abstract (?:method|attribute) \"?(\w+)|"
    r"does not override abstract method (\w+)|Missing key \"(\w+)\" for TypedDict"
)
PATTERN = re.compile(r"(?:\w+::){0,20}([A-Za-z_$][\w$]*)(?=[({ .]|$)(?!\.\.)")
PARTIAL = re.compile(r"\b(?:more|others?|other fields?)\b")  # of a list that is cut short
IMPLEMENTS = re.compile(r"(\w+) does not implement \w")  # Go: the methods of which type
# A function that waits must be `async`.
WAITS = re.compile(
    r"\bawait\b[`'\"]?(?: expressions)? (?:is|are) only (?:valid|allowed)|"
    r"'(?:await|async \w+)' outside (?:async )?function|Unexpected reserved word"
)
# What a value looks like that nobody waited for.
NOT_AWAITED = re.compile(r"is not a function\b|\bPromise\b|\bundefined\b|is not iterable|is not a constructor")
# A function must end with what was taken away.
ENDING = re.compile(
    r"lacks ending return statement|[Mm]issing return\b|Not all code paths return a value|"
    r"control reaches end of non-void"
)
ENDS = frozenset((b"return", b"throw", b"raise", b"panic"))


@dataclass(frozen=True)
class LostPart:
    """Only what is gone from one place and is named nowhere else in the change: somebody who removes a thing on
    purpose touches its other uses as well."""

    name: str = "lost_part"
    certainty: int = 86

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        if repo.before is not None and len(repo.changed) <= MAX_FILES:
            yield from limited(self._candidates(Case.of(cause, errors, repo)))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        for error in [*{error.message: error for error in case.errors}.values()][:LIMIT]:
            text = f"{error.message[:TEXT]}\n{error.excerpt[:TEXT]}"
            if NOT_AWAITED.search(error.message[:TEXT]) and (found := _no_longer_awaited(case.repo)):
                yield self._candidate(case, error, found, "Wait for the value again", True)
            if hidden := HIDDEN.search(error.message[:TEXT]):
                name = next(filter(None, hidden.groups())).encode()
                found = [loss for loss in losses(case.repo, case.repo.changed) if _is_hidden(case.repo, loss, name)]
                yield self._candidate(case, error, found, f"Make `{name.decode()}` visible again", len(found) == 1)
            elif no_module := NO_MODULE.search(error.message[:TEXT]):
                found = _all_hidden(case.repo, no_module[1])
                yield self._candidate(case, error, found, f"Export from {no_module[1]} again", bool(found))
            elif owed := OWED.search(text):
                names = _names(next(filter(None, owed.groups())))
                found = _owed(case.repo, names, IMPLEMENTS.search(text))
                yield self._candidate(case, error, found, f"Put back {_listed(names)}", bool(found))
            elif WAITS.search(error.message[:TEXT]) and error.file:
                found = _no_longer_async(case.repo, error.file)
                yield self._candidate(case, error, found, "Make the function `async` again", len(found) == 1)
            elif ENDING.search(error.message[:TEXT]) and error.file and error.line:
                found = _ending(case.repo, error.file, error.line)
                yield self._candidate(case, error, found, "Put back the deleted `return`", len(found) == 1)

    def _candidate(self, case: Case, error: CIError, found: list[Loss], title: str, is_clear: bool) -> Candidate | None:
        paths = {loss.path for loss in found}
        if not is_clear or len(paths) != 1:
            return None
        path = paths.pop()
        lines = (case.repo.view.read(path) or b"").splitlines(keepends=True)
        for loss in reversed(found):  # which are in the file's order
            lines[loss.at : loss.at + loss.replaced] = loss.lines
        why = (
            f"This pull request removed it from {path}, and {error.file}:{error.line} still needs it. If that is "
            f"meant, reject this, and change what needs it."
        )
        return case.candidate(self, {path: b"".join(lines)}, title, why)


def _all_hidden(repo: Repo, path: str) -> list[Loss]:
    """Everything in a file that is no longer exported; empty where that may be meant of one of them."""
    found = [loss for loss in losses(repo, repo.changed) if loss.path == path and _is_marked(loss)]
    declared = [names[-1] if (names := TOKEN.findall(_declared(loss))) else b"" for loss in found]
    return found if all(_is_hidden(repo, loss, name) for loss, name in zip(found, declared, strict=True)) else []


def _is_marked(loss: Loss) -> bool:
    return bool(loss.replaced and MARK.fullmatch(b" ".join(loss.words)))


def _declared(loss: Loss) -> bytes:
    """The declaration that lost a word, without its type or value."""
    match = DECLARED.match(MARKED.sub(b"", loss.head).lstrip())
    return match[0] if match else b""


def _is_hidden(repo: Repo, loss: Loss, name: bytes) -> bool:
    """Whether the loss is what made the name visible to others, and nothing else that has the name changed."""
    if _is_marked(loss):
        declared = TOKEN.findall(_declared(loss)) if name != b"default" else loss.words
        return name in declared and shifts(repo, name) == ({loss.path: -1} if name == b"default" else {})
    if name not in loss.words or not any(map(EXPORTS.match, (loss.head, loss.opener))):
        return False
    now = repo.view.read(loss.path) or b""
    of = {name} if name != b"default" else {*loss.words} - {b"export", name, b";"}
    exists = of <= set(TOKEN.findall(now)) or ELSEWHERE.search(loss.head) or REEXPORTS.search(now)
    return bool(exists) and shifts(repo, name) == {loss.path: -loss.words.count(name)}


def _names(listed: str) -> list[bytes]:
    """The names in a message's list, of Rust's patterns (`&shop::Unit::Week(_)`) the last; none where some are left
    out. What only a wildcard covers is `_`."""
    quoted = re.findall(r"`([^`]{1,100})`", listed)
    if PARTIAL.search(listed.rpartition("`")[2]):
        return []
    found = [PATTERN.match(part.strip(" &")) for part in quoted or listed.split(",")]
    return list(dict.fromkeys(match[1].encode() if match else b"_" for match in found))


def _listed(names: list[bytes]) -> str:
    return ", ".join(f"`{name.decode()}`" for name in names)


def _owed(repo: Repo, names: list[bytes], implements: re.Match[str] | None) -> list[Loss]:
    """The losses that had all of the names; empty where one is not clear."""
    owner = implements[1].encode() if implements else b""
    everything = list(losses(repo, repo.changed))
    found: list[Loss] = []
    for name in names:
        having = [loss for loss in everything if name in (loss.words if loss.replaced else TOKEN.findall(loss.head))]
        having = [loss for loss in having if not owner or owner in TOKEN.findall(loss.head)]
        if len(having) != 1 or shifts(repo, name) != {having[0].path: -having[0].words.count(name)}:
            return []
        found += having
    return [loss for loss in everything if loss in found]


def _no_longer_async(repo: Repo, file: str) -> list[Loss]:
    """The functions of a file that lost the word, if nothing else in the change shows that they need not wait."""
    found = [loss for loss in losses(repo, repo.changed) if loss.path == file and loss.words == (b"async",)]
    is_all = shifts(repo, b"async") == {file: -1} and shifts(repo, b"await") == {}
    return found if is_all else []


def _braces(data: bytes, line: int) -> tuple[int, int] | None:
    """The 0-based rows from the start of a C function to the bracket that closes it at the line's start."""
    lines = data.splitlines()
    if not 0 < line <= len(lines) or not lines[line - 1].startswith(b"}"):
        return None
    opening = (row for row in range(line - 2, -1, -1) if re.match(rb"\{|[A-Za-z_].*\{\s*$", lines[row]))
    first = next(opening, None)
    return None if first is None else (first, line - 1)


def _no_longer_awaited(repo: Repo) -> list[Loss]:
    """The one line that lost the word, if nothing else in the change shows that it need not wait."""
    found = [loss for loss in losses(repo, repo.changed) if loss.words == (b"await",)]
    is_all = len(found) == 1 and shifts(repo, b"await") == {found[0].path: -1} and shifts(repo, b"async") == {}
    return found if is_all else []


def _ending(repo: Repo, file: str, line: int) -> list[Loss]:
    """The loss of a `return` in the function around a line, if that is all that changed in there."""
    old, new = ((view.read(file) or b"") for view in (repo.before, repo.view) if view is not None)
    rows = function_rows(file, new, line) or _braces(new, line)
    if rows is None or file not in repo.changed:
        return []
    first, last = rows
    different = changes(old.splitlines(keepends=True), new.splitlines(keepends=True))
    inside = [kind for kind, _, _, j1, j2 in different if j1 <= last and j2 > first]
    found = [loss for loss in losses(repo, (file,)) if not loss.replaced and first < loss.at <= last]
    return found if inside == ["delete"] and len(found) == 1 and ENDS & set(found[0].words) else []
