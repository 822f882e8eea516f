"""Packages of the index, by pip: source distributions, and what they require to run; both kept in a cache folder."""

import asyncio
import os
import re
import sys
import tarfile
import zipfile
from dataclasses import dataclass, field
from importlib.metadata import PathDistribution
from pathlib import Path

from healing.process.shell import run
from healing.sandbox.interpreter import open_to_all, place
from healing.sandbox.temporary import unfinished

SECONDS = 300  # for one call of pip


class Unbuildable(Exception):
    """A case can't be made here; the text says why."""


@dataclass
class Packages:
    """`cache` keeps archives and environments from run to run."""

    cache: Path
    _pip: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def unpack(self, requirement: str, into: Path) -> Path:
        """The top folder of the requirement's source distribution, unpacked below `into`. Raises Unbuildable."""
        archive = await self._archive(requirement)
        await asyncio.to_thread(_unpack, archive, into)
        folders = [path for path in into.iterdir() if path.is_dir()]
        if len(folders) != 1:
            raise Unbuildable(f"{archive.name} has no single top folder")
        return folders[0]

    async def _archive(self, requirement: str) -> Path:
        folder = self.cache / "archives"
        folder.mkdir(parents=True, exist_ok=True)
        async with self._pip:
            found = _archive_in(folder, requirement)
            for more in ((), ("--no-build-isolation",)):
                if found is None:
                    argv = ["download", "--no-deps", "--no-binary", ":all:", *more, requirement, "-d", str(folder)]
                    output = await self._run(argv)
                    found = _archive_in(folder, requirement)
        if found is None:
            raise Unbuildable(f"pip gives no source distribution of {requirement}: {output[-300:]}")
        return found

    async def installed(self, requirement: str) -> Path:
        """A folder with what the requirement needs to run, its own code taken out: what is tested is the repository's,
        and the answer must lie nowhere that Heal could look. Raises Unbuildable."""
        folder = self.cache / "installed" / requirement
        async with self._pip:
            if not folder.exists():
                folder.parent.mkdir(parents=True, exist_ok=True)
                with unfinished(folder.parent) as made:
                    output = await self._run(
                        ["install", "--no-warn-script-location", "--target", str(made), requirement]
                    )
                    if not any(made.iterdir()):
                        raise Unbuildable(f"pip can't install {requirement}: {output[-300:]}")
                    _take_out(made, requirement.partition("==")[0])
                    open_to_all(made)
                    place(made, folder)
        return folder

    @staticmethod
    async def _run(arguments: list[str]) -> str:
        argv = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", *arguments]
        ended = await run(argv, cwd=Path("/"), env=dict(_environment()), timeout=SECONDS)
        return ended.output.decode("utf-8", "replace").strip()


def _environment() -> dict[str, str]:
    """What pip needs of ours: where the index is, and how to get there."""
    named = ("PATH", "HOME", "LANG")
    return {k: v for k, v in os.environ.items() if k in named or k.upper().endswith("_PROXY") or k.startswith("PIP_")}


def _archive_in(folder: Path, requirement: str) -> Path | None:
    name, _, version = requirement.partition("==")
    spelling = re.sub(r"[-_.]+", "[-_.]", name) + "-" + re.escape(version) + r"\.(?:tar\.gz|zip)"
    return next((path for path in sorted(folder.iterdir()) if re.fullmatch(spelling, path.name, re.IGNORECASE)), None)


def _unpack(archive: Path, into: Path) -> None:
    into.mkdir(parents=True, exist_ok=True)
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as files:
            files.extractall(into)
    else:
        with tarfile.open(archive) as files:
            files.extractall(into, filter="data")


def _take_out(folder: Path, name: str) -> None:
    """Removes a distribution's own files; its metadata stays, for those who look up their version."""
    spelling = re.sub(r"[-_.]+", "[-_.]", name)
    for info in folder.glob("*.dist-info"):
        if re.match(rf"{spelling}-\d", info.name, re.IGNORECASE):
            for listed in PathDistribution(info).files or ():
                file = folder / str(listed)
                if ".dist-info" not in listed.parts[0] and file.is_file():
                    file.unlink()
