"""`heal extract`: reads logs and prints their errors."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.options import AsJson
from bot.cli.printing import error_line
from bot.cli.shell import EXIT_ERRORS_LEFT, EXIT_HEALTHY, CouldNotReproduce, note, put, put_json
from handlers.errors import UserError

if TYPE_CHECKING:
    from healing.logs.matchers import ProblemMatcher
    from healing.model import CIError

CHUNK = 1 << 20
NEXT = ". So it is not known whether there are errors: give the job's whole log as text"
Logs = Annotated[
    list[str] | None,
    typer.Argument(metavar="[FILE…|-]", help="Logs or reports; - or nothing: standard input.", show_default=False),
]


Matchers = Annotated[
    list[Path] | None,
    typer.Option("--matcher", metavar="FILE", help="Problem matchers (GitHub's JSON) to read with; can be repeated."),
]


ExitCode = Annotated[
    int | None,
    typer.Option(help="How the command ended whose output this is; else the log's own words decide.", min=0, max=255),
]


def extract(logs: Logs = None, as_json: AsJson = False, matcher: Matchers = None, exit_code: ExitCode = None) -> int:
    """Read CI logs and print the errors in them, the most certain of each log first.

    With several files each error's `source` says which. Exit code 3: one could not be read, which is not "no errors".
    With `--exit-code 0` what tools report are warnings, and words that only sound like errors are none.

    Example: gh run view --log-failed | heal extract --json
    """
    names, matchers = logs or ["-"], _matchers(matcher or [])
    count, unread = 0, []
    for name in names:
        errors, problem = _read(name, matchers, exit_code)
        if len(names) > 1 and not as_json:
            put(f"{name}: {len(errors)} errors")
        count += len(errors)
        unread += [problem] if problem else []
        for error in errors:
            error = error.model_copy(update={"source": name}) if len(names) > 1 else error  # noqa: PLW2901
            put_json(error.model_dump(mode="json")) if as_json else put(error_line(error))
    if unread:
        raise CouldNotReproduce("; ".join(unread) + NEXT)
    if not count and not as_json:
        put("no errors found")
    return EXIT_ERRORS_LEFT if count else EXIT_HEALTHY


def _matchers(files: list[Path]) -> "tuple[ProblemMatcher, ...]":
    """The problem matchers of the files. Raises UserError."""
    from healing.logs.matchers import MatcherError, read_matchers, require_unique_owners

    try:
        found = tuple(matcher for file in files for matcher in read_matchers(file.read_bytes()))
        require_unique_owners(matcher.owner for matcher in found)
    except (OSError, MatcherError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"--matcher {' '.join(map(str, files))} can't be used: {why}") from error
    return found


def _read(name: str, matchers: "tuple[ProblemMatcher, ...]", exit_code: int | None) -> "tuple[list[CIError], str]":
    """The errors of one log, the most certain first; and why it could not be read, empty if it could."""
    from healing.logs.matching import Matching
    from healing.logs.reading import LogContext, read_log

    if name == "-" and sys.stdin.isatty():
        note("reading the log from standard input; end it with Ctrl-D")
    matching = Matching(matchers)
    report = read_log(_chunks(name), LogContext(formats=(matching.format(),), exit_code=exit_code))
    about = f"{'the log on standard input' if name == '-' else name}: {report.problem}"
    if report.could_look and report.problem:
        note(about)
    for unread in matching.not_looked.values():
        note(f"{unread.what}: {unread.why}")
    ranked = sorted(report.errors, key=lambda error: (-error.score, error.log_line or 0))
    return ranked, "" if report.could_look else about


def _chunks(name: str) -> Iterator[bytes]:
    if name == "-":
        yield from iter(lambda: os.read(sys.stdin.fileno(), CHUNK), b"")
        return
    try:
        with Path(name).open("rb") as file:
            yield from iter(lambda: file.read(CHUNK), b"")
    except OSError as error:
        raise UserError(f"{name} can't be read: {error.strerror}. Name a log file, or - for standard input.") from error
