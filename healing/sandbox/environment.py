"""The clean environment that every sandboxed command starts with, and the folder that it starts in."""

import os
import posixpath

from healing.process.owner import Owner
from healing.process.shell import Completed
from healing.sandbox.job import Job
from healing.sandbox.network import secret_in
from healing.sandbox.reporting import ReportChannel

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
    "GIT_CONFIG_NOSYSTEM": "1",  # under Landlock the system file is unreadable, and git fails then
    "GIT_TERMINAL_PROMPT": "0",
    "NO_COLOR": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
    # A build that has seen these files before would print an old answer, and no test would run.
    "NX_SKIP_NX_CACHE": "true",
    "TURBO_FORCE": "true",
}

OF_CI = ("CI", "LANG", "LC_ALL", "TZ")  # taken from a person's own shell where there is one


def inside_environment(job: Job, temporary: str, report: ReportChannel, own_shell: bool = False) -> dict[str, str]:
    """The whole environment of a job whose private temporary folder is `temporary`; contains nothing of Heal's own.
    `own_shell`: the job has the variables of a person's shell, not of CI."""
    clean = {name: value for name, value in CLEAN.items() if not (own_shell and name in OF_CI)}
    return {**clean, "HOME": temporary, "TMPDIR": temporary, **job.env, **report.env}


def inside_folder(job: Job, owner: Owner | None, layered: bool, own_loopback: bool, other_uid: bool = False) -> str:
    """The job's folder below its worktree, `.` for the worktree itself. Raises ValueError when the job can't or may not
    run: its folder lies outside, it would run as root, it needs layers or a network where they are not available, or it
    contains characters that no system call accepts. `other_uid`: the sandbox gives it another uid and no capability."""
    if job.overlays() and not layered:
        raise ValueError("there are no overlays here: give the command a whole worktree")
    if job.network and not own_loopback:
        raise ValueError("a set-up step gets a network only under bubblewrap: install it, or take `network` away")
    if job.network and (name := secret_in(job.env)):
        raise ValueError(f"a set-up step with a network must hold no secret, and {name} looks like one: take it away")
    if (owner.uid if owner else os.geteuid()) == 0 and not other_uid:
        raise ValueError("nothing from a repository runs as root: let sandbox_owner() name who runs it")
    if (
        not job.argv
        or "=" in job.argv[0]
        or any(bad in name for name in job.env for bad in ("=", "\0"))
        or "" in job.env
    ):
        raise ValueError("the command or a variable has a name that none can have: fix the workflow file")
    if any("\0" in word or not _encodes(word) for word in (*job.argv, *job.env, *job.env.values(), job.cwd)):
        raise ValueError("the command, its folder or a variable holds a character that none can have")
    folder = posixpath.normpath(job.cwd or ".")
    if folder.startswith("/") or folder.split("/")[0] == "..":
        raise ValueError(f"the folder {job.cwd!r} lies outside the worktree: name one inside it")
    return folder


def _encodes(word: str) -> bool:
    try:
        os.fsencode(word)
    except UnicodeEncodeError:
        return False
    return True


def not_run(job: Job, why: str, output: bytes = b"") -> Completed:
    """The result of a command that was never started; `why` is the reason."""
    return Completed(job.argv, None, output, 0.0, why=why)
