"""What an earlier job makes for a later one: the commands of that job, run before those of the later one.

`actions/download-artifact` takes files that a job named by `needs:` uploaded. They are made again from this very tree.
"""

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace

from healing.checks.check import Script
from healing.checks.expressions import text
from healing.checks.job import Step, WorkflowJob
from healing.checks.recognising import prepares

DOWNLOAD, UPLOAD = "actions/download-artifact@", "actions/upload-artifact@"
PACKAGES = "hynek/build-and-inspect-python-package@"  # it uploads `dist` as Packages
BUILD = "python -m pip install build\npython -m build --outdir dist"


def with_made(steps: Iterable[Step], earlier: Iterable[WorkflowJob]) -> tuple[Step, ...]:
    """The steps; those that download what one of the earlier jobs makes with the commands that make it."""
    jobs = tuple(earlier)
    return tuple(_made(step, jobs) if (step.uses or "").startswith(DOWNLOAD) else step for step in steps)


def _made(download: Step, jobs: tuple[WorkflowJob, ...]) -> Step:
    wanted, into = text(download.given.get("name")), _folder(text(download.given.get("path")))
    for job in jobs:
        for at, step in enumerate(job.steps):
            scripts = tuple(_scripts(job.steps[:at], step, wanted, into))
            if scripts:
                parts = (Step(one.name, one, shown=download.name) for one in scripts)
                return replace(download, parts=tuple(parts), obstacles=())
    return download


def _scripts(before: tuple[Step, ...], upload: Step, wanted: str, into: str) -> Iterator[Script]:
    """What makes what this step uploads, if that is wanted."""
    uses = upload.uses or ""
    if uses.startswith(PACKAGES) and wanted in ("", "Packages"):
        yield Script(name="Build the package", run=BUILD, provides=True)
        yield from _copied("dist", into)
        return
    if not uses.startswith(UPLOAD) or text(upload.given.get("name") or "artifact") not in (
        wanted,
        wanted or "artifact",
    ):
        return
    for step in before:
        for one in step.scripts():
            if one.script is not None and one.reached is not False and prepares(one.script):
                yield one.script.model_copy(update={"provides": True})
    path = text(upload.given.get("path"))
    if path and "\n" not in path.strip():
        yield from _copied(path.strip(), into)


def _copied(made: str, into: str) -> Iterator[Script]:
    """From where the one job has it to where the other wants it: what a folder or a pattern holds."""
    folder, star, _ = made.partition("*")
    source = (folder.rpartition("/")[0] if star else made).removeprefix("./").rstrip("/")
    if into and source != into:
        run = f"mkdir -p {shlex.quote(into)}\ncp -r {shlex.quote(source or '.')}/. {shlex.quote(into)}/"
        yield Script(name=f"Take {source}", run=run, provides=True)


def _folder(path: str) -> str:
    return path.removeprefix("./").rstrip("/")
