"""Fetches a project's source distribution with the ordinary pip client, into a cache outside of the repository."""

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
    """The project's files by path, as released. Raises CalledProcessError where pip can't get it."""
    archive = cache() / f"{project.name}-{project.version}.tar.gz"
    if not archive.exists():
        wanted = f"{project.name}=={project.version}"
        # Not `--no-binary :all:`: that would build the build tools from source too, just to read the metadata.
        argv = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", project.name]
        subprocess.run([*argv, "--dest", str(cache()), wanted], check=True, stdin=subprocess.DEVNULL, timeout=280)
    return unpacked(archive.read_bytes())


def unpacked(archive: bytes) -> dict[str, bytes]:
    """The regular files of a source distribution, without its outermost folder."""
    files: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar.getmembers():
            path = member.name.partition("/")[2]
            if member.isfile() and path and not any(part in f"{path}" for part in DROPPED):
                taken = tar.extractfile(member)
                files[path] = taken.read() if taken else b""
    return files
