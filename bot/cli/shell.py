"""Shared by all commands: exit codes, error messages, and output for people and for programs."""

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

# Typer bundles a copy of Click and exports only some of its exceptions; all usage errors derive from this one.
ClickException = cast(type[Exception], typer.BadParameter.__mro__[2])

EXIT_HEALTHY, EXIT_ERRORS_LEFT, EXIT_USAGE, EXIT_COULD_NOT_LOOK, EXIT_INTERRUPTED = 0, 1, 2, 3, 130

# Control and bidirectional characters, which untrusted names and logs could use to change what a terminal shows.
_HOSTILE = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}
_HOSTILE |= {code: f"\\u{code:04x}" for code in (0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))}

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # the signals that end a command


class CouldNotReproduce(Exception):
    """It is not known whether the code is healthy or broken (exit code 3)."""


def run_app(app: typer.Typer, argv: Sequence[str] | None) -> int:
    """Runs the app and returns its exit code. Errors that a user can cause print a sentence, never a traceback."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed from outside: `heal list >&-`
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 -- for the whole process
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    words = list(sys.argv[1:] if argv is None else argv)
    _warn_of_unknown_settings()
    code = _ending(app, words, "--json" in words)
    _flush()
    return code


def _warn_of_unknown_settings() -> None:
    """Warns of environment variables with mistyped names of settings. The settings' library is loaded only if the
    environment has any such variable, so that `heal --help` stays fast."""
    if any(name.upper().startswith("HEAL_") for name in os.environ):
        from bot.environment import unknown_setting, unknown_settings

        for name, near in unknown_settings().items():
            note(unknown_setting(name, near))


def _ending(app: typer.Typer, words: list[str], as_json: bool) -> int:
    try:
        result = app(args=words, prog_name="heal", standalone_mode=False)
    except SystemExit as ending:
        # Click exits with 1 if the reader closes the pipe. For help that is no error. Any other command has not
        # determined its exit code yet, and 0 would mean that the code is healthy.
        if "--help" not in words or not isinstance(ending.__context__, BrokenPipeError):
            raise
        _discard_output()
        return EXIT_HEALTHY
    except (KeyboardInterrupt, typer.Abort):
        result = EXIT_INTERRUPTED
    except ClickException as error:
        if as_json:
            return fail(cast(Any, error).format_message(), EXIT_USAGE, as_json)
        cast(Any, error).show()
        return EXIT_USAGE
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


def fail(text: str, code: int, as_json: bool) -> int:
    """Prints on stderr why a command ends with `code`, and returns the code."""
    print(json.dumps({"error": text, "exit_code": code}) if as_json else f"heal: {shown(text)}", file=sys.stderr)
    return code


def wait_for(work: Coroutine[Any, Any, int], afterwards: Callable[[], None] | None = None) -> int:
    """Runs a command's coroutine, then `afterwards`, once all its threads have ended. The first signal of ENDING
    cancels the coroutine, which cleans up; further ones are ignored."""
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
    """The work's exit code; 128 and the signal's number if a signal ended it, as in shells."""
    import asyncio

    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    received: list[int] = []

    def end(number: int) -> None:
        received.append(number)
        if len(received) == 1:
            task.cancel()

    for number in ENDING:
        # A signal that is ignored from outside (`nohup`) stays ignored.
        if threading.current_thread() is threading.main_thread() and signal.getsignal(number) != signal.SIG_IGN:
            loop.add_signal_handler(number, end, number)
    try:
        return await work
    except asyncio.CancelledError:
        if not received:
            raise
        return 128 + received[0]
    finally:
        # When the loop closes it removes its handlers, and a signal would kill the process.
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)


def put(text: str, style: str = "") -> None:
    """Prints a line for people. `style` is the number of a terminal colour, which is used on terminals only."""
    text = shown(text)
    coloured = style and sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    _print(f"\x1b[{style}m{text}\x1b[0m" if coloured else text)


def put_json(value: object) -> None:
    """Prints one JSON object on one line."""
    _print(json.dumps(value, ensure_ascii=False, default=str))


def note(text: str) -> None:
    """Prints a note on stderr."""
    print(f"heal: {shown(text)}", file=sys.stderr)


def shown(text: str) -> str:
    """`text` with terminal control characters made visible."""
    return text.translate(_HOSTILE)


def _print(text: str) -> None:
    try:
        print(text, flush=True)
    except BrokenPipeError:
        _discard_output()


def _flush() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()


def _discard_output() -> None:
    """Discards further output after the reader closed the pipe (`heal … | head -1`), so that the exit code stays the
    command's own."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
