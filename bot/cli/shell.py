"""What all commands share: exit codes, errors in words, printing for people and for programs."""

import asyncio
import json
import sys
from collections.abc import Coroutine, Sequence
from typing import Any

import typer

from handlers.errors import UserError

# Typer carries its own copy of Click and names only some of its exceptions; all usage errors descend from this one.
ClickException = typer.BadParameter.__mro__[2]

EXIT_HEALTHY, EXIT_ERRORS_LEFT, EXIT_USAGE, EXIT_COULD_NOT_LOOK, EXIT_INTERRUPTED = 0, 1, 2, 3, 130

JSON_OPTION = typer.Option(False, "--json", help="Print JSON, one object a line, for programs.")


class CouldNotLook(Exception):
    """The third answer: neither healthy nor broken is known (exit code 3)."""


def run_app(app: typer.Typer, argv: Sequence[str] | None) -> int:
    """Runs the app; every ending is an exit code and a sentence, never a traceback for what a user can cause."""
    words = list(sys.argv[1:] if argv is None else argv)
    as_json = "--json" in words
    try:
        result = app(args=words, standalone_mode=False)
    except typer.Abort:
        return EXIT_INTERRUPTED
    except KeyboardInterrupt:
        print("interrupted; nothing is lost: the same command goes on where it stopped", file=sys.stderr)
        return EXIT_INTERRUPTED
    except ClickException as error:
        error.show()
        return EXIT_USAGE
    except UserError as error:
        return _fail(str(error), EXIT_USAGE, as_json)
    except CouldNotLook as error:
        return _fail(str(error), EXIT_COULD_NOT_LOOK, as_json)
    return result if isinstance(result, int) else EXIT_HEALTHY


def _fail(text: str, code: int, as_json: bool) -> int:
    print(json.dumps({"error": text, "exit_code": code}) if as_json else f"heal: {text}", file=sys.stderr)
    return code


def wait_for(work: Coroutine[Any, Any, int]) -> int:
    """Runs a command's work to its end."""
    return asyncio.run(work)


def print_json(value: object) -> None:
    """One JSON object on one line."""
    print(json.dumps(value, ensure_ascii=False, sort_keys=False, default=str))


async def say(sentence: str) -> None:
    """Progress, for people: on stderr, so that output can be piped."""
    if sys.stderr.isatty():
        print(f"· {sentence}", file=sys.stderr)
