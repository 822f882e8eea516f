"""`heal replay`: runs a recorded run again, offline."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.options import AsJson
from bot.cli.printing import outcome_lines
from bot.cli.shell import EXIT_ERRORS_LEFT, EXIT_HEALTHY, put, put_json, wait_for

if TYPE_CHECKING:
    from bot.runs.recording import Recording
    from bot.runs.replaying import Replayed

Which = Annotated[
    str, typer.Argument(metavar="RUN|FILE", help="A file of `heal export`, or the start of a run's id or commit.")
]
Story = Annotated[bool, typer.Option("--story", help="Only tell what was recorded; run nothing.")]


def replay(run: Which, story: Story = False, as_json: AsJson = False) -> int:
    """Run an exported run again, offline: each step returns what it returned then, without network, models or checks.

    Exit code 0: it ended as before. 1: it ended in another way, or reached a step that was not recorded, because
    Heal's code between the steps has changed, or because something was masked.

    Example: heal replay heal-run-3f2a77b1.json.gz
    """
    return wait_for(_replay(run, story, as_json))


async def _replay(name: str, story: bool, as_json: bool) -> int:
    from bot.runs.replaying import replay as replayed
    from bot.settings import read_settings

    recording = await _recording(name)
    if story:
        _print_recording(recording, as_json)
        return EXIT_HEALTHY
    done = await replayed(recording, read_settings())
    same = not done.differs and not done.missing
    if as_json:
        outcome = None if done.outcome is None else done.outcome.model_dump(mode="json")
        put_json({"same": same, "differs": done.differs, "missing": done.missing, "outcome": outcome})
    else:
        _print_replayed(recording, done, same)
    return EXIT_HEALTHY if same else EXIT_ERRORS_LEFT


async def _recording(name: str) -> "Recording":
    """The recording in a file, else of a run in the store. Raises UserError."""
    from bot.runs.recording import read
    from bot.settings import read_settings
    from bot.store.database import Database

    if Path(name).is_file():
        return read(Path(name))
    from bot.runs.exporting import export

    settings = read_settings()
    async with await Database.open(settings.store_url) as database:
        return await export(database, settings, name, with_code=True)


def _print_recording(recording: "Recording", as_json: bool) -> None:
    if as_json:
        put_json(recording.model_dump(mode="json", exclude={"objects", "failure"}))
        return
    kinds = Counter(step.kind for step in recording.steps)
    put(f"run {recording.run_id} of Heal {recording.heal}: {len(recording.steps)} steps")
    put("  " + ", ".join(f"{count} × {kind}" for kind, count in sorted(kinds.items())))
    for line in outcome_lines(recording.outcome) if recording.outcome else ("it did not end",):
        put(line)


def _print_replayed(recording: "Recording", done: "Replayed", same: bool) -> None:
    for line in outcome_lines(done.outcome) if done.outcome else ():
        put(line)
    put(f"{done.steps} stored steps were read back; nothing was run, asked or fetched")
    if same:
        put("it ended as it had ended")
        return
    if done.missing:
        put(f"not recorded: {', '.join(sorted(set(done.missing)))}", "31")
    if done.differs:
        put(f"it ended otherwise: {', '.join(done.differs)}", "31")
    if recording.masked:
        put(f"{recording.masked} texts were masked in the recording; that may be why")
