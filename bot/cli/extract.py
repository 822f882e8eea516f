"""`heal extract`: a log in, errors out."""

import sys
from collections.abc import Iterator
from pathlib import Path

import typer

from bot.cli.printing import error_line
from bot.cli.shell import EXIT_ERRORS_LEFT, EXIT_HEALTHY, JSON_OPTION, CouldNotLook, print_json
from handlers.errors import UserError

CHUNK = 1 << 20


def extract(
    log: str = typer.Argument("-", metavar="FILE", help="A log file, or - for standard input."),
    as_json: bool = JSON_OPTION,
) -> int:
    """Read a CI log and print the errors in it.

    Example: gh run view --log-failed | heal extract --json
    """
    from healing.logs.reading import read_log

    report = read_log(_chunks(log))
    for error in report.errors:
        print_json(error.model_dump(mode="json")) if as_json else print(error_line(error))
    if not report.could_look:
        raise CouldNotLook(report.problem or "the log could not be read")
    if report.problem:
        print(f"heal: {report.problem}", file=sys.stderr)
    if not report.errors and not as_json:
        print("no errors found")
    return EXIT_ERRORS_LEFT if report.errors else EXIT_HEALTHY


def _chunks(name: str) -> Iterator[bytes]:
    if name == "-":
        yield from iter(lambda: sys.stdin.buffer.read(CHUNK), b"")
        return
    try:
        with Path(name).open("rb") as file:
            yield from iter(lambda: file.read(CHUNK), b"")
    except OSError as error:
        raise UserError(f"{name} can't be read: {error.strerror}. Name a log file, or - for standard input.") from error
