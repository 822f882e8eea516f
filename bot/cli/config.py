"""`heal config check` and `heal config schema`: the repository's own `.github/heal.yml`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.options import AsJson
from bot.cli.shell import EXIT_HEALTHY, EXIT_USAGE, put, put_json
from handlers.errors import UserError

if TYPE_CHECKING:
    from bot.repo_config import ConfigProblem, ReadConfig

config = typer.Typer(no_args_is_help=True, help="Look at a repository's .github/heal.yml, and at what it may say.")

File = Annotated[Path | None, typer.Argument(metavar="FILE", help="Else .github/heal.yml of this clone.")]


@config.command()
def check(file: File = None, as_json: AsJson = False) -> int:
    """Check a configuration file: exit code 2 and every problem with its line, if it is not right. That of this clone
    is checked with the files that it names.

    Example: heal config check .github/heal.yml
    """
    from bot.repo_config import read_repo_config

    place = file or _of_clone()
    if file is None and not place.is_file():
        put_json({"file": str(place), "ok": True, "problems": []}) if as_json else put(f"no {place}: the defaults hold")
        return EXIT_HEALTHY
    try:
        read = read_repo_config(place.read_bytes())
    except OSError as error:
        raise UserError(f"{place} can't be read: {error.strerror}") from error
    problems = read.problems or (_of_files(read, place) if file is None else ())
    if as_json:
        listed = [{"line": p.line, "reason": p.reason} for p in problems]
        put_json({"file": str(place), "ok": not problems, "problems": listed})
    else:
        for problem in problems:
            put(f"{place}:{problem.line}: {problem.reason}")
        put("until this is mended the defaults hold; every key: docs/config.md" if problems else f"{place} is right")
    return EXIT_USAGE if problems else EXIT_HEALTHY


def _of_files(read: "ReadConfig", place: Path) -> "tuple[ConfigProblem, ...]":
    """What is wrong with files of the clone that the configuration names; each problem with the line of the name."""
    from bot.repo_config import ConfigProblem

    root, lines = place.parents[1], place.read_text().splitlines()
    _, wrong = read.matchers(lambda path: (root / path).read_bytes() if (root / path).is_file() else None)
    return tuple(
        ConfigProblem(
            next((n for n, line in enumerate(lines, 1) if w.what.split()[-1] in line), 1), f"{w.what}: {w.why}"
        )
        for w in wrong
    )


@config.command()
def schema() -> int:
    """Print the JSON Schema of .github/heal.yml, for editors.

    Example: heal config schema > heal.schema.json
    """
    from bot.repo_config import json_schema

    put_json(json_schema())
    return EXIT_HEALTHY


def _of_clone() -> Path:
    from bot.repo_config import CONFIG_PATH

    here = Path().resolve()
    root = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
    return root / CONFIG_PATH
