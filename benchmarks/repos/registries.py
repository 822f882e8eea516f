"""Source releases from pip, npm and apt, as this machine is set up for them; kept in a folder from run to run."""

import asyncio
import os
import re
import shutil
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.repos.cases import CaseError, Repository
from healing.process.shell import Completed, run

SECONDS = 300  # for one call of a registry's client
ARCHIVES = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".zip")
SYSTEM_LISTS = Path("/etc/apt")
END = 800  # characters of a failed command that are shown


@dataclass(frozen=True)
class Registries:
    """`cache` keeps archives by what was asked for."""

    cache: Path

    async def unpack(self, repository: Repository, into: Path) -> None:
        """Makes `into` what the one top folder of the release holds. Raises CaseError."""
        archive = await self.archive(repository.registry, repository.requirement)
        into.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=into.parent) as place:
            try:
                await asyncio.to_thread(_unpack, archive, Path(place))
            except (OSError, tarfile.TarError, zipfile.BadZipFile) as error:
                raise CaseError(f"{archive.name} can't be unpacked: {error}") from error
            found = sorted(Path(place).iterdir())
            if len(found) != 1 or not found[0].is_dir():
                raise CaseError(f"{archive.name} has no single top folder")
            shutil.rmtree(into, ignore_errors=True)
            found[0].rename(into)

    async def archive(self, registry: str, requirement: str) -> Path:
        """The archive of a release. Raises CaseError where the registry does not give one."""
        place = self.cache / f"{registry}-{re.sub(r'[^A-Za-z0-9.=@+~-]', '_', requirement)}"
        if not place.is_dir():
            self.cache.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self.cache) as unfinished:
                folder = Path(unfinished) / "got"
                folder.mkdir()
                argv = await self._argv(registry, requirement)
                await _called(argv, folder)
                folder.rename(place)
        found = [file for file in sorted(place.iterdir()) if file.name.endswith(ARCHIVES)]
        # Debian's own changes have an archive, and so have further parts ("…orig-types.tar…") of some packages.
        upstream = [file for file in found if ".orig.tar." in file.name] or [
            file for file in found if ".debian.tar." not in file.name
        ]
        if len(upstream) != 1:
            names = ", ".join(file.name for file in found) or "none"
            raise CaseError(f"one source archive of {requirement} was expected, and there is {names}")
        return upstream[0]

    async def _argv(self, registry: str, requirement: str) -> list[str]:
        if registry == "pypi":
            name = re.split(r"[=<>!~\[; ]", requirement, maxsplit=1)[0]
            quiet = (sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q")
            return [*quiet, "--no-deps", "--no-binary", name, "-d", ".", requirement]
        if registry == "npm":
            return ["npm", "pack", "--silent", requirement]
        return [
            "apt-get",
            *await self._lists(),
            "source",
            "-q",
            "--download-only",
            "--tar-only",
            "--only-source",
            requirement,
        ]

    async def _lists(self) -> list[str]:
        """Options under which apt-get knows the source packages of the system's archives. Its lists are of their own,
        so that the system's stay as they are."""
        place = self.cache / "apt"
        parts, lists = place / "parts", place / "lists"
        own = ["-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={parts}"]
        own += ["-o", f"Dir::State::lists={lists}"]
        own += ["-o", "APT::Sandbox::User=root"] if os.geteuid() == 0 else []
        if not (place / "complete").exists():
            for folder in (parts, lists):
                folder.mkdir(parents=True, exist_ok=True)
            _source_lists(SYSTEM_LISTS, parts)
            await _called(["apt-get", *own, "-q", "update"], place)
            (place / "complete").touch()
        return own


def _source_lists(system: Path, parts: Path) -> None:
    """Writes the system's package lists as lists of source packages, in both forms that apt has."""
    folder = system / "sources.list.d"
    for file in sorted(folder.glob("*.sources")):
        text = re.sub(r"(?mi)^Types:.*$", "Types: deb-src", file.read_text())
        (parts / file.name).write_text(text)
    lines: dict[str, None] = {}
    for file in (system / "sources.list", *sorted(folder.glob("*.list"))):
        text = file.read_text() if file.exists() else ""
        lines |= {f"deb-src {rest}\n": None for rest in re.findall(r"(?m)^deb(?:-src)?[ \t]+(.+)$", text)}
    (parts / "binary-as-source.list").write_text("".join(lines))


async def _called(argv: list[str], folder: Path) -> Completed:
    try:
        ended = await run(argv, cwd=folder, env=os.environ, timeout=SECONDS)
    except OSError as error:
        raise CaseError(f"{argv[0]} can't be started: {error.strerror}") from error
    if ended.exit_code != 0:
        raise CaseError(f"the download failed ({ended_how(ended)}): {' '.join(argv)}\n{end_of(ended)}")
    return ended


def ended_how(ended: Completed) -> str:
    """How a command that is not green ended, in words."""
    return ended.why or f"exit code {ended.exit_code}"


def end_of(ended: Completed) -> str:
    """The last that a command printed."""
    return ended.output.decode("utf-8", "replace").strip()[-END:]


def _unpack(archive: Path, into: Path) -> None:
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as zipped:
            zipped.extractall(into)
    else:
        with tarfile.open(archive) as packed:
            packed.extractall(into, filter="data")


def version_of(repository: Repository) -> str:
    """The release as its tag names it. Debian's epoch and revision are not upstream's; a tag can't hold a tilde."""
    version = re.split(r"==?|(?<=.)@", repository.requirement)[-1]
    if repository.registry == "deb":
        version = re.sub(r"^\d+:|-[^-]*$", "", version)
    return version.replace("~", "-") or "0"
