"""Generates docs/cli.md from the commands' help: `python -m bot.cli.page`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from bot.cli import app
from bot.cli.helping import SECTIONS

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
AS_SHOWN: dict[str, Any] = {"terminal_width": 100, "max_content_width": 100, "help_option_names": ["-h", "--help"]}
HEAD = """\
# The command line

<!-- Made from the commands' help by `python -m bot.cli.page`; don't edit it here. -->

`heal COMMAND --help` (or `-h`) says all this on your machine, and `heal --install-completion` lets your shell complete
commands, options and paths. Every command that only reads has `--json`: one object a line. Progress goes to standard
error: a bar on a terminal, plain lines elsewhere, nothing with `--quiet`. Colours only where a person looks on, never
with `NO_COLOR`. Ctrl-C ends any command with 130 after it has cleared up; the same command continues from there.

| exit code | meaning |
|---|---|
| 0 | nothing is wrong, all is fixed (what the base branch has too does not count), or done |
| 1 | errors are left |
| 2 | a wrong call, or something is missing on this machine; the reason is on standard error |
| 3 | couldn't check, so it is not known whether anything is wrong; the reason is on standard error |
| 129 | ended by SIGHUP |
| 130 | interrupted |
| 143 | ended by SIGTERM |

With `--json` the reason on standard error is one object too: `{"error": …, "exit_code": …}`.
"""


def page() -> str:
    """The whole page."""
    top: Any = typer.main.get_command(app)
    named = {name for names in SECTIONS.values() for name in names}
    sections = {**SECTIONS, "More": tuple(name for name in top.commands if name not in named)}
    parts = [HEAD]
    for title, names in sections.items():
        here = [name for name in names if name in top.commands]
        parts += [f"\n## {title}\n"] if here else []
        for name in here:
            parts += _sections(top.commands[name], ("heal", name))
    return "".join(parts)


def _sections(command: Any, words: tuple[str, ...]) -> Iterator[str]:
    context = command.context_class(command, info_name=" ".join(words), **AS_SHOWN)
    yield f"\n### `{' '.join(words)}`\n\n```text\n{command.get_help(context).rstrip()}\n```\n"
    for name, inner in getattr(command, "commands", {}).items():
        yield from _sections(inner, (*words, name))


if __name__ == "__main__":
    PAGE.write_text(page())
