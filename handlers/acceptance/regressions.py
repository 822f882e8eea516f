"""Reports errors in the very lines that an applied fix wrote, once for each fix, with the command that reverts it."""

from collections.abc import Iterable
from typing import NamedTuple

from handlers.comments import marks
from handlers.comments.summary import regressions
from handlers.model import Context, Pull, Run, StoredProposal
from handlers.model.refusal import suppress_refusal
from healing.edits.exact import EditError, Read, locate
from healing.logs.fingerprint import identity
from healing.model import CIError, Outcome, Proposal

Lines = list[tuple[str, int, int]]  # file, first and last line


class Suspect(NamedTuple):
    """An applied fix and the new errors in the lines that it wrote."""

    item: StoredProposal
    errors: tuple[CIError, ...]


async def suspects(context: Context, run: Run, pull: Pull, outcome: Outcome) -> tuple[Suspect, ...]:
    """The fixes that the run's commit applied and in whose lines the run found new errors."""
    before = {
        identity(error)
        for other in await context.store.runs(pull.number)
        if other.sha != run.sha and other.outcome is not None
        for error in other.outcome.errors
    }
    new = tuple(error for error in outcome.errors if identity(error) not in before)
    found = []
    for item in await context.store.proposals(pull.number) if new and pull.number else ():
        # Only on the commit that applied it: errors on later ones may have other causes.
        if item.status == "applied" and item.applied_sha == run.sha:
            paths = {edit.file for edit in item.proposal.reverse}
            files = {path: await context.github.file(path, pull.head_sha) for path in paths}
            lines = written(item.proposal, files.get)
            errors = tuple(error for error in new if any(_within(place, lines) for place in _places(error)))
            found += [Suspect(item, errors)] if errors else []
    return tuple(found)


async def report_suspects(context: Context, pull: Pull, suspects: tuple[Suspect, ...]) -> tuple[str, ...]:
    """Posts a comment for each suspect and returns the lines for the check run. Idempotent."""
    texts = []
    for suspect in suspects:
        text = regressions(suspect.item.proposal, pull.head_sha, suspect.errors)
        texts.append(text)
        if not await context.store.observing():
            marker = marks.of_regression(suspect.item.proposal.id)
            with suppress_refusal():  # the check run reports it too
                async with context.pull_lock(pull.number):
                    await context.publisher.answer(pull.number, marker, f"{text}\n\n{marker}", None)
    return tuple(texts)


def written(proposal: Proposal, read: Read) -> Lines:
    """The current place of the lines that an applied proposal wrote; empty if they have changed since."""
    found: Lines = []
    for edit in proposal.reverse:
        data = read(edit.file)
        if data is None:
            continue
        if edit.kind == "delete":  # the proposal created the file
            found.append((edit.file, 1, data.count(b"\n") + 1))
        elif edit.kind == "replace":
            try:
                (span,) = locate(edit.file, (edit.model_copy(update={"anchor": ""}),), data)  # lines move
            except EditError:
                return []
            at = data.count(b"\n", 0, span.start) + 1
            first, last = _changed(edit.old_string.splitlines(), edit.new_string.splitlines())
            if first < last:
                found.append((edit.file, at + first, at + last - 1))
    return found


def _changed(now: list[str], before: list[str]) -> tuple[int, int]:
    """The half-open range of lines in `now` that differ from `before`, since a reverse edit includes unchanged
    lines."""
    most = min(len(now), len(before))
    first = next((i for i in range(most) if now[i] != before[i]), most)
    same = next((i for i in range(most - first) if now[-1 - i] != before[-1 - i]), most - first)
    return first, len(now) - same


def _places(error: CIError) -> Iterable[tuple[str | None, int | None]]:
    """The place of the error and of its stack frames."""
    return ((error.file, error.line), *((frame.file, frame.line) for frame in error.related))


def _within(place: tuple[str | None, int | None], lines: Lines) -> bool:
    file, line = place
    return line is not None and any(file == of and first <= line <= last for of, first, last in lines)
