"""What a reviewer sees of a change: the error, the diff and the code around both, each fenced as data."""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping

from healing.edits.exact import apply_edits
from healing.llm.protocol import Message, Request
from healing.model import CIError, Proposal
from healing.repair.agents import wording
from healing.repair.agents.code_parts import file_text
from healing.repair.agents.contexts import windows
from healing.repair.agents.error_words import facts
from healing.repair.agents.fences import fenced, one_line
from healing.repair.agents.shown_code import code_lines, without_shown_code
from healing.repair.agents.task import Excerpt
from healing.repair.review.opinion import SCHEMA
from healing.verify.second_opinion import Read

ERRORS, FACTS = 3, 1_200  # how many errors are shown, and characters of each
DIFF, CODE, MARKS = 6_000, 4_000, 1_000  # characters
AROUND = 8  # unchanged lines beside each changed one
MAX_TOKENS = 1_500


def request_of(
    model: str, proposal: Proposal, errors: Iterable[CIError], read: Read, nonce: str, again: bool = False
) -> Request:
    """The complete request. `read` returns the files before the change; `again`: the first answer could not be read.
    Raises EditError."""

    def data(text: str, limit: int) -> str:
        return fenced(text, nonce, limit)

    shown, diff = tuple(errors)[:ERRORS], diff_of(proposal, read)
    in_diff = _before(diff) if len(diff) <= DIFF else {}
    code = tuple(part for part in _code(shown, read) if not _lines_of(part) <= in_diff.get(part.file, set()))
    whole = code_lines(code) if len(_text_of(code)) <= CODE else {}  # lines that are cut away are not shown
    words = wording.review(
        nonce=nonce,
        errors=[data(text, FACTS) for text in _texts(shown, in_diff | whole)],
        diff=data(diff, DIFF),
        code=data(_text_of(code), CODE) if code else "",
        marks=data("\n".join(proposal.flags), MARKS) if proposal.flags else "",
        again=again,
    )
    return Request(
        model=model,
        system=wording.review_system(),
        tools=(SCHEMA,),
        trunk=(),  # empty, since the text is sent only once: nothing is written to the cache
        branch=(Message(role="user", blocks=({"type": "text", "text": words},)),),
        effort="low",
        max_tokens=MAX_TOKENS,
    )


def diff_of(proposal: Proposal, read: Read) -> str:
    """The change as a unified diff. Raises EditError."""
    parts: list[str] = []
    for path, new in sorted(apply_edits(proposal.edits, read).items()):
        old = read(path)
        names = (f"a/{path}" if old is not None else "/dev/null", f"b/{path}" if new is not None else "/dev/null")
        parts += difflib.unified_diff(_lines(old), _lines(new), *names, n=AROUND, lineterm="")
    return "\n".join(parts)


def _before(diff: str) -> dict[str, set[str]]:
    """The lines that a diff shows of each file before the change, without indentation."""
    lines: dict[str, set[str]] = {}
    for part in re.split(r"^--- a/", diff, flags=re.M)[1:]:
        file, *rows = part.split("\n")
        lines[file] = {row[1:].strip() for row in rows if row.startswith((" ", "-"))}
    return lines


def _lines_of(part: Excerpt) -> set[str]:
    return {line.strip() for line in part.text.split("\n")} - {""}


def _texts(errors: tuple[CIError, ...], code: Mapping[str, set[str]]) -> Iterator[str]:
    """The errors as text, without code that is shown beside them: the first of each place in full, others by name."""
    places: dict[tuple[str | None, int | None], CIError] = {}
    for error in errors:
        if places.setdefault((error.file, error.line), error) is error or not error.line:
            yield without_shown_code(facts(error), code)
        else:
            yield one_line(f"at the same place: {error.test or error.tool}: {error.message}", FACTS)


def _lines(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").splitlines()


def _code(errors: Iterable[CIError], read: Read) -> tuple[Excerpt, ...]:
    """The code at the places that the errors name; for a failed test that is the test."""
    lines: dict[str, set[int]] = {}
    for error in errors:
        for file, line in ((error.file, error.line), *((r.file, r.line) for r in error.related)):
            if file and line:
                lines.setdefault(file, set()).add(line)
    return windows(lines, read)


def _text_of(code: Iterable[Excerpt]) -> str:
    return "\n\n".join(file_text([excerpt]) for excerpt in code)
