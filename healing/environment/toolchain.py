"""The base environment that checks run in: a Python and the tools it names, and nothing of Heal's own."""

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
INSTALLERS = ("pip", "setuptools", "wheel")  # so that `pip install` of what is there can say that it is
LAYOUT = 2  # raised when the same distributions are to be laid out in another way
SCRIPT = """#!/bin/sh
'''exec' "$(dirname -- "$0")/python" "$0" "$@"
' '''
import sys
from {module} import {name}
sys.exit({call}())
"""


class ToolchainError(Exception):
    """The base environment can't be made or can't be used; the text says why and what to do."""


@dataclass(frozen=True)
class Toolchain:
    """`python` and `bin` are paths inside and outside of a sandbox alike; `readable` is all that a job has to name,
    `env` what it has to set; `versions` tells the tools that are there, by distribution name. `bare`: the same Python
    with nothing but what installs, which set-up steps build on."""

    python: str
    bin: Path
    readable: tuple[Path, ...]
    env: dict[str, str]
    versions: dict[str, str]
    personal: bool = False  # a person's own, on a laptop
    view: View | None = None  # of that person
    apart: str = ""  # why a person's own is shown only in part, or not at all
    bare: "Toolchain | None" = None

    def key(self) -> str:
        """Content id of what results depend on beside tree and command: what is laid out here, and the programs behind
        it. Installing one, or removing it, changes that."""
        folders = [Path(entry) for entry in self.env["PATH"].split(":")]
        stamps = [(str(one), one.stat().st_mtime_ns) for one in folders if one != self.bin and one.is_dir()]
        others = sorted((name, value) for name, value in self.env.items() if name not in ("PATH", "VIRTUAL_ENV"))
        text = json.dumps([self.bin.parent.name, others, stamps])
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]

    def which(self, name: str) -> str | None:
        """Where a program lies that Heal itself would find, though checks did not."""
        return None if self.apart else shutil.which(name)

    def unseen(self, output: str) -> str:
        """A file of the person's home that the output names and that checks don't see; empty where there is none."""
        return self.view.unseen(output) if self.view else ""

    def left_out(self, output: str, tracked: Collection[str]) -> str:
        """A file of the clone, relative to it, that the output names, that is not `tracked` and that checks don't see,
        as they run beside it; empty where there is none."""
        return self.view.left_out(output, tracked) if self.view and self.apart else ""

    def with_programs(self, folders: Iterable[Path]) -> "Toolchain":
        """With further folders of programs on the PATH, behind its own and before the system's. What lies beside a
        `bin` (`.bin` of npm's) can be read too. Raises ToolchainError for one that is no folder."""
        folders = tuple(folders)
        for folder in folders:
            if not (folder.is_absolute() and folder.is_dir()):
                raise ToolchainError(f"{folder} is no folder with an absolute path: take it out of HEAL_PROGRAMS")
        whole = (folder.parent if folder.name in ("bin", ".bin") else folder for folder in folders)
        first, behind = self.env["PATH"].split(":", 1)
        path = ":".join([first, *map(str, folders), behind])
        readable, env = (*self.readable, *whole), {**self.env, "PATH": path}
        return replace(self, readable=readable, env=env, bare=self.bare.with_programs(folders) if self.bare else None)

    def behind(self, first: "Toolchain") -> "Toolchain":
        """`first` with these programs behind its own: their scripts start this Python, so that nothing of it can be
        imported there."""
        own, rest = first.env["PATH"].split(":", 1)
        path = f"{own}:{self.bin}:{rest}"
        return replace(first, readable=(*first.readable, *self.readable), env={**first.env, "PATH": path})

    def lay_over(self, home: Path, owner: Owner | None) -> None:
        """Makes an environment in the folder `home`, `.heal/env`, that what is installed goes to and that has all of
        this one behind it. Checks find it where it is there."""
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
    """The environment that a person's own commands have, which the sandbox shows by the view. `apart`: why it can't put
    the worktree in the clone's place, empty where it can; then the home is the job's own."""
    path = view.env["PATH"]
    python = shutil.which("python3", path=path) or shutil.which("python", path=path) or "/usr/bin/python3"
    env = {name: value for name, value in view.env.items() if not (apart and name == "HOME")}
    return Toolchain(python, Path(python).parent, (), env, {}, personal=True, view=view, apart=apart)


async def base_environment(data: Path, owner: Owner | None, tools: tuple[str, ...] = TOOLS) -> Toolchain:
    """Makes, or finds again, the environment in `data` that holds exactly `tools` and what they require, copied from
    where Heal runs, and the bare one without them. A tool that is not installed there is left out of `versions`.

    Raises NoInterpreterError or ToolchainError when the sandboxed user could not use it."""
    interpreter = await find_interpreter(data, owner)
    await _reach(data, interpreter, owner)
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
    await _prove(toolchain, owner)
    return toolchain


def canonical(name: str) -> str:
    """A distribution's name in the one spelling that compares equal (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(names: Iterable[str]) -> dict[str, Distribution]:
    """The named distributions that are installed, and all that they require on this machine, by canonical name."""
    from packaging.requirements import Requirement

    found: dict[str, Distribution] = {}
    todo = [Requirement(name) for name in names]
    seen: set[tuple[str, frozenset[str]]] = set()
    while todo:
        requirement = todo.pop()
        asked = (canonical(requirement.name), frozenset(requirement.extras))
        if asked in seen:
            continue
        seen.add(asked)
        try:
            distribution = importlib.metadata.distribution(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            continue
        found[asked[0]] = distribution
        for line in distribution.requires or ():
            further = Requirement(line)
            extras = requirement.extras or {""}
            if further.marker is None or any(further.marker.evaluate({"extra": extra}) for extra in extras):
                todo.append(further)
    return dict(sorted(found.items()))


def _key(interpreter: Interpreter, distributions: dict[str, Distribution], tools: tuple[str, ...]) -> str:
    parts = [LAYOUT, sys.version, str(interpreter.path), tools]
    versions = [(name, distribution.version) for name, distribution in distributions.items()]
    return hashlib.sha256(json.dumps([*parts, versions]).encode()).hexdigest()[:16]


def _make(folder: Path, interpreter: Interpreter, distributions: dict[str, Distribution]) -> None:
    """Lays the environment out like a venv, beside its place, and moves it there in one step."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with unfinished(folder.parent) as made:
        _lay_out(made, interpreter, distributions)
        open_to_all(made)
        place(made, folder)


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
    """Copies the files that the distribution's RECORD lists: packages as they are, programs into `bin`; scripts are
    rewritten, since theirs name Heal's interpreter."""
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
    """(path relative to site-packages, where it is now) of each file that is there."""
    for listed in distribution.files or ():
        source = Path(str(distribution.locate_file(listed)))
        relative = Path(os.path.normpath(str(listed)))
        if source.is_file() and not relative.is_absolute():
            yield relative, source


async def _compile(folder: Path) -> None:
    """Byte-compiles what was not, since checks can't write here. What doesn't compile is meant to be so."""
    argv = [str(folder / "bin" / "python"), "-I", "-m", "compileall", "-q", str(folder / "lib")]
    await run(argv, cwd=Path("/"), env={}, timeout=600)
    await asyncio.to_thread(open_to_all, folder / "lib")


def _environment(folder: Path, interpreter: Interpreter) -> dict[str, str]:
    return {
        **interpreter.env,
        "PATH": f"{folder / 'bin'}:{SYSTEM_PATH}",
        "VIRTUAL_ENV": str(folder),
        "PIP_NO_INDEX": "1",  # there is no network: say so at once instead of trying
    }


async def _reach(data: Path, interpreter: Interpreter, owner: Owner | None) -> None:
    """Looks whether the sandboxed user can pass through the data folder: below a private home he can't."""
    argv = [str(interpreter.path), "-I", "-S", "-c", "import os, sys; os.stat(sys.argv[1] + '/.')", str(data.resolve())]
    ended = await run(argv, cwd=Path("/"), env=interpreter.env, timeout=60, user=owner)
    if ended.exit_code != 0:
        raise ToolchainError(
            f"{_who(owner)} can't pass through {data}: put Heal's data folder where every user may "
            "(chmod o+x on the folders above it), or name another"
        )


def _who(owner: Owner | None) -> str:
    return f"user {owner.uid}, who runs the checks," if owner else "this user"


async def _prove(toolchain: Toolchain, owner: Owner | None) -> None:
    """Starts its Python as the sandboxed user."""
    argv = [toolchain.python, "-I", "-c", "import sys; print(sys.prefix)"]
    try:
        ended = await run(argv, cwd=Path("/"), env=toolchain.env, timeout=60, user=owner)
        output = ended.output.decode(errors="replace").strip()
    except OSError as error:
        output = str(error)
    if output != str(toolchain.bin.parent):
        raise ToolchainError(
            f"{_who(owner)} can't run {toolchain.python} ({output[-200:]}): remove that folder to create it again"
        )
