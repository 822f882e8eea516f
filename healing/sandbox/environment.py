"""The clean environment that every sandboxed command starts with, and the folder it starts in."""

import os
import posixpath

from healing.sandbox.job import Job, Owner
from healing.shell import Completed

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
CLEAN = {
    "PATH": SYSTEM_PATH,
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "USER": "heal",
    "LOGNAME": "heal",
    "SHELL": "/bin/sh",
    "TERM": "dumb",
    "CI": "true",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "NO_COLOR": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
}


def inside_environment(job: Job, temporary: str) -> dict[str, str]:
    """The whole environment of a job whose private temporary folder is `temporary`; nothing of Heal's own is in it."""
    return {**CLEAN, "HOME": temporary, "TMPDIR": temporary, **job.env}


def inside_folder(job: Job, owner: Owner | None) -> str:
    """The job's folder below its worktree, `.` for the worktree itself. Raises ValueError when it lies outside, or
    when the job would run as root."""
    if (owner.uid if owner else os.geteuid()) == 0:
        raise ValueError("nothing from a repository runs as root: let sandbox_owner() name who runs it")
    folder = posixpath.normpath(job.cwd or ".")
    if folder.startswith(("/", "..")) or "\0" in folder:
        raise ValueError(f"the folder {job.cwd!r} lies outside the worktree: name one inside it")
    return folder


def not_run(job: Job, why: str, output: bytes = b"") -> Completed:
    """The answer for a command that was never started: nothing is known about what it would have said."""
    return Completed(job.argv, None, output, 0.0, why=why)
