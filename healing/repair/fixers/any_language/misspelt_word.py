"""A word on a line of the pull request that nothing else in the repository says, and that is nearly what was meant: a
key, a value, a setting, a member that only a run misses."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from healing.causes.unknown_words import WHOLE, listed_words, unknown_words, words_of
from healing.graph import is_test
from healing.graph.names import closest_name
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.losses import changes
from healing.spelling import is_slip

WORD = re.compile(WHOLE.pattern.encode())
QUOTED = re.compile(rb"[\"'`]([A-Za-z_][\w-]{2,60})[\"'`]")
CODE = (".py", ".pyi", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".go", ".rs", ".java", ".c", ".cc")
MAX_FILES, MAX_LINES = 100, 2_000  # files of a change; lines that it wrote
MAX_READ, MAX_BYTES = 3_000, 500_000  # files that are searched for a word, and the longest
TEXT = 4_000  # characters of an error that are read


@dataclass(frozen=True)
class WrittenLine:
    """A line that the pull request wrote, and the one in whose place, if that is clear."""

    file: str
    row: int
    now: bytes
    was: bytes | None = None


@dataclass(frozen=True)
class Respelling:
    """One word of a line, and what it should be."""

    line: WrittenLine
    wrong: str
    right: str
    why: str

    @property
    def mended(self) -> bytes:
        return _with(self.line.now, self.wrong, self.right)


@dataclass(frozen=True)
class MisspeltWord:
    """The right word is the one that the line had before, one that the error itself lists, or the one near word among
    the repository's strings. Where an error says one of the two words, that comes first."""

    name: str = "misspelt_word"
    certainty: int = 80

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        if repo.before is not None and len(repo.changed) <= MAX_FILES:
            yield from limited(self._candidates(Case.of(cause, errors, repo)))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        text = "\n".join(f"{e.message[:TEXT]}\n{e.excerpt[:TEXT]}" for e in case.errors)
        words, unknown, spelling = words_of(text), unknown_words(text), Spelling(case.repo, text)
        slips = [slip for line in _written(case.repo) for slip in _slips(line, spelling)]
        # A test may expect another word: there an error has to say that the wrong one, or the right one, isn't known.
        known = [s for s in slips if s.wrong in unknown or (s.right in unknown and s.wrong in words)]
        possible = [s for s in slips if not is_test(s.line.file) or s in known]
        for slip in sorted(_meant(case.repo, possible, unknown), key=lambda slip: not {slip.wrong, slip.right} & words):
            lines = (case.repo.view.read(slip.line.file) or b"").splitlines(keepends=True)
            for other in slips:
                if (other.wrong, other.right, other.line.file) == (slip.wrong, slip.right, slip.line.file):
                    lines[other.line.row] = other.mended
            title = f"Write `{slip.right}` for `{slip.wrong}`"
            yield case.candidate(self, {slip.line.file: b"".join(lines)}, title, slip.why, with_tests=True)


def _written(repo: Repo) -> Iterator[WrittenLine]:
    """The lines that the pull request wrote."""
    left, before = MAX_LINES, frozenset(repo.before.paths() if repo.before else ())
    for file in (*repo.changed, *[path for path in repo.view.paths() if path not in before][:MAX_FILES]):
        old, new = (((v.read(file) if v else None) or b"").splitlines(keepends=True) for v in (repo.before, repo.view))
        for _, i1, i2, j1, j2 in changes(old, new):
            left -= j2 - j1
            if left < 0:
                return
            paired = i2 - i1 == j2 - j1
            yield from (
                WrittenLine(file, row, new[row], old[row - j1 + i1] if paired else None) for row in range(j1, j2)
            )


@dataclass(frozen=True)
class Spelling:
    """What a text of errors and a repository tell of single words; each is read once, and only if it is needed."""

    repo: Repo
    text: str

    def meant(self, wrong: str) -> tuple[str, str] | None:
        """(right, why) for a word that may be misspelt."""
        if wrong not in self._known:
            self._known[wrong] = self._look_up(wrong)
        return self._known[wrong]

    def _look_up(self, wrong: str) -> tuple[str, str] | None:
        if wrong in self._words and (right := closest_name(wrong, self._listed - {wrong})):
            return right, f"The error itself says that `{right}` is known, and `{wrong}` is not."
        if wrong in self._unknown and (right := closest_name(wrong, self._strings - {wrong})):
            return right, f"Nothing else says `{wrong}`; the only close match is `{right}`."
        if wrong not in self._words and (right := closest_name(wrong, self._unknown)):
            return right, f"`{right}` is missing, and nothing else says `{wrong}`."
        return None

    @cached_property
    def _known(self) -> dict[str, tuple[str, str] | None]:
        return {}

    @cached_property
    def _words(self) -> frozenset[str]:
        return words_of(self.text)

    @cached_property
    def _listed(self) -> frozenset[str]:
        return listed_words(self.text)

    @cached_property
    def _unknown(self) -> frozenset[str]:
        return unknown_words(self.text)

    @cached_property
    def _strings(self) -> frozenset[str]:
        """The words that stand alone in quotes in the repository."""
        return frozenset(word.decode() for data in _texts(self.repo) for word in QUOTED.findall(data))


def _slips(line: WrittenLine, spelling: Spelling) -> Iterator[Respelling]:
    """The slips that a line may hold: the one that the line before it shows, or those that the error shows."""
    if line.was is not None and (pair := _respelt(line.was, line.now)):
        why = f"Before this pull request {line.file} had `{pair[1]}` there, and nothing else says `{pair[0]}`."
        yield Respelling(line, *pair, why)
        return
    words = QUOTED if line.file.endswith(CODE) else WORD
    for wrong in dict.fromkeys(word.decode() for word in words.findall(line.now)):
        if meant := spelling.meant(wrong):
            yield Respelling(line, wrong, *meant)


def _respelt(was: bytes, now: bytes) -> tuple[str, str] | None:
    """(wrong, right) where a line differs from the one before in a single word, which is nearly the same."""
    old, new = WORD.findall(was), WORD.findall(now)
    pairs = {(a.decode(), b.decode()) for a, b in zip(new, old, strict=False) if a != b}
    if len(old) != len(new) or len(pairs) != 1:
        return None
    wrong, right = pairs.pop()
    return (wrong, right) if is_slip(wrong, right) and _with(now, wrong, right) == was else None


def _with(line: bytes, wrong: str, right: str) -> bytes:
    return re.sub(rb"(?<!\w)(?<!\w-)" + re.escape(wrong.encode()) + rb"(?![\w-])", right.encode(), line)


def _meant(repo: Repo, slips: list[Respelling], unknown: frozenset[str]) -> list[Respelling]:
    """The slips whose wrong word stands on no other line of the repository: what is said twice is meant, unless an
    error says that it isn't known, and all of its lines can be mended together."""
    counts = _lines_with(repo, {slip.wrong.encode() for slip in slips}) if slips else Counter[bytes]()
    found: list[Respelling] = []
    for slip in slips:
        same = [s for s in slips if (s.wrong, s.right, s.line.file) == (slip.wrong, slip.right, slip.line.file)]
        is_all = len(same) == counts[slip.wrong.encode()]
        if is_all and slip == same[0] and (len(same) == 1 or slip.wrong in unknown):
            found.append(slip)
    return found


def _lines_with(repo: Repo, words: set[bytes]) -> Counter[bytes]:
    """On how many lines of the repository each of the words stands."""
    lines = (line for data in _texts(repo) for line in data.split(b"\n"))
    return Counter(word for line in lines for word in words.intersection(WORD.findall(line)))


def _texts(repo: Repo) -> Iterator[bytes]:
    for path in [*repo.changed, *(p for p in repo.view.paths() if p not in repo.changed)][:MAX_READ]:
        data = repo.view.read(path) or b""
        if len(data) <= MAX_BYTES and b"\0" not in data[:1000]:
            yield data
