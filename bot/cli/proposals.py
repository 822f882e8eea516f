"""`heal list` and `heal show`: print the fixes in the local store."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.clone import open_clone
from bot.cli.options import HERE, AsJson, Clone
from bot.cli.printing import diff_lines, evidence_lines, proposal_line, status_word
from bot.cli.shell import EXIT_HEALTHY, put, put_json, wait_for
from bot.cli.transcripts import transcript_lines, transcripts_of, write_transcripts
from handlers.errors import UserError

if TYPE_CHECKING:
    from bot.laptop.local import LocalRepo
    from handlers.model import StoredProposal

Ident = Annotated[str, typer.Argument(metavar="ID", help="A fix's id, or the start of it.")]
WithTranscript = Annotated[
    bool, typer.Option("--transcript", help="What its agents did, wrote and cost; a report's id will do too.")
]
Place = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the transcript there; else it is printed.")
]


def list_(repo: Clone = HERE, as_json: AsJson = False) -> int:
    """List the fixes for this clone, with what became of them.

    Example: heal list --json
    """
    return wait_for(_list(repo, as_json))


def show(
    ident: Ident,
    repo: Clone = HERE,
    as_json: AsJson = False,
    transcript: WithTranscript = False,
    output: Place = None,
) -> int:
    """Show one fix: its diff, why, and its proof; or what AI agents did for it.

    Example: heal show 3f2a --transcript
    """
    if output and not transcript:
        raise UserError("--output is for transcripts. Add --transcript")
    return wait_for(_show_transcripts(ident, repo, as_json, output) if transcript else _show(ident, repo, as_json))


async def _list(path: Path, as_json: bool) -> int:
    async with open_clone(path) as repo:
        stored = await repo.refreshed()
    for one in stored:
        put_json(one.model_dump(mode="json")) if as_json else put(proposal_line(one.proposal, one.status))
    if not stored and not as_json:
        put("no fixes for this clone yet. Look for some: heal run")
    return EXIT_HEALTHY


async def _show(ident: str, path: Path, as_json: bool) -> int:
    async with open_clone(path) as repo:
        one = chosen(await repo.refreshed(), ident)
        if as_json:
            put_json(one.model_dump(mode="json"))
            return EXIT_HEALTHY
        put_proposal(repo, one)
    return EXIT_HEALTHY


def put_proposal(repo: "LocalRepo", item: "StoredProposal") -> None:
    """Prints a fix for people: its title, explanation, diff and evidence."""
    from healing.edits.exact import EditError
    from healing.git import GitError

    put(proposal_line(item.proposal, item.status))
    put(f"{item.proposal.explanation}\n" + (f"{status_word(item.status)}: {item.reason}\n" if item.reason else ""))
    try:
        view = repo.git.view(item.proposal.base_tree)
        for line, style in diff_lines(item.proposal.edits, {e.file: view.read(e.file) for e in item.proposal.edits}):
            put(line, style)
    except (GitError, EditError):
        put("(the code that it was made for is no longer here, so there is no diff)")
    for line in evidence_lines(item.proposal):
        put(line)
    if item.proposal.dollars:
        put(f"its AI agent's calls cost ${item.proposal.dollars:.4f}. What it said and did: heal show ID --transcript")


async def _show_transcripts(ident: str, path: Path, as_json: bool, output: Path | None) -> int:
    async with open_clone(path) as repo:
        transcripts = await transcripts_of(repo, ident)
    if output:
        lines = [line for one in transcripts for line, _ in transcript_lines(one)]
        whole = [json.dumps(one.model_dump(mode="json"), ensure_ascii=False) for one in transcripts]
        write_transcripts(whole if as_json else lines, output)
        about = {"file": str(output), "transcripts": len(transcripts)}
        put_json(about) if as_json else put(f"{output}: what agents did, {len(transcripts)} of them")
        return EXIT_HEALTHY
    for one in transcripts:
        if as_json:
            put_json(one.model_dump(mode="json"))
            continue
        for line, style in transcript_lines(one):
            put(line, style)
    return EXIT_HEALTHY


def chosen(stored: "tuple[StoredProposal, ...]", ident: str) -> "StoredProposal":
    """The only fix whose id starts with `ident`. Raises UserError if there is none or more than one."""
    fitting = [one for one in stored if ident and one.proposal.id.startswith(ident)]
    if len(fitting) == 1:
        return fitting[0]
    reported = not fitting and ident.startswith("U")  # as `heal run` prints the errors that have no fix
    see = f"See: heal {'unfixable' if reported else 'list'}"
    if not fitting:
        raise UserError(f"no fix here has the id {ident!r}. {see}")
    raise UserError(f"{ident!r} is the start of {len(fitting)} ids; type more of it. {see}")
