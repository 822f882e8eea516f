"""Reproduces the artifacts of earlier jobs: the commands of the earlier job are run before those of the later one.

`actions/download-artifact` takes files that a job named in `needs:` uploaded. They are built again from this very tree.
"""

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace

from healing.checks.check import Script
from healing.checks.expressions import text
from healing.checks.job import Step, WorkflowJob
from healing.checks.recognising import prepares

DOWNLOAD, UPLOAD = "actions/download-artifact@", "actions/upload-artifact@"
PACKAGES = "hynek/build-and-inspect-python-package@"  # uploads `dist` as the artifact Packages
BUILD = "python -m pip install build\npython -m build --outdir dist"


def with_build_commands(steps: Iterable[Step], earlier: Iterable[WorkflowJob]) -> tuple[Step, ...]:
    """The steps, where each one that downloads an artifact of an earlier job gets the commands that build it."""
    jobs = tuple(earlier)
    return tuple(_rebuilt(step, jobs) if (step.uses or "").startswith(DOWNLOAD) else step for step in steps)


def _rebuilt(download: Step, jobs: tuple[WorkflowJob, ...]) -> Step:
    wanted, into = text(download.given.get("name")), _folder(text(download.given.get("path")))
    for job in jobs:
        for index, step in enumerate(job.steps):
            scripts = tuple(_scripts(job.steps[:index], step, wanted, into))
            if scripts:
                parts = (Step(script.name, script, shown=download.name) for script in scripts)
                return replace(download, parts=tuple(parts), obstacles=())
    return download


def _scripts(before: tuple[Step, ...], upload: Step, wanted: str, into: str) -> Iterator[Script]:
    """Yield the scripts that build what this step uploads, if that is the wanted artifact."""
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
        for run_step in step.scripts():
            if run_step.script is not None and run_step.reached is not False and prepares(run_step.script):
                yield run_step.script.model_copy(update={"provides": True})
    path = text(upload.given.get("path"))
    if path and "\n" not in path.strip():
        yield from _copied(path.strip(), into)


def _copied(made: str, into: str) -> Iterator[Script]:
    """Yield a script that copies the contents of a folder or pattern from the uploading job's place to the downloading
    job's."""
    folder, star, _ = made.partition("*")
    source = (folder.rpartition("/")[0] if star else made).removeprefix("./").rstrip("/")
    if into and source != into:
        run = f"mkdir -p {shlex.quote(into)}\ncp -r {shlex.quote(source or '.')}/. {shlex.quote(into)}/"
        yield Script(name=f"Take {source}", run=run, provides=True)


def _folder(path: str) -> str:
    return path.removeprefix("./").rstrip("/")
