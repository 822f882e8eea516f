"""`heal apply` writes proposals into the working tree; shared with `heal rollback`: all files or none."""

import os
import stat
import tempfile
from pathlib import Path

import typer

from bot.cli.shell import EXIT_ERRORS_LEFT, EXIT_HEALTHY, JSON_OPTION, print_json, wait_for
from handlers.errors import UserError
from handlers.ports import ProposalStatus
from healing.edits import Changes, EditError, apply_edits
from healing.model import Edit, Proposal

PATH = typer.Option(Path(), "--repo", help="A clone.")


def apply(
    idents: list[str] = typer.Argument(..., metavar="ID…", help="Proposals, or `all` that are pending."),
    path: Path = PATH,
    as_json: bool = JSON_OPTION,
) -> int:
    """Apply proposals to the working tree; undo with `heal rollback`."""
    return wait_for(_each(idents, path, as_json, "applied", ("pending", "rolled-back")))


def edits_for(proposal: Proposal, status: ProposalStatus, read) -> tuple[Edit, ...]:  # type: ignore[no-untyped-def]
    """The edits that bring a proposal to `status`: forwards where they fit best, or its reverse."""
    if status != "applied":
        return proposal.reverse
    try:
        apply_edits(proposal.wide, read)
    except EditError:
        return proposal.edits
    return proposal.wide


async def _each(
    idents: list[str], path: Path, as_json: bool, to: ProposalStatus, from_: tuple[ProposalStatus, ...]
) -> int:
    from bot.cli.proposals import chosen
    from bot.local import NUMBER, local_repo
    from bot.settings import read_settings

    failed = 0
    async with local_repo(path, read_settings()) as repo:
        stored = await repo.store.proposals(NUMBER)
        wanted = [p for p in stored if p.status in from_] if idents == ["all"] else [chosen(stored, i) for i in idents]
        for one in wanted:
            why = "" if one.status in from_ else f"it is {one.status}"
            why = why or change_files(repo.root, one.proposal, to)
            if not why:
                await repo.store.update_proposal(one.model_copy(update={"status": to}))
            failed += bool(why)
            if as_json:
                print_json({"id": one.proposal.id, "status": one.status if why else to, "why": why})
            else:
                print(f"{one.proposal.id}  {'refused: ' + why if why else to}")
    return EXIT_ERRORS_LEFT if failed else EXIT_HEALTHY


def change_files(root: Path, proposal: Proposal, to: ProposalStatus) -> str:
    """Brings the working tree to `to`; gives why not, and then nothing was changed."""

    def read(file: str) -> bytes | None:
        place = inside(root, file)
        return place.read_bytes() if place.is_file() and not place.is_symlink() else None

    try:
        edits = edits_for(proposal, to, read)
        changes = apply_edits(edits, read)
    except EditError as error:
        return str(error)
    write_all(root, changes, {e.file: e.mode for e in edits if e.kind == "create"})
    return ""


def inside(root: Path, file: str) -> Path:
    """The place of `file` in the clone. Raises UserError where it would lead out of it."""
    place = root / file
    parts = Path(file).parts
    if Path(file).is_absolute() or ".." in parts or ".git" in parts or not place.parent.resolve().is_relative_to(root):
        raise UserError(f"{file} leads out of the clone, so nothing was changed")
    return place


def write_all(root: Path, changes: Changes, modes: dict[str, str]) -> None:
    """Writes each file beside itself and renames it into place, keeping its mode."""
    for file, data in sorted(changes.items()):
        place = inside(root, file)
        if data is None:
            place.unlink()
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(place.stat().st_mode) if place.exists() else int(modes.get(file, "100644")[-3:], 8)
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=".heal-")
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        Path(name).chmod(mode)
        Path(name).replace(place)
