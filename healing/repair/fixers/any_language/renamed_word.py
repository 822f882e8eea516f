"""A name that this pull request renamed on its own lines, while other lines still use the old one: they are updated.

For languages whose compiler reports every place; Python has fixers that know its scopes.
"""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from healing.causes import read_message
from healing.graph import is_test
from healing.model import Candidate, Category, CIError, RootCause
from healing.repair.fixers.any_language.inner_tests import inner_tests
from healing.repair.fixers.fixer import Case, Repo, limited

IDENTIFIER = re.compile(rb"[A-Za-z_$][\w$]{1,100}\Z")
TOKEN = re.compile(rb"[A-Za-z_$][\w$]*|\S")
MAX_FILES, MAX_LINES, MAX_TOKENS = 100, 5_000, 200  # changed files; lines of a file; tokens on a line
MAX_TESTS = 500  # test files that are searched for a word
STYLE = re.compile(
    r"(?:snake|camel|pascal|kebab|upper|lower)[ _-]?case|underscore|nam(?:e|ing)[ -](?:style|convention)", re.I
)
MIXED = re.compile(rb"[a-z_]\w*[A-Z]")  # rustc warns about such names, but only once all names are found
ALIKE = 0.5  # similarity from which one line may be a rewrite of the other
UNKNOWN = ("undefined-name", "missing-attribute", "missing-member")
HINT = re.compile(r"did you mean|(?:perhaps|maybe) you meant|similar(?:ly)? name", re.I)  # what follows is right
UNUSED = re.compile(r"\b(?:unused|never (?:used|read)|not used)\b", re.I)
PRIVATE = re.compile(r"\bis private\b|locally, but it is not exported|is not public in|has private access")
# What a string says is no name of the code: `require("path")` names a module, `"mode"` may be a value.
STRING = re.compile(rb"\"(?:[^\"\\\n]|\\.){0,1000}\"")
QUOTED = re.compile(STRING.pattern + rb"|'(?:[^'\\\n]|\\.){0,1000}'")  # but not in Rust, where `'a` is a lifetime
TEXT = re.compile(QUOTED.pattern + rb"|`(?:[^`\\\n]|\\.){0,1000}`")
MESSAGE = 1_000  # characters of a message that are searched


@dataclass(frozen=True)
class RenamedWord:
    """Renames first on the lines that the errors name, then in their whole files, because a stale import that still
    runs is not reported. A test that still uses the old name states the intended interface, so the old name is
    restored; but where the product has the new name alone, in several places, the renaming was meant, and the tests
    follow first. The old name is also restored where a linter objects to how the new name is written."""

    name: str = "renamed_word"
    certainty: int = 89

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        named = [e for e in case.errors if e.file and e.line and not e.file.endswith((".py", ".pyi"))]
        if repo.before is not None and named:
            yield from limited(self._candidates(case, named, errors))

    def _candidates(self, case: Case, named: list[CIError], errors: tuple[CIError, ...]) -> Iterator[Candidate | None]:
        for old, new in renamed_words(case.repo):
            word = _word(old)
            places = [e for e in named if _misses(e, word)]
            objected = _has_style_error(new, errors if places else tuple(named))
            objected |= bool(MIXED.match(new)) and any(e.tool == "rustc" for e in places)
            in_tests = any(_in_a_test(case.repo, e) for e in places)
            if in_tests and not objected and _is_meant(case.repo, old, new):
                yield self._in_tests(case, old, new)
            if objected or in_tests:
                yield self._restoring(case, old, new)
            for whole in (False, True) if places and not _is_slip(old, new, errors) else ():
                yield self._candidate(case, _followed(case, places, word, new, whole=whole), old, new)
            if places and _tests_contain(case.repo, word):
                yield self._restoring(case, old, new)

    def _candidate(self, case: Case, changes: dict[str, bytes], wrong: bytes, right: bytes) -> Candidate | None:
        title = f"Write `{right.decode()}` for `{wrong.decode()}`"
        why = "This pull request renamed it in some places; the uses in the same file follow."
        return case.candidate(self, changes, title, why) if changes else None

    def _in_tests(self, case: Case, old: bytes, new: bytes) -> Candidate | None:
        title = f"Write `{new.decode()}` for `{old.decode()}` in the tests"
        why = "This pull request renamed it in all of the product; the tests follow."
        changes = _tests_followed(case.repo, old, new)
        return case.candidate(self, changes, title, why, with_tests=True) if changes else None

    def _restoring(self, case: Case, old: bytes, new: bytes) -> Candidate | None:
        title = f"Undo this change's renaming of `{old.decode()}` to `{new.decode()}`"
        why = (
            f"It undoes what this pull request renamed, because other code, and maybe a test, has `{old.decode()}`. "
            f"If the new name is meant, reject this, and rename it there."
        )
        changes = _restored(case.repo, old, new)
        candidate = case.candidate(self, changes, title, why) if changes else None
        flags = (f"undoes this change's renaming of {old.decode()} to {new.decode()}",)
        return candidate and candidate.model_copy(update={"flags": flags})


def _misses(error: CIError, word: re.Pattern[bytes]) -> bool:
    """Whether the error is about a use of the word. A declaration that nothing uses any more is right where it is: its
    use was misspelt. And one that is merely out of reach was not renamed."""
    text = HINT.split(error.message[:MESSAGE])[0]
    return not UNUSED.search(text) and not PRIVATE.search(text) and bool(word.search(text.encode()))


def _word(name: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"(?<![\w$])" + re.escape(name) + rb"(?![\w$])")


def _is_slip(old: bytes, new: bytes, errors: tuple[CIError, ...]) -> bool:
    """Whether the new word is the unknown one, and the old one still exists: then a use was misspelt."""
    symbols = {s.encode() for e in errors if (read := read_message(e)).family in UNKNOWN for s in read.symbols[:1]}
    return new in symbols and old not in symbols


def _has_style_error(name: bytes, errors: tuple[CIError, ...]) -> bool:
    """Whether a linter objects to the style of this name."""
    word = _word(name)
    lint = (e for e in errors if e.category is Category.LINT and STYLE.search(e.message[:MESSAGE]))
    return any(word.search(e.message[:MESSAGE].encode()) for e in lint)


def renamed_words(repo: Repo) -> list[tuple[bytes, bytes]]:
    """(old, new) of each identifier that the pull request replaced within a line, the most often replaced first."""
    counts: dict[tuple[bytes, bytes], int] = {}
    for path in repo.changed[:MAX_FILES]:
        assert repo.before is not None
        old, new = ((view.read(path) or b"").splitlines() for view in (repo.before, repo.view))
        if max(len(old), len(new)) > MAX_LINES:
            continue
        text = STRING if path.endswith(".rs") else TEXT
        bare = ((text.sub(b'""', left), text.sub(b'""', right)) for left, right in _rewritten(old, new))
        for pair in (pair for left, right in bare for pair in _replaced(left, right)):
            counts[pair] = counts.get(pair, 0) + 1
    return sorted(counts, key=lambda pair: (-counts[pair], pair))


def _rewritten(old: list[bytes], new: list[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Changed lines, each with the line that replaced it."""
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "replace":
            yield from zip(old[i1:i2], new[j1:j2], strict=False)


def _replaced(left: bytes, right: bytes) -> Iterator[tuple[bytes, bytes]]:
    was, now = TOKEN.findall(left)[:MAX_TOKENS], TOKEN.findall(right)[:MAX_TOKENS]
    matcher = SequenceMatcher(None, was, now, autojunk=False)
    if matcher.ratio() < ALIKE:
        return
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "replace" and i2 - i1 == j2 - j1:
            pairs = zip(was[i1:i2], now[j1:j2], strict=True)
            yield from ((a, b) for a, b in pairs if IDENTIFIER.match(a) and IDENTIFIER.match(b))


def _followed(
    case: Case, errors: list[CIError], word: re.Pattern[bytes], new: bytes, *, whole: bool
) -> dict[str, bytes]:
    """The files of the errors with the new word on their lines, or everywhere."""
    changes: dict[str, bytes] = {}
    for file in sorted({e.file for e in errors if e.file and not is_test(e.file)}):
        data = case.repo.view.read(file) or b""
        all_lines = set(range(1, data.count(b"\n") + 2))
        named = all_lines if whole else {e.line for e in errors if e.file == file and e.line}
        string = STRING if file.endswith(".rs") else QUOTED
        changed = _on_lines(data, named - inner_tests(file, data), word, new, string)
        if changed != data:
            changes[file] = changed
    return changes


def _on_lines(
    data: bytes, wanted: set[int], word: re.Pattern[bytes], new: bytes, keep: re.Pattern[bytes] | None = None
) -> bytes:
    """The lines with the new word, but for the parts that match `keep`."""
    pattern = re.compile(keep.pattern + b"|" + word.pattern) if keep else word

    def replaced(match: re.Match[bytes]) -> bytes:
        return new if word.fullmatch(match[0]) else match[0]

    lines = data.splitlines(keepends=True)
    return b"".join(pattern.sub(replaced, line) if number in wanted else line for number, line in enumerate(lines, 1))


def _in_a_test(repo: Repo, error: CIError) -> bool:
    file = error.file or ""
    return is_test(file) or error.line in inner_tests(file, repo.view.read(file) or b"")


def _is_meant(repo: Repo, old: bytes, new: bytes) -> bool:
    """Whether the pull request wrote the new name in at least two places of the product, and left the old one in none
    of its files of the same kinds."""
    changed = [path for path in repo.changed[:MAX_FILES] if not is_test(path)]
    written = sum(len(_product_lines(repo, path, _word(new)) & _own_lines(repo, path)) for path in changed)
    kinds = {posixpath.splitext(path)[1] for path in changed if _product_lines(repo, path, _word(new))}
    others = [p for p in repo.view.paths() if not is_test(p) and posixpath.splitext(p)[1] in kinds][:MAX_TESTS]
    return written > 1 and not any(_product_lines(repo, path, _word(old)) for path in others)


def _own_lines(repo: Repo, path: str) -> set[int]:
    before = repo.before.read(path) if repo.before else None
    return _own(before or b"", repo.view.read(path) or b"")


def _product_lines(repo: Repo, path: str, word: re.Pattern[bytes]) -> set[int]:
    """The numbers of a file's lines with the word, without those of tests inside it."""
    data = repo.view.read(path) or b""
    if not word.search(data):
        return set()
    lines = {number for number, line in enumerate(data.splitlines(), 1) if word.search(line)}
    return lines - inner_tests(path, data)


def _tests_followed(repo: Repo, old: bytes, new: bytes) -> dict[str, bytes]:
    """The tests that contain the old word, with the new one outside of strings."""
    changes: dict[str, bytes] = {}
    for path in repo.view.paths():
        data = repo.view.read(path) or b"" if is_test(path) or path.endswith(".rs") else b""
        lines = set(range(1, data.count(b"\n") + 2)) if is_test(path) else set(inner_tests(path, data))
        changed = _on_lines(data, lines, _word(old), new, STRING if path.endswith(".rs") else QUOTED)
        if changed != data:
            changes[path] = changed
    return changes


def _tests_contain(repo: Repo, word: re.Pattern[bytes]) -> bool:
    """Whether a test contains the word: a compiler that stops at the product doesn't report it."""
    paths = [path for path in repo.view.paths() if is_test(path) or path.endswith(".rs")]
    return any(_test_contains(path, repo.view.read(path) or b"", word) for path in paths[:MAX_TESTS])


def _test_contains(path: str, data: bytes, word: re.Pattern[bytes]) -> bool:
    if is_test(path) or not word.search(data):
        return bool(word.search(data))
    tests = inner_tests(path, data)
    return any(word.search(line) for number, line in enumerate(data.splitlines(), 1) if number in tests)


def _restored(repo: Repo, old: bytes, new: bytes) -> dict[str, bytes]:
    """The files of the pull request with the old word restored; where a file contained the new one before, only on the
    lines that the pull request rewrote."""
    changes: dict[str, bytes] = {}
    word = _word(new)
    for path in repo.changed[:MAX_FILES]:
        data = repo.view.read(path) or b""
        if repo.before is None or is_test(path) or not word.search(data):
            continue
        before = repo.before.read(path) or b""
        changed = _on_lines(data, _own(before, data), word, old) if word.search(before) else word.sub(old, data)
        if changed != data:
            changes[path] = changed
    return changes


def _own(before: bytes, data: bytes) -> set[int]:
    """The numbers of the lines that differ from before."""
    old, new = before.splitlines(), data.splitlines()
    if max(len(old), len(new)) > MAX_LINES:
        return set()
    opcodes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return {number + 1 for kind, _, _, first, end in opcodes if kind != "equal" for number in range(first, end)}
