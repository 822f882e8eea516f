"""`heal show ID --transcript`: prints what the agents did that worked on a fix or on a report."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.shell import shown
from handlers.errors import UserError

if TYPE_CHECKING:
    from bot.laptop.local import LocalRepo
    from healing.repair.agents.transcript import Transcript, TranscriptLine

INDENT = "    "
MAX_IDS = 10  # in the heading


async def transcripts_of(repo: "LocalRepo", ident: str) -> "tuple[Transcript, ...]":
    """The transcripts of the agents that worked on the errors of a fix or a report, by the start of its id. Raises
    UserError if it fits none or several, or if no transcript is stored."""
    from healing.repair.agents.transcript import transcript_of

    run_id, errors = await _named(repo, ident)
    kept = await repo.store.memory(run_id).trajectories()
    found = tuple(transcript_of(one) for one in kept if errors & set(one.errors))
    if not found:
        raise UserError(f"No agent worked on {ident}, or what it did is no longer kept. See: heal list")
    return found


async def _named(repo: "LocalRepo", ident: str) -> tuple[str, set[str]]:
    """The run and the error ids of the fix or report."""
    run = await repo.newest_run()
    left = run.outcome.unfixables if run and run.outcome else ()
    every = [(one.proposal.id, one.run_id, one.proposal.error_ids) for one in await repo.proposals()]
    every += [(report.id, run.run_id or "", report.error_ids) for report in left if run]
    fitting = [(of_run, set(errors)) for name, of_run, errors in every if ident and name.startswith(ident)]
    if len(fitting) != 1:
        see = "See: heal list, heal unfixable"
        if not fitting:
            raise UserError(f"no fix or report here has the id {ident!r}. {see}")
        raise UserError(f"{ident!r} is the start of {len(fitting)} ids; type more of it. {see}")
    return fitting[0]


def transcript_lines(transcript: "Transcript") -> Iterator[tuple[str, str]]:
    """Pairs of a line and its colour: the first message, then the conversation."""
    cost = f"{transcript.calls} model calls, ${transcript.dollars:.4f}, {transcript.seconds:.0f} s"
    ended = "" if transcript.ending == "whole" else f", {transcript.ending}"
    more = len(transcript.errors) - MAX_IDS
    ids = ", ".join(transcript.errors[:MAX_IDS]) + (f" and {more} more" if more > 0 else "")
    yield f"{transcript.specialist} on {ids} ({transcript.model}): {cost}{ended}", "1"
    if transcript.routing:
        best = (f"{one.specialist} {one.confidence:.2f}" for one in transcript.routing.scores[:3])
        yield f"routed among: {', '.join(best)}; chosen: {', '.join(transcript.routing.chosen)}", ""
    if transcript.first:
        yield "heal, as the first message", "36"
        yield from _indented(transcript.first)
    for line in transcript.lines:
        yield from _lines_of(line)


def _lines_of(line: "TranscriptLine") -> Iterator[tuple[str, str]]:
    if line.role == "tool":
        yield f"model calls {line.tool}", "36"
        yield from _indented(line.call or line.asked)
        yield f"{line.tool} {'refuses' if line.failed else 'answers'}", "31" if line.failed else "36"
    else:
        yield f"model  ${line.dollars:.4f}, {line.seconds:.1f} s" if line.role == "model" else "heal", "36"
    yield from _indented(line.text)


def _indented(text: str) -> Iterator[tuple[str, str]]:
    yield from ((f"{INDENT}{row}".rstrip(), "") for row in text.splitlines())


def write_transcripts(lines: Iterable[str], place: Path) -> None:
    """Writes the lines to a file. Raises UserError if that fails."""
    try:
        place.write_text("".join(f"{shown(line)}\n" for line in lines), "utf-8")
    except OSError as error:
        raise UserError(f"{place} can't be written: {error.strerror}. Name another with --output") from error
