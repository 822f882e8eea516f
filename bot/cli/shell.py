"""What all commands share: exit codes, errors in words, and output for people and for programs."""

import io
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, cast

import typer

from handlers.errors import UserError

# Typer carries its own copy of Click and names only some of its exceptions; all usage errors descend from this one.
ClickException = cast(type[Exception], typer.BadParameter.__mro__[2])

EXIT_HEALTHY, EXIT_ERRORS_LEFT, EXIT_USAGE, EXIT_COULD_NOT_LOOK, EXIT_INTERRUPTED = 0, 1, 2, 3, 130

# Control characters, and what turns the direction of text: names and logs are strangers', a terminal obeys them.
_HOSTILE = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}
_HOSTILE |= {code: f"\\u{code:04x}" for code in (0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))}

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # what people and machines end a command with


class CouldNotReproduce(Exception):
    """The third answer: neither healthy nor broken is known (exit code 3)."""


def run_app(app: typer.Typer, argv: Sequence[str] | None) -> int:
    """Runs the app; every ending is an exit code and a sentence, never a traceback for what a user can cause."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    words = list(sys.argv[1:] if argv is None else argv)
    _warn_of_unknown_settings()
    code = _ending(app, words, "--json" in words)
    _flush()
    return code


def _warn_of_unknown_settings() -> None:
    """Names variables that were probably meant as settings. The library behind settings is loaded only where the
    environment has any: `heal --help` has no use for it."""
    if any(name.upper().startswith("HEAL_") for name in os.environ):
        from bot.environment import unknown_setting, unknown_settings

        for name, near in unknown_settings().items():
            note(unknown_setting(name, near))


def _ending(app: typer.Typer, words: list[str], as_json: bool) -> int:
    try:
        result = app(args=words, prog_name="heal", standalone_mode=False)
    except SystemExit as ending:
        # Click ends with 1 where nobody reads to the end. Of help that is no error; of any other answer it is not known
        # what the end would have been, and 0 would call the code healthy.
        if "--help" not in words or not isinstance(ending.__context__, BrokenPipeError):
            raise
        _nobody_listens()
        return EXIT_HEALTHY
    except (KeyboardInterrupt, typer.Abort):
        result = EXIT_INTERRUPTED
    except ClickException as error:
        return _usage(error, as_json)
    except UserError as error:
        return fail(str(error), EXIT_USAGE, as_json)
    except CouldNotReproduce as error:
        return fail(str(error), EXIT_COULD_NOT_LOOK, as_json)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return fail(
            f"{where}{error.strerror or error}. Look at permissions and free space: heal doctor", EXIT_USAGE, as_json
        )
    if result in [128 + number for number in ENDING]:
        return fail("interrupted. Finished work is kept: the same command continues from there", result, as_json)
    return result if isinstance(result, int) else EXIT_HEALTHY


def _usage(error: Any, as_json: bool) -> int:
    if as_json:
        return fail(error.format_message(), EXIT_USAGE, as_json)
    error.show()
    return EXIT_USAGE


def fail(text: str, code: int, as_json: bool) -> int:
    """Says on stderr why a command ends with `code`, and gives it."""
    print(json.dumps({"error": text, "exit_code": code}) if as_json else f"heal: {shown(text)}", file=sys.stderr)
    return code


def wait_for(work: Coroutine[Any, Any, int], afterwards: Callable[[], None] | None = None) -> int:
    """Runs a command's work to its end, then `afterwards`, when no thread of the work is left. The first of ENDING
    cancels the work, which clears up after itself; further ones change nothing."""
    import asyncio

    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        return asyncio.run(_until_signal(work))
    finally:
        try:
            if afterwards is not None:
                afterwards()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


async def _until_signal(work: Coroutine[Any, Any, int]) -> int:
    """The work's exit code; where a signal ended it, the one that shells give for it."""
    import asyncio

    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    received: list[int] = []

    def end(number: int) -> None:
        received.append(number)
        if len(received) == 1:
            task.cancel()

    for number in ENDING:
        # What is ignored from outside (`nohup`) stays ignored.
        if threading.current_thread() is threading.main_thread() and signal.getsignal(number) != signal.SIG_IGN:
            loop.add_signal_handler(number, end, number)
    try:
        return await work
    except asyncio.CancelledError:
        if not received:
            raise
        return 128 + received[0]
    finally:
        # The loop takes its handlers away when it closes; from then on a signal would kill the process at once.
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)


def put(text: str, style: str = "") -> None:
    """A line of the answer for people. `style` is the number of a terminal colour, used on terminals only."""
    text = shown(text)
    coloured = style and sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    _print(f"\x1b[{style}m{text}\x1b[0m" if coloured else text)


def put_json(value: object) -> None:
    """One JSON object on one line."""
    _print(json.dumps(value, ensure_ascii=False, default=str))


def note(text: str) -> None:
    """Something beside the answer, on stderr."""
    print(f"heal: {shown(text)}", file=sys.stderr)


def shown(text: str) -> str:
    """`text` without what a terminal would obey."""
    return text.translate(_HOSTILE)


def _print(text: str) -> None:
    try:
        print(text, flush=True)
    except BrokenPipeError:
        _nobody_listens()


def _flush() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _nobody_listens()


def _nobody_listens() -> None:
    """Whoever read us (`heal … | head -1`) has enough: the rest goes nowhere, and the exit code stays the answer's."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
