"""Words, or the indentation, that a line lost and that others still need: a default, a base class, an exception that is
handled, the `f` of a string."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from healing.graph import is_test
from healing.model import Candidate, Category, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.losses import MAX_FILES, MAX_TOKENS, TOKEN, changes
from healing.repair.fixers.lost import DECLARED, PROSE, owners_of, put_back, shown, words_of_errors

SLIPS = ((b"f",), (b"r",), (b"b",), (b"rb",), (b"fr",), (b",",), (b"await",))  # a string's prefix, a comma, a wait
OPTIONAL = frozenset((b"|", b"None", b"Optional", b"[", b"]"))  # of a type
# What an error says of an expression that can't be compiled.
PATTERN = re.compile(
    r"\bre\.error|PatternError|unterminated subpattern|[Ii]nvalid regular expression|error parsing regexp"
)
TEXT = 1_000
TEXTS = re.compile(rb"\"(?:[^\"\\\n]|\\.){0,400}\"|'(?:[^'\\\n]|\\.){0,400}'")


@dataclass(frozen=True)
class LostWords:
    """Only of the product, and only where the line is as it was before without them. The fix is marked."""

    name: str = "lost_words"
    certainty: int = 60

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        if repo.before is not None and len(repo.changed) <= MAX_FILES and cause.category is not Category.FORMAT:
            yield from limited(self._candidates(Case.of(cause, errors, repo)))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        error_words = words_of_errors(case.errors)
        marks = any(PATTERN.search(error.message[:TEXT]) for error in case.errors)
        for line in _shortened(case.repo):
            if line.is_missed(error_words) or (marks and line.words and not any(word.isalnum() for word in line.words)):
                rows = (case.repo.view.read(line.file) or b"").splitlines(keepends=True)
                rows[line.row] = line.was
                place = f"{line.file}:{line.row + 1}"
                yield put_back(case, self, {line.file: b"".join(rows)}, f"`{shown((line.was,))}`", place)


@dataclass(frozen=True)
class Shortened:
    """A line that is as it was before, but for words or an indentation that it lost. `head`: the function or class that
    it begins, if it does. `reworded`: a text on it says less; that may be meant."""

    file: str
    row: int
    was: bytes
    words: tuple[bytes, ...]
    head: str
    owners: frozenset[str]
    reworded: bool

    def is_missed(self, error_words: frozenset[str]) -> bool:
        """Whether an error that says these words is about what was lost: it says one of the words, the class whose head
        lost them, or the function whose head lost a default; or it says `None`, which a type has no longer. A parameter
        is not put back: its function may do without. What is in SLIPS is one wherever it is lost."""
        names = {word.decode("utf-8", "replace") for word in self.words}
        if self.reworded:
            return False
        if OPTIONAL >= set(self.words) > set():
            return "None" in error_words
        if not self.words:  # nothing but the indentation
            return self.file.endswith(".py") and bool(error_words & self.owners)
        if self.head and not self.was.lstrip().startswith((b"class", b"export class")):
            return self.head in error_words and self.words[0] == b"="
        return self.words in SLIPS or bool(error_words & {*names, *([self.head] if self.head else [])})


def _shortened(repo: Repo) -> Iterator[Shortened]:
    """The product's lines that the pull request made shorter."""
    for file in repo.changed:
        if is_test(file) or file.endswith(PROSE):
            continue
        old, new = (((v.read(file) if v else None) or b"").splitlines(keepends=True) for v in (repo.before, repo.view))
        for kind, i1, i2, j1, j2 in changes(old, new):
            for was, row in zip(range(i1, i2), range(j1, j2), strict=False) if kind == "replace" else ():
                lost = _words_lost(old[was], new[row])
                only_spaces = lost == () and old[was].lstrip() != new[row].lstrip()  # inside the line
                if lost is not None and not only_spaces and i2 - i1 == j2 - j1:
                    match = DECLARED.match(old[was])
                    head = match[1].decode() if match and match[1] else ""
                    reworded = not set(TEXTS.findall(old[was])) >= set(TEXTS.findall(new[row]))
                    yield Shortened(file, row, old[was], lost, head, owners_of(old, was, was + 1), reworded)


def _words_lost(was: bytes, now: bytes) -> tuple[bytes, ...] | None:
    """The words that a line has no longer; none where only its indentation changed; None where it has others, too."""
    old, new = TOKEN.findall(was), TOKEN.findall(now)
    if not new or len(old) > MAX_TOKENS or len(new) > len(old):
        return None
    rest = iter(old)
    if not all(any(word == other for other in rest) for word in new):
        return None
    left = Counter(old) - Counter(new)
    return tuple(word for word in old if word in left)
