"""Fetches a project's source distribution with the ordinary pip client, into a cache outside of the repository."""

import hashlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tests.realworld.projects import Project

DROPPED = ("PKG-INFO", ".egg-info/", "docs/", ".github/", "changelog.d/")  # what no check of ours reads


def cache() -> Path:
    """Where source distributions are kept between runs: HEAL_SDIST_CACHE, else a folder of the system's temp."""
    folder = Path(os.environ.get("HEAL_SDIST_CACHE") or Path(tempfile.gettempdir()) / "heal-sdists")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def fetch(project: Project) -> dict[str, bytes]:
    """The project's files by path, as released. Raises CalledProcessError where pip can't get it, and AssertionError
    where the cache holds something else."""
    archive = cache() / f"{project.name}-{project.version}.tar.gz"
    if not archive.exists():
        _download(project)
    data = archive.read_bytes()
    assert hashlib.sha256(data).hexdigest() == project.sha256, f"{archive} is not what was published; remove it"
    return unpacked(data)


def _download(project: Project) -> None:
    """By hash, since pip runs the distribution's own code to read its metadata.

    Not with `--no-binary :all:`, which would build the build tools from source too."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as wanted:
        wanted.write(f"{project.name}=={project.version} --hash=sha256:{project.sha256}\n")
        wanted.flush()
        argv = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
        argv += ["--no-binary", project.name, "--dest", str(cache()), "--requirement", wanted.name]
        subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, timeout=280)


def unpacked(archive: bytes) -> dict[str, bytes]:
    """The regular files of a source distribution, without its outermost folder."""
    files: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar.getmembers():
            path = member.name.partition("/")[2]
            if member.isfile() and path and not any(part in path for part in DROPPED):
                taken = tar.extractfile(member)
                files[path] = taken.read() if taken else b""
    return files
