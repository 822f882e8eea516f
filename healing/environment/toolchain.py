"""The base environment that checks run in: a Python and the named tools, with nothing of Heal's own."""

import asyncio
import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import Distribution
from pathlib import Path

from healing.process.owner import Owner, hand_over
from healing.process.shell import run
from healing.sandbox.environment import SYSTEM_PATH
from healing.sandbox.interpreter import VERSION, Interpreter, find_interpreter, open_to_all, place
from healing.sandbox.temporary import unfinished
from healing.sandbox.view import View

TOOLS = ("ruff", "black", "mypy", "pytest")
INSTALLERS = ("pip", "setuptools", "wheel")  # so that `pip install` of an installed package can report that
LAYOUT = 2  # increased when the layout changes for the same distributions
SCRIPT = """#!/bin/sh
'''exec' "$(dirname -- "$0")/python" "$0" "$@"
' '''
import sys
from {module} import {name}
sys.exit({call}())
"""


class ToolchainError(Exception):
    """The base environment can't be created or used; the message says why and what to do."""


@dataclass(frozen=True)
class Toolchain:
    """`python` and `bin` are the same paths inside and outside of a sandbox; `readable` is what a job has to make
    readable, `env` what it has to set; `versions` are the available tools, by distribution name. `bare`: the same
    Python with only the installers, which set-up steps build on."""

    python: str
    bin: Path
    readable: tuple[Path, ...]
    env: dict[str, str]
    versions: dict[str, str]
    personal: bool = False  # a person's own, on a laptop
    view: View | None = None  # of that person's environment
    apart: str = ""  # why a person's own environment is shown only in part, or not at all
    bare: "Toolchain | None" = None

    def key(self) -> str:
        """Content id of what results depend on besides tree and command: the environment's content, and the programs on
        its PATH. Installing or removing a program changes it."""
        folders = [Path(entry) for entry in self.env["PATH"].split(":")]
        stamps = [
            (str(folder), folder.stat().st_mtime_ns) for folder in folders if folder != self.bin and folder.is_dir()
        ]
        others = sorted((name, value) for name, value in self.env.items() if name not in ("PATH", "VIRTUAL_ENV"))
        text = json.dumps([self.bin.parent.name, others, stamps])
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]

    def which(self, name: str) -> str | None:
        """The path of a program that Heal itself would find although checks did not; None where there is none."""
        return None if self.apart else shutil.which(name)

    def has(self, name: str) -> bool:
        """Whether checks find a program of this name."""
        return shutil.which(name, path=self.env["PATH"]) is not None

    def unseen(self, output: str) -> str:
        """A file of the person's home that the output names and checks don't see; empty where there is none."""
        return self.view.unseen(output) if self.view else ""

    def left_out(self, output: str, tracked: Collection[str]) -> str:
        """A file of the clone, relative to it, that the output reports missing, that is not `tracked`, and that checks
        don't see because they run beside the clone; empty where there is none."""
        return self.view.left_out(output, tracked) if self.view and self.apart else ""

    def with_programs(self, folders: Iterable[Path]) -> "Toolchain":
        """A copy with further folders of programs on the PATH, after its own and before the system's. The parent of a
        folder `bin` or `.bin` (npm's) becomes readable too. Raises ToolchainError for one that is not an absolute path
        of a folder."""
        folders = tuple(folders)
        for folder in folders:
            if not (folder.is_absolute() and folder.is_dir()):
                raise ToolchainError(f"{folder} is no folder with an absolute path: take it out of HEAL_PROGRAMS")
        shown = (folder.parent if folder.name in ("bin", ".bin") else folder for folder in folders)
        first, rest = self.env["PATH"].split(":", 1)
        path = ":".join([first, *map(str, folders), rest])
        readable, env = (*self.readable, *shown), {**self.env, "PATH": path}
        return replace(self, readable=readable, env=env, bare=self.bare.with_programs(folders) if self.bare else None)

    def behind(self, first: "Toolchain") -> "Toolchain":
        """`first` with these programs after its own on the PATH. Their scripts start this toolchain's Python, so that
        none of its packages can be imported by the other."""
        own, rest = first.env["PATH"].split(":", 1)
        path = f"{own}:{self.bin}:{rest}"
        return replace(first, readable=(*first.readable, *self.readable), env={**first.env, "PATH": path})

    def lay_over(self, home: Path, owner: Owner | None) -> None:
        """Create in the folder `home` an environment (`.heal/env`) that receives what is installed and has this one's
        packages behind it. Checks use it where it exists."""
        env = home / ".heal" / "env"
        packages = env / "lib" / VERSION / "site-packages"
        packages.mkdir(parents=True)
        (env / "bin").mkdir()
        for path in self.bin.iterdir():
            if path.is_symlink():
                (env / "bin" / path.name).symlink_to(path.readlink())
            elif path.read_bytes()[:2] == b"#!":
                shutil.copy2(path, env / "bin" / path.name)
        shutil.copy2(self.bin.parent / "pyvenv.cfg", env / "pyvenv.cfg")
        (packages / "heal-base.pth").write_text(f"{self.bin.parent / 'lib' / VERSION / 'site-packages'}\n")
        for path in (home, *home.rglob("*")):
            hand_over(path, owner)


def of_person(view: View, apart: str) -> Toolchain:
    """The environment of a person's own commands, as the sandbox shows it through the view. `apart`: why the worktree
    can't take the clone's place, empty where it can; if set, the home is the job's own."""
    path = view.env["PATH"]
    python = shutil.which("python3", path=path) or shutil.which("python", path=path) or "/usr/bin/python3"
    env = {name: value for name, value in view.env.items() if not (apart and name == "HOME")}
    return Toolchain(python, Path(python).parent, (), env, {}, personal=True, view=view, apart=apart)


async def base_environment(data: Path, owner: Owner | None, tools: tuple[str, ...] = TOOLS) -> Toolchain:
    """The environment in `data` that contains exactly `tools` and their requirements, copied from where Heal runs, and
    the bare one without them; created where it doesn't exist. A tool that is not installed is missing from `versions`.

    Raises NoInterpreterError or ToolchainError when the sandboxed user could not use it.
    """
    interpreter = await find_interpreter(data, owner)
    await _require_access(data, interpreter, owner)
    bare = await _laid_out(data, owner, interpreter, ())
    return replace(await _laid_out(data, owner, interpreter, tools), bare=bare)


async def _laid_out(data: Path, owner: Owner | None, interpreter: Interpreter, tools: tuple[str, ...]) -> Toolchain:
    wanted = closure(tools)
    distributions = {**wanted, **closure(INSTALLERS)}
    folder = data.resolve() / "toolchains" / _key(interpreter, distributions, tools)
    if not folder.exists():
        await asyncio.to_thread(_make, folder, interpreter, distributions)
        await _compile(folder)
    toolchain = Toolchain(
        python=str(folder / "bin" / "python"),
        bin=folder / "bin",
        readable=(folder, *interpreter.readable),
        env=_environment(folder, interpreter),
        versions={tool: wanted[canonical(tool)].version for tool in tools if canonical(tool) in wanted},
    )
    await _require_working(toolchain, owner)
    return toolchain


def canonical(name: str) -> str:
    """A distribution's name in normalized form (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(names: Iterable[str]) -> dict[str, Distribution]:
    """Those of the named distributions that are installed, and everything that they require on this machine, by
    canonical name."""
    from packaging.requirements import Requirement

    distributions: dict[str, Distribution] = {}
    pending = [Requirement(name) for name in names]
    seen: set[tuple[str, frozenset[str]]] = set()
    while pending:
        requirement = pending.pop()
        requested = (canonical(requirement.name), frozenset(requirement.extras))
        if requested in seen:
            continue
        seen.add(requested)
        try:
            distribution = importlib.metadata.distribution(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            continue
        distributions[requested[0]] = distribution
        for line in distribution.requires or ():
            further = Requirement(line)
            extras = requirement.extras or {""}
            if further.marker is None or any(further.marker.evaluate({"extra": extra}) for extra in extras):
                pending.append(further)
    return dict(sorted(distributions.items()))


def _key(interpreter: Interpreter, distributions: dict[str, Distribution], tools: tuple[str, ...]) -> str:
    parts = [LAYOUT, sys.version, str(interpreter.path), tools]
    versions = [(name, distribution.version) for name, distribution in distributions.items()]
    return hashlib.sha256(json.dumps([*parts, versions]).encode()).hexdigest()[:16]


def _make(folder: Path, interpreter: Interpreter, distributions: dict[str, Distribution]) -> None:
    """Lay the environment out like a venv in a temporary place, and move it to `folder` in one step."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with unfinished(folder.parent) as unfinished_folder:
        _lay_out(unfinished_folder, interpreter, distributions)
        open_to_all(unfinished_folder)
        place(unfinished_folder, folder)


def _lay_out(made: Path, interpreter: Interpreter, distributions: dict[str, Distribution]) -> None:
    packages = made / "lib" / VERSION / "site-packages"
    packages.mkdir(parents=True)
    (made / "bin").mkdir()
    for name in ("python", "python3", VERSION):
        (made / "bin" / name).symlink_to(interpreter.path)
    home = f"home = {interpreter.path.parent}\ninclude-system-site-packages = false\n"
    (made / "pyvenv.cfg").write_text(home + f"version = {'.'.join(map(str, sys.version_info[:3]))}\n")
    for distribution in distributions.values():
        _copy(distribution, packages, made / "bin")


def _copy(distribution: Distribution, packages: Path, bin: Path) -> None:
    """Copy the files in the distribution's RECORD: packages unchanged, programs into `bin`. Scripts are rewritten,
    since the originals start Heal's interpreter."""
    scripts = {point.name: point for point in distribution.entry_points if point.group == "console_scripts"}
    for relative, source in _files(distribution):
        target = packages / relative
        if relative.parts[0] != "..":
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
        elif source.parent.name == "bin" and source.name not in scripts and source.read_bytes()[:2] != b"#!":
            shutil.copy2(source, bin / source.name)
    for name, point in scripts.items():
        first = point.attr.partition(".")[0]
        script = bin / name
        script.write_text(SCRIPT.format(module=point.module, name=first, call=point.attr))
        script.chmod(0o755)


def _files(distribution: Distribution) -> Iterator[tuple[Path, Path]]:
    """Yield (path relative to site-packages, current path) of each existing file."""
    for listed in distribution.files or ():
        source = Path(str(distribution.locate_file(listed)))
        relative = Path(os.path.normpath(str(listed)))
        if source.is_file() and not relative.is_absolute():
            yield relative, source


async def _compile(folder: Path) -> None:
    """Byte-compile the packages, since checks can't write here. Files that don't compile are ignored."""
    argv = [str(folder / "bin" / "python"), "-I", "-m", "compileall", "-q", str(folder / "lib")]
    await run(argv, cwd=Path("/"), env={}, timeout=600)
    await asyncio.to_thread(open_to_all, folder / "lib")


def _environment(folder: Path, interpreter: Interpreter) -> dict[str, str]:
    return {
        **interpreter.env,
        "PATH": f"{folder / 'bin'}:{SYSTEM_PATH}",
        "VIRTUAL_ENV": str(folder),
        "PIP_NO_INDEX": "1",  # there is no network: fail at once instead of trying
    }


async def _require_access(data: Path, interpreter: Interpreter, owner: Owner | None) -> None:
    """Raise ToolchainError where the sandboxed user can't pass through the data folder, as below a private home."""
    argv = [str(interpreter.path), "-I", "-S", "-c", "import os, sys; os.stat(sys.argv[1] + '/.')", str(data.resolve())]
    completed = await run(argv, cwd=Path("/"), env=interpreter.env, timeout=60, user=owner)
    if completed.exit_code != 0:
        raise ToolchainError(
            f"{_who(owner)} can't pass through {data}: put Heal's data folder where every user may "
            "(chmod o+x on the folders above it), or name another"
        )


def _who(owner: Owner | None) -> str:
    return f"user {owner.uid}, who runs the checks," if owner else "this user"


async def _require_working(toolchain: Toolchain, owner: Owner | None) -> None:
    """Start its Python as the sandboxed user. Raises ToolchainError where that fails."""
    argv = [toolchain.python, "-I", "-c", "import sys; print(sys.prefix)"]
    try:
        completed = await run(argv, cwd=Path("/"), env=toolchain.env, timeout=60, user=owner)
        output = completed.output.decode(errors="replace").strip()
    except OSError as error:
        output = str(error)
    if output != str(toolchain.bin.parent):
        raise ToolchainError(
            f"{_who(owner)} can't run {toolchain.python} ({output[-200:]}): remove that folder to create it again"
        )
