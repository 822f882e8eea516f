"""Fetches projects as they were released, with the ordinary clients, into a cache outside of the repository."""

import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tests.realworld.projects import Files

DROPPED = ("PKG-INFO", ".egg-info/", "docs/", ".github/", "changelog.d/")  # what no check of ours reads


class NotHereError(Exception):
    """A project can't be had on this machine; the text says what to do."""


def cache() -> Path:
    """Where source distributions are kept between runs: HEAL_SDIST_CACHE, else a folder of the system's temp."""
    folder = Path(os.environ.get("HEAL_SDIST_CACHE") or Path(tempfile.gettempdir()) / "heal-sdists")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def sdist(name: str, version: str, sha256: str) -> Files:
    """A source distribution's files by path, as released."""
    archive = cache() / f"{name}-{version}.tar.gz"
    if not archive.exists():
        _download(name, version, sha256)
    return unpacked(_proven(archive, sha256))


def _proven(archive: Path, sha256: str) -> bytes:
    """Its bytes. Raises AssertionError where the cache holds something else than what was published."""
    data = archive.read_bytes()
    assert hashlib.sha256(data).hexdigest() == sha256, f"{archive} is not what was published; remove it"
    return data


def _download(name: str, version: str, sha256: str) -> None:
    """By hash, since pip runs the distribution's own code to read its metadata.

    Not with `--no-binary :all:`, which would build the build tools from source too."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as wanted:
        wanted.write(f"{name}=={version} --hash=sha256:{sha256}\n")
        wanted.flush()
        argv = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
        argv += ["--no-binary", name, "--dest", str(cache()), "--requirement", wanted.name]
        _run(argv, "is there a network, or set HEAL_SDIST_CACHE")


def npm_pack(name: str, version: str, sha256: str) -> Files:
    """A package's files as npm's own client gets them."""
    archive = cache() / f"{name}-{version}.tgz"
    if not archive.exists():
        _run(["npm", "pack", f"{name}@{version}", "--silent", "--pack-destination", str(cache())], "Debian: nodejs npm")
    return unpacked(_proven(archive, sha256))


def installed(folder: Path, package: str) -> Files:
    """Files that a Debian package of sources has put there."""
    if not folder.is_dir():
        raise NotHereError(f"{folder} is not there: apt-get install {package}")
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def debian_source(name: str, version: str, sha256: str) -> Files:
    """A source package's upstream files, as apt's own client gets them; it asks the mirror that this machine asks."""
    archive = cache() / f"{name}_{version}.orig.tar.gz"
    if not archive.exists():
        with tempfile.TemporaryDirectory() as folder:
            lists = Path(folder, "sources.list")
            lists.write_text(f"deb-src {_mirror()} {_release()} main\n")
            Path(folder, "lists", "partial").mkdir(parents=True)
            own = ["-qq", f"-oDir::Etc::sourcelist={lists}", "-oDir::Etc::sourceparts=-"]
            own += [f"-oDir::State::lists={folder}/lists", "-oAPT::Sandbox::User=root"]
            _run(["apt-get", *own, "update"], "is this Debian, with a network?")
            _run(["apt-get", *own, "source", "--download-only", name], "is this Debian, with a network?", cache())
    return unpacked(_proven(archive, sha256))


def _release() -> str:
    found = re.search(r"^VERSION_CODENAME=(\w+)$", Path("/etc/os-release").read_text(), re.M)
    return found[1] if found else "stable"


def _mirror() -> str:
    """Where this machine's own packages come from."""
    places = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("debian*"))]
    written = "\n".join(place.read_text() for place in places if place.is_file())
    found = re.search(r"^(?:URIs:|deb) .*?(https?://\S+/debian/?)(?=\s)", written, re.M)
    if not found:
        raise NotHereError("no Debian mirror is named in /etc/apt")
    return found[1]


def _run(argv: list[str], advice: str, folder: Path | None = None) -> None:
    try:
        subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, timeout=280, cwd=folder)
    except (OSError, subprocess.SubprocessError) as error:
        raise NotHereError(f"{error}: {advice}") from error


def unpacked(archive: bytes) -> Files:
    """The regular files of a source distribution, without its outermost folder."""
    files: Files = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar.getmembers():
            path = member.name.partition("/")[2]
            if member.isfile() and path and not any(part in path for part in DROPPED):
                taken = tar.extractfile(member)
                files[path] = taken.read() if taken else b""
    return files
