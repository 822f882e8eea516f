"""A mark, an indentation or a line that only closes something, which this pull request lost, in files that no parser of
Heal's reads. The check says whether the file is whole again."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.model import Candidate, Category, CIError, RootCause
from healing.repair.fixers.any_language.bracket_slip import ENDINGS
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.losses import Loss, changes, losses
from healing.repair.fixers.punctuation import with_old_punctuation

PARSED = (*ENDINGS, ".py", ".pyi")  # fixers of their own know how these are parsed
DATA = (".json", ".jsonc", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".xml")
SAYS = re.compile(
    r"syntax error|parse error|(?:Parser|Scanner|TOMLDecode|JSONDecode|ParsingError)|unexpected (?:token|end|symbol)"
    r"|[Ee]xpect(?:ed|ing)\b.{1,80}|missing (?:separator|terminating|ending)|unterminated|not (?:closed|terminated)"
    r"|[Ii]llegal character|[Ii]nvalid (?:character|syntax)|reached end of file while parsing"
)
MESSAGE = 1_000  # characters of a message that are searched
CLOSERS = frozenset(b"end fi done esac endif endwhile endfor endforeach endswitch endfunction endmacro".split())
CLOSING = re.compile(rb"[\s\])};,]*\Z")


@dataclass(frozen=True)
class LostMark:
    """The line as it was before, the nearest to the error first; where the error names no file, in the data files that
    the pull request changed."""

    name: str = "lost_mark"
    certainty: int = 84

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        unread = cause.category is Category.SYNTAX or SAYS.search(cause.message[:MESSAGE])
        # What a test expects may be a mark, too, and the change of it meant.
        if repo.before is not None and unread and not any(error.test for error in case.errors):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        changed = [path for path in case.repo.changed if not path.endswith(PARSED)]
        named = {error.file: error.line or 1 for error in reversed(case.errors) if error.file in changed}
        places = named or {path: 1 for path in changed if path.endswith(DATA)}
        for file, line in places.items():
            data = case.repo.view.read(file) or b""
            for new in _restored(case.repo, file or "", data, line - 1):
                why = f"This pull request changed nothing but marks or space there, and {file} can't be read since."
                yield case.candidate(self, {file or "": new}, f"Put back what {file} lost", why)


def _restored(repo: Repo, file: str, data: bytes, row: int) -> Iterator[bytes]:
    lines = data.splitlines(keepends=True)
    before = (repo.before.read(file) if repo.before else None) or b""
    for at, line in with_old_punctuation(data, before, row):
        yield b"".join([*lines[:at], line, *lines[at + 1 :]])
    for kind, first, end, at, _ in changes(before.splitlines(keepends=True), lines):
        lost = before.splitlines(keepends=True)[first:end]
        if kind == "delete" and all(map(CLOSING.match, lost)) and b"".join(lost).strip():
            yield b"".join([*lines[:at], *lost, *lines[at:]])
    for loss in losses(repo, (file,)):
        if not loss.replaced and _closes(loss):
            yield b"".join([*lines[: loss.at], *loss.lines, *lines[loss.at :]])


def _closes(loss: Loss) -> bool:
    """Whether what is lost only closes something."""
    return set(loss.words) <= CLOSERS or bool(CLOSING.match(b"".join(loss.lines)))
