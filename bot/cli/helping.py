"""The groups of commands: `heal --help` as plain text with headings, and no option that is given twice unnoticed."""

from typing import Any, cast

import typer
from typer.core import TyperCommand, TyperGroup

SECTIONS = {
    "Start here": ("demo", "doctor", "config"),
    "Inspect": ("check", "explain", "extract", "plan", "agents"),
    "Fix": ("run", "review", "list", "show", "apply", "reject", "rollback", "unfixable"),
    "Merge the work of several agents": ("queue",),
    "Run the GitHub App": ("serve", "worker", "stop", "go", "migrate"),
    "Maintain": ("flakes", "export", "replay", "clean"),
}

ENDING = """\
\b
Exit codes:
  0  nothing is wrong, all is fixed (what the base branch has too does not count), or done
  1  errors are left
  2  a wrong call, or something is missing on this machine
  3  couldn't check, so it is not known whether anything is wrong
  130  interrupted; the same command continues from there (143: by SIGTERM, 129: by SIGHUP)

\b
Environment:
  HEAL_DATA  the folder of Heal's data
  NO_COLOR   no colours, also on a terminal
  All other settings: docs/operating.md. Your own can be in ~/.config/heal/config.toml

\b
A first example, in a clone whose tests fail:
  heal run --run "pytest -q" && heal review
"""


class Sentences(TyperGroup):
    """A group whose help has each command with the whole first sentence of its own help."""

    def sections(self, names: list[str]) -> dict[str, list[str]]:
        """The commands by heading."""
        return {"Commands": names}

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the commands to the formatter."""
        for title, names in self.sections(self.list_commands(ctx)).items():
            if names:
                with formatter.section(title):
                    formatter.write_dl([(name, self._short(ctx, name)) for name in names])

    def _short(self, ctx: Any, name: str) -> str:
        command = self.get_command(ctx, name)
        text = " ".join(str(command.help if command else "").partition("\n\n")[0].split())
        sentence, dot, _ = text.partition(". ")
        return sentence + dot.strip()


class Grouped(Sentences):
    """The group of all commands, under the headings of SECTIONS; commands without one come last."""

    def sections(self, names: list[str]) -> dict[str, list[str]]:
        """The commands by heading."""
        found = {title: [name for name in wanted if name in names] for title, wanted in SECTIONS.items()}
        return found | {"More": [name for name in names if not any(name in one for one in found.values())]}


class Once(TyperCommand):
    """A command that refuses a second value for an option that has one: else the first would be dropped unnoticed."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parses the command's words. Raises BadParameter for a repeated option."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for param in self.get_params(ctx):
            repeated = order.count(param) > 1 and not (
                getattr(param, "multiple", False) or getattr(param, "is_flag", False)
            )
            if repeated and param.param_type_name == "option":
                why = "it is given twice, and only one value counts"
                raise typer.BadParameter(why, ctx=ctx, param=cast(Any, param))
        return super().parse_args(ctx, args)


class _Commands(typer.Typer):
    """A group whose commands are `Once`."""

    def command(self, name: str | None = None, **settings: Any) -> Any:
        """Registers a command, as typer.Typer does."""
        return super().command(name, **({"cls": Once} | settings))


def group(text: str, ending: str = "", name: str | None = None) -> typer.Typer:
    """A group of commands. Without Rich, whose import would take longer than everything else that `--help` does."""
    return _Commands(
        name=name,
        help=text,
        epilog=ending or None,
        cls=Grouped if name else Sentences,
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
