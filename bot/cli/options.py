"""Options and arguments that several commands share, so that their names are the same everywhere."""

from pathlib import Path
from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line, for programs.")]
Clone = Annotated[Path, typer.Option("--repo", help="A clone, or a folder in it.")]
Where = Annotated[Path, typer.Argument(metavar="PATH", help="A clone, or a folder in it.", show_default=False)]
Commands = Annotated[
    list[str] | None,
    typer.Option(
        "--run", metavar="CMD", help="Run this command in this folder, in place of what CI runs; may be repeated."
    ),
]
InWorkflow = Annotated[
    str, typer.Option("--workflow", metavar="NAME", help="Only of this workflow (`*` fits anything).")
]
InJob = Annotated[str, typer.Option("--job", metavar="NAME", help="Only of this job.")]
InStep = Annotated[str, typer.Option("--step", metavar="NAME", help="Only this step; its number in the job will do.")]
InMatrix = Annotated[
    list[str] | None,
    typer.Option("--matrix", metavar="KEY=VALUE", help="Only the job's combinations with this value; may be repeated."),
]
Base = Annotated[
    str, typer.Option("--base", metavar="REF", help="What this work starts from; else the default branch is looked up.")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Run checks again that are stored for this very code.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes on stderr.")]
Proposals = Annotated[
    list[str], typer.Argument(metavar="ID…", help="Ids of fixes (the start of one is enough), or: all")
]

HERE = Path()
