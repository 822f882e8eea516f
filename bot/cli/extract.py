"""`heal extract`: a log in, errors out."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import AsJson
from bot.cli.printing import error_line
from bot.cli.shell import EXIT_ERRORS_LEFT, EXIT_HEALTHY, CouldNotLook, note, put, put_json
from handlers.errors import UserError

CHUNK = 1 << 20
NEXT = ". So it is not known whether there are errors: give the job's whole log as text"


def extract(
    log: Annotated[str, typer.Argument(metavar="FILE|-", help="A log file; - or nothing: standard input.")] = "-",
    as_json: AsJson = False,
) -> int:
    """Read a CI log and print the errors in it. Exit code 3: it could not be read, which is not "no errors".

    Example: gh run view --log-failed | heal extract --json
    """
    from healing.logs.reading import read_log

    if log == "-" and sys.stdin.isatty():
        note("reading the log from standard input; end it with Ctrl-D")
    report = read_log(_chunks(log))
    for error in report.errors:
        put_json(error.model_dump(mode="json")) if as_json else put(error_line(error))
    if not report.could_look:
        raise CouldNotLook(_about(log, report.problem) + NEXT)
    if report.problem:
        note(_about(log, report.problem))
    if not report.errors and not as_json:
        put("no errors found")
    return EXIT_ERRORS_LEFT if report.errors else EXIT_HEALTHY


def _about(log: str, problem: str) -> str:
    return f"{'the log on standard input' if log == '-' else log}: {problem}"


def _chunks(name: str) -> Iterator[bytes]:
    if name == "-":
        yield from iter(lambda: os.read(sys.stdin.fileno(), CHUNK), b"")
        return
    try:
        with Path(name).open("rb") as file:
            yield from iter(lambda: file.read(CHUNK), b"")
    except OSError as error:
        raise UserError(f"{name} can't be read: {error.strerror}. Name a log file, or - for standard input.") from error
