"""What fixers share that put back what a pull request took away: whose it was, what an error says of it, and how it is
offered."""

import re
from collections.abc import Iterable, Mapping

from healing.causes.unknown_words import words_of
from healing.model import Candidate, CIError
from healing.repair.fixers.fixer import Case, Fixer
from healing.repair.fixers.losses import AHEAD

PROSE = (".md", ".rst", ".txt", ".adoc")
TEXT = 4_000  # characters of an error that are read
MODIFIERS = (
    rb"(?:(?:export|default|async|pub(?:\([\w: ]{1,50}\))?|public|private|protected|static|final|abstract|inline|extern"
    rb"|unsafe|const|declare|readonly)\s+){0,5}"
)
KINDS = (
    rb"(?:def|class|function\*?|func(?:[ \t]*\([^()\n]{1,100}\))?"
    rb"|fn|let|var|type|interface|struct|enum|trait|mod|#define)"
)
ASSIGNED = (
    rb"(?:export[ \t]+)?(?:const[ \t]+)?(?:self\.|this\.|exports\.)?([A-Za-z_$][\w$]*)"
    rb"[ \t]*(?::[^=\n]{1,200})?=(?![=>])"
)
# A function or its prototype in C, at the start of a line.
IN_C = (
    rb"^(?!(?:return|await|throw|else|new|yield|export)\b)(?:[A-Za-z_]\w{0,60}[ \t*]{1,4}){1,5}(\w+)[ \t]*"
    rb"\([^;{}\n]{0,300}[;{,)]\s*$"
)
DECLARED = re.compile(rb"^[ \t]*(?:%b%b[ \t]+(\w+)|%b)|%b" % (MODIFIERS, KINDS, ASSIGNED, IN_C), re.MULTILINE)
METHOD = re.compile(  # of a class in JavaScript
    rb"[ \t]+(?:(?:static|async|get|set)[ \t]+){0,3}(?!(?:if|for|while|switch|catch|with|function)\b)(#?[\w$]+)[ \t]*"
    rb"\([^;]{0,300}\)[ \t]*\{\s*$"
)


def words_of_errors(errors: Iterable[CIError]) -> frozenset[str]:
    """The words of errors, of what was printed about them, and of their tests' names."""
    return words_of("\n".join(f"{e.message[:TEXT]}\n{e.excerpt[:TEXT]}\n{e.test or ''}" for e in errors))


def owners_of(old: list[bytes], first: int, end: int) -> frozenset[str]:
    """The names of the definitions that lines are within, and of the one below them if they are decorators."""
    code = [line for line in old[first:end] if line.strip()]
    below = next((line for line in old[end:] if line.strip() and not AHEAD.match(line)), b"")
    heads = [below] if all(map(AHEAD.match, code)) else []
    indent = min(map(_indent, code))
    for line in reversed(old[:first]):
        if line.strip() and _indent(line) < indent:
            indent = _indent(line)
            heads.append(line)
    found = (DECLARED.match(head) or METHOD.match(head) for head in heads)
    return frozenset(match[1].decode() for match in found if match and match[1])


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def put_back(case: Case, fixer: Fixer, changes: Mapping[str, bytes], what: str, place: str) -> Candidate | None:
    """A candidate that brings back something at a place, with a mark."""
    why = (
        "This pull request removed it, and what is left of the code still needs it. If that is meant, reject this, and "
        "change what needs it."
    )
    candidate = case.candidate(fixer, changes, f"Put back {what}", why)
    flags = (f"puts back what this change removed at {place}",)
    return candidate and candidate.model_copy(update={"flags": flags})


def shown(lines: Iterable[bytes]) -> str:
    """The first of some lines that isn't empty, short and for a title."""
    text = next((line.strip() for line in lines if line.strip()), b"")
    return text.decode("utf-8", "replace").replace("`", "'")[:60]
