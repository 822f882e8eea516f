"""A name that a file of JavaScript or TypeScript uses without importing it, and that one file of the repository
exports."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.graph import is_test
from healing.graph.javascript.resolving import TYPED, UNTYPED
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited

CODE = (*TYPED, *UNTYPED)
UNKNOWN = re.compile(
    r"(?:^|: |\s)([A-Za-z_$][\w$]{1,100}) is not defined|Cannot find name '([A-Za-z_$][\w$]{1,100})'|"
    r"'([A-Za-z_$][\w$]{1,100})' is not defined"
)
IMPORTS = re.compile(  # of names in braces from a file of the repository
    rb"^(?:(?:const|let|var)\s*\{(?P<required>[^{}]{0,2000})\}\s*=\s*require\(\s*['\"](?P<from>\.[^'\"\n]{0,200})['\"]\s*\)"
    rb"|import\s+(?:[\w$]+\s*,\s*)?\{(?P<imported>[^{}]{0,2000})\}\s*from\s*['\"](?P<of>\.[^'\"\n]{0,200})['\"])",
    re.MULTILINE,
)
LISTS = re.compile(rb"^export\s*\{([^{}]{0,4000})\}(?!\s*from\b)", re.MULTILINE)
ANY_IMPORT = re.compile(
    rb"^(?:(?:const|let|var)\s[^\n=]{1,200}=\s*require\([^\n]{1,300}|import\b(?:[^;'\"]{0,2000}from\s*)?['\"][^\n]{1,300})",
    re.MULTILINE,
)
MAX_FILES, MAX_BYTES = 3_000, 400_000


@dataclass(frozen=True)
class MissingJsImport:
    """Into the braces of an import from that file where there is one, else as a line of its own, written as the file's
    other imports are. What the change took away is left to another fixer."""

    name: str = "missing_js_import"
    certainty: int = 85

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        places = dict.fromkeys(
            (name, file) for error in case.errors for name in _names(error) for file in _files(error)
        )
        for name, file in places:
            data = case.repo.view.read(file) or b""
            homes = [] if _was_imported(case.repo, name, file) else _exporting(case.repo, name, file)
            if (
                len(homes) == 1
                and not is_test(homes[0])
                and re.search(rb"(?<![\w$.])%b(?![\w$])" % re.escape(name.encode()), data)
            ):
                why = f"{file} uses `{name}` without importing it; {homes[0]} is the one file that exports it."
                new = _with_import(file, data, name.encode(), homes[0])
                yield case.candidate(self, {file: new}, f"Import `{name}`", why)


def _names(error: CIError) -> list[str]:
    match = UNKNOWN.search(error.message[:1000])
    return [name for name in match.groups() if name] if match else []


def _files(error: CIError) -> list[str]:
    """The files in which the name may be missing: where the error is, and where its stack says."""
    paths = [error.file, *(place.file for place in reversed(error.related))]
    return [path for path in paths if path and path.endswith(CODE)]


def _was_imported(repo: Repo, name: str, file: str) -> bool:
    """Whether the file imported the name at the base: then another fixer brings it back in its place."""
    before = (repo.before.read(file) if repo.before else None) or b""
    word = re.compile(rb"(?<![\w$.])%b(?![\w$])" % re.escape(name.encode()))
    return any(word.search(match[0]) for match in ANY_IMPORT.finditer(before))


def _exporting(repo: Repo, name: str, user: str) -> list[str]:
    """The files, without the one that uses it, that export a name."""
    word = re.escape(name.encode())
    exports = re.compile(
        rb"^(?:module\.)?exports\.%(x)b\s*=(?!=)|\bmodule\.exports\s*=\s*\{[^}]{0,4000}?(?<![\w$.])%(x)b(?![\w$])"
        rb"|^export\s+(?:declare\s+)?(?:async\s+)?(?:function\*?|class|const|let|var|type|interface|enum)\s+%(x)b(?![\w$])"
        % {b"x": word},
        re.MULTILINE,
    )
    listed = re.compile(rb"(?<![\w$])%b(?![\w$])(?!\s+as\b)" % word)
    paths = [p for p in repo.view.paths() if p.endswith(CODE) and p != user and not p.endswith(".d.ts")][:MAX_FILES]
    found: list[str] = []
    for path in paths:
        data = (repo.view.read(path) or b"")[:MAX_BYTES]
        if name.encode() in data and (exports.search(data) or any(map(listed.search, LISTS.findall(data)))):
            found.append(path)
    return found


def _with_import(file: str, data: bytes, name: bytes, home: str) -> bytes:
    for match in IMPORTS.finditer(data):
        group = "required" if match["required"] is not None else "imported"
        specifier = (match["from"] or match["of"]).decode("utf-8", "replace")
        if _leads_to(file, specifier, home):
            start, end = match.span(group)
            return data[:start] + _listed(data[start:end], name) + data[end:]
    return _with_line(file, data, name, home)


def _leads_to(file: str, specifier: str, home: str) -> bool:
    path = posixpath.normpath(posixpath.join(posixpath.dirname(file), specifier))
    bare = posixpath.splitext(home)[0]
    return home == path or bare in (path, posixpath.splitext(path)[0], f"{path}/index")


def _listed(names: bytes, name: bytes) -> bytes:
    """The names in braces, with one more at the end."""
    kept = names.rstrip()
    space = names[len(kept) :]
    if b"\n" in names:
        last = kept.rpartition(b"\n")[2]
        indent = last[: len(last) - len(last.lstrip())]
        comma = b"," if kept.endswith(b",") else b""
        return kept.rstrip(b",") + b",\n" + indent + name + comma + space
    return kept.rstrip(b",") + (b", " if kept.strip() else b" ") + name + (space or b"")


def _with_line(file: str, data: bytes, name: bytes, home: str) -> bytes:
    """The file with an import of its own below the others, or at the top."""
    lines = list(ANY_IMPORT.finditer(data))
    relative = [match[0] for match in lines if re.search(rb"['\"]\.{1,2}/", match[0])]
    like = relative[-1] if relative else lines[-1][0] if lines else b""
    is_module = b"require(" not in like and (bool(like) or file.endswith((".mjs", *TYPED)))
    quote = b'"' if b'"' in like else b"'"
    end = b";" if like.rstrip().endswith(b";") or (not like and b";\n" in data) else b""
    suffix = re.search(rb"\.{1,2}/[^'\"]{0,200}?(\.[cm]?[jt]sx?)['\"]", like)
    path = posixpath.relpath(posixpath.splitext(home)[0], posixpath.dirname(file) or ".")
    path = path if path.startswith(".") else f"./{path}"
    specifier = path.encode() + (suffix[1] if suffix else b"" if relative or not is_module else b".js")
    text = b"import { %b } from %b" if is_module else b"const { %b } = require(%b)"
    row = text % (name, quote + specifier + quote) + end + b"\n"
    at = data.find(b"\n", lines[-1].end() - 1) + 1 if lines else _top(data)
    return data[:at] + (row if lines or not at else b"\n" + row) + data[at:]


def _top(data: bytes) -> int:
    """Behind a line for the shell and `use strict`."""
    match = re.match(rb"(?:#![^\n]*\n)?(?:\s*['\"]use strict['\"];?[ \t]*\n)?", data)
    return match.end() if match else 0
