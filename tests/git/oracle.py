"""The git binary as the judge, shut off from any configuration of the machine."""

import os
import subprocess
from pathlib import Path

ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@x.test",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@x.test",
    "GIT_AUTHOR_DATE": "1700000000 +0100",
    "GIT_COMMITTER_DATE": "1700000000 +0100",
    "LC_ALL": "C",
}


def git(at: Path, *args: str, data: bytes = b"", ok: tuple[int, ...] = (0,)) -> bytes:
    """Standard output of `git …` in a folder; fails the test on any other exit code."""
    done = subprocess.run(["git", *args], cwd=at, input=data, capture_output=True, env=ENV, check=False)
    assert done.returncode in ok, (args, done.stderr.decode())
    return done.stdout


def word(at: Path, *args: str, data: bytes = b"", ok: tuple[int, ...] = (0,)) -> str:
    return git(at, *args, data=data, ok=ok).decode().strip()


def new_clone(at: Path, files: dict[str, bytes] | None = None, message: str = "start") -> str:
    """A repository with one commit of these files; the commit's id."""
    at.mkdir(parents=True, exist_ok=True)
    git(at, "init", "-q", "-b", "main", ".")
    return commit_files(at, files or {"a.txt": b"one\n"}, message)


def commit_files(at: Path, files: dict[str, bytes], message: str = "more") -> str:
    for name, data in files.items():
        (at / name).parent.mkdir(parents=True, exist_ok=True)
        (at / name).write_bytes(data)
    git(at, "add", "-A")
    git(at, "commit", "-q", "--allow-empty", "-m", message)
    return word(at, "rev-parse", "HEAD")
