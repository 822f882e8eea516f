"""Finds the environment that a command would have in the person's own shell, without a setting.

The folders that a tool needs are followed from where the shell would look: the `PATH`, the active or the clone's own
virtual environment, links, the first lines of scripts, and the places where version managers and package managers
keep what they installed.
"""

import ast
import os
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from healing.environment.elf import library_folders
from healing.environment.elsewhere import kept_elsewhere
from healing.environment.git_settings import git_settings
from healing.environment.named_programs import BIN, named_programs
from healing.environment.packaged_by_tox import tox_overrides
from healing.environment.secrets import allowed, may_show, secrets_in
from healing.sandbox.exposure import SYSTEM
from healing.sandbox.view import View

VENVS = (".venv", "venv", "env")
PACKAGES = ("lib/python*/site-packages", "lib/python*/dist-packages")
MAPPED = re.compile(r"MAPPING(?:: dict\[str, str\])? = (\{.{0,20000}\})\s*$")
MOST_ENTRIES = 3000  # of one folder of programs, or of linked packages

# Where tools keep what they installed: variables that may name the folder, and where it is below a home otherwise.
STORES = (
    (("PYENV_ROOT",), ".pyenv"),
    (("UV_PYTHON_INSTALL_DIR",), ".local/share/uv/python"),
    (("UV_TOOL_DIR",), ".local/share/uv/tools"),
    (("ASDF_DATA_DIR", "ASDF_DIR"), ".asdf"),
    (("MISE_DATA_DIR",), ".local/share/mise"),
    ((), ".rye/py"),
    (("HATCH_DATA_DIR",), ".local/share/hatch"),
    (("POETRY_VIRTUALENVS_PATH",), ".cache/pypoetry/virtualenvs"),
    ((), ".local/share/pypoetry"),
    ((), ".local/share/pdm"),
    (("PIPX_HOME",), ".local/share/pipx"),
    ((), ".local/pipx"),
    (("WORKON_HOME",), ".virtualenvs"),
    ((), ".local/share/virtualenvs"),
    (("NVM_DIR",), ".nvm"),
    (("FNM_DIR",), ".local/share/fnm"),
    ((), ".local/state/fnm_multishells"),
    (("VOLTA_HOME",), ".volta"),
    (("COREPACK_HOME",), ".cache/node/corepack"),
    (("PNPM_HOME",), ".local/share/pnpm"),
    (("BUN_INSTALL",), ".bun"),
    ((), ".deno"),
    (("GOROOT",), "sdk"),
    (("GOMODCACHE",), "go/pkg/mod"),
    (("RUSTUP_HOME",), ".rustup"),
    (("RBENV_ROOT",), ".rbenv"),
    ((), ".gem"),
    ((), ".sdkman/candidates"),
)
VERSIONS = ("versions/*", "installs/*/*")  # in such a folder
# Folders of which only a part is shown, since logins lie beside it.
PARTS = (
    ("GOPATH", "go", ("pkg/mod", "bin")),
    ("CARGO_HOME", ".cargo", ("bin", "registry", "git", "config.toml", "config")),
)
# Where the places below a home lie instead, if a variable says so (the XDG rules).
MOVED = ((".local/share", "XDG_DATA_HOME"), (".local/state", "XDG_STATE_HOME"), (".cache", "XDG_CACHE_HOME"))
# Caches that tools insist on writing to: shown, and what is written is thrown away.
CACHES = (
    (("GOCACHE",), ".cache/go-build"),
    (("UV_CACHE_DIR",), ".cache/uv"),
    (("PRE_COMMIT_HOME",), ".cache/pre-commit"),
    ((), ".yarn/berry"),
    ((), ".m2/repository"),
    ((), ".gradle/caches"),
)
# A check has no network; tools that would go looking for one say so at once and use what is installed.
OFFLINE = {
    "CARGO_NET_OFFLINE": "true",
    "COREPACK_ENABLE_DOWNLOAD_PROMPT": "0",
    "GOPROXY": "off",
    "GOSUMDB": "off",
    "GOTOOLCHAIN": "local",
    "PIP_RETRIES": "0",
    "UV_NO_SYNC": "1",
    "UV_OFFLINE": "1",
    "YARN_ENABLE_NETWORK": "0",
    "npm_config_offline": "true",
    "npm_config_update_notifier": "false",
}


def laptop_view(root: Path, environ: Mapping[str, str] | None = None, command: str = "") -> View:
    """The view for the clone at `root`, from the variables that the person's shell handed to Heal, and the command that
    the person typed: programs that it names by their place appear too. Commands of the repository get nothing by
    naming it."""
    environ = os.environ if environ is None else environ
    home = Path(environ.get("HOME") or Path.home())
    return _Finder(root.resolve(), home, environ, command).view()


@dataclass
class _Finder:
    root: Path
    home: Path
    environ: Mapping[str, str]
    command: str
    shown: dict[Path, None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    known: set[Path] = field(default_factory=set)  # prefixes whose environment was followed
    editable: dict[str, None] = field(default_factory=dict)

    def view(self) -> View:
        variables = _without_heal(allowed(self.environ))
        path = self.path(variables)
        for folder in path:
            self.programs(folder)
        for named in named_programs(self.command, self.root, self.home):
            self.named(named)
        for names, place in STORES:
            self.store(variables, names, place)
        for name in ("PYTHONPATH", "NODE_PATH", "JAVA_HOME", "LD_LIBRARY_PATH", "CONDA_PREFIX"):
            for entry in _folders(variables.get(name, "")):
                self.show(entry)
        for name, place, parts in PARTS:
            for entry in _folders(variables.get(name, "")) or (self.home / place,):
                for part in parts:
                    self.show(entry / part)
        self.user_site()
        self.linked()
        readable = tuple(self.shown)
        return View(
            root=self.root,
            home=self.home,
            readable=readable,
            writable=tuple(self.caches(variables)),
            hidden=(*heal_itself(path), *secrets_in(readable)),
            env={**self.variables(variables), "PATH": ":".join(map(str, path)), "HOME": str(self.home)},
            files=self.files(),
            notes=tuple(self.notes),
            editable=tuple(self.editable),
        )

    def files(self) -> dict[Path, bytes]:
        """What of the person's settings commands need, without the logins that lie beside it."""
        settings = git_settings(self.environ)
        return {self.home / ".gitconfig": settings} if settings else {}

    def path(self, variables: dict[str, str]) -> tuple[Path, ...]:
        """The person's `PATH` without Heal's own environment, behind the clone's where none is active."""
        entries = [Path(e) for e in self.environ.get("PATH", "").split(":") if e.startswith("/")]
        own = _own_programs(self.root)
        if own in entries:
            entries = [entry for entry in entries if entry != own]
            self.notes.append("Heal's own environment is active in this shell; checks don't use it")
        if own and variables.get("VIRTUAL_ENV") == str(own.parent):
            del variables["VIRTUAL_ENV"]
        active = any(variables.get(name) for name in ("VIRTUAL_ENV", "CONDA_PREFIX"))
        venvs = (self.root / name for name in VENVS)
        here = next((one for one in venvs if (one / "pyvenv.cfg").is_file()), None)
        venv = None if active else here or kept_elsewhere(self.root, self.home, self.environ)
        if venv is not None:
            variables["VIRTUAL_ENV"] = str(venv)
            entries.insert(0, venv / "bin")
        entries.append(self.root / "node_modules" / ".bin")
        entries += [Path(folder) for folder in ("/usr/local/bin", "/usr/bin", "/bin")]
        return tuple(dict.fromkeys(entry for entry in entries if _listable(entry)))

    def variables(self, variables: dict[str, str]) -> dict[str, str]:
        """Beside the person's own what keeps tools from looking for a network."""
        return {**variables, **OFFLINE, **tox_overrides(self.root, variables)}

    def programs(self, folder: Path) -> None:
        """Shows a folder of programs with what its programs are made of."""
        if self.seen(folder):
            self.environment(folder.parent)
            return
        whole = folder.parent if folder.name in BIN else folder
        self.show(whole if may_show(whole, self.home) else folder)
        self.environment(folder.parent)
        for entry in _entries(folder):
            if entry.is_symlink():
                self.target(entry)
            elif interpreter := _first_line(entry):
                self.interpreter(interpreter)

    def named(self, place: Path) -> None:
        """Shows a folder of programs, or a program with its environment; of what lies elsewhere the file alone."""
        if place.is_dir():
            self.programs(place)
        elif place.parent.name in BIN:
            self.interpreter(place)
        else:
            self.show(place)
            self.target(place)

    def target(self, link: Path) -> None:
        """Shows what a linked program belongs to, each link of the chain."""
        for _ in range(20):
            if not link.is_symlink():
                break
            link = Path(os.path.normpath(link.parent / os.readlink(link)))
            if not self.seen(link):
                self.belonging(link)
        if link.is_file() and not link.is_symlink():
            if interpreter := _first_line(link):
                self.interpreter(interpreter)
            self.libraries(link)

    def belonging(self, program: Path) -> None:
        folder = program.parent
        whole = folder.parent if folder.name in BIN else folder
        self.show(whole if may_show(whole, self.home) else program)

    def interpreter(self, program: Path) -> None:
        if not self.seen(program) and program.exists():
            self.belonging(program)
        self.environment(program.parent.parent)
        self.target(program)

    def libraries(self, program: Path) -> None:
        """Shows where a program that is linked to has its libraries from."""
        if not any(program.is_relative_to(system) for system in SYSTEM):
            for folder in library_folders(program):
                if not self.seen(folder):
                    self.show(folder)

    def environment(self, prefix: Path) -> None:
        """Shows the Python that a virtual environment was made from, and what is installed there as editable."""
        if prefix in self.known:
            return
        self.known.add(prefix)
        self.installed_in_place(prefix)
        try:
            lines = (prefix / "pyvenv.cfg").read_text(errors="replace").splitlines()
        except OSError:
            return
        if not self.seen(prefix):
            self.show(prefix)
        made_from = next((line.partition("=")[2].strip() for line in lines if line.startswith("home")), "")
        if made_from and not self.seen(Path(made_from)):
            self.belonging(Path(made_from) / "python")
        for name in ("python", "python3"):
            self.target(prefix / "bin" / name)

    def installed_in_place(self, prefix: Path) -> None:
        """Shows where the packages of this environment lie that are installed as editable."""
        for packages in PACKAGES:
            for file in prefix.glob(f"{packages}/*.pth"):
                self.paths_in(file)
            for file in prefix.glob(f"{packages}/__editable__*_finder.py"):
                self.mapped_by(file)

    def paths_in(self, file: Path) -> None:
        for line in _lines(file):
            if line.startswith("/"):
                self.imported_from(Path(line))

    def mapped_by(self, finder: Path) -> None:
        """Reads where setuptools' own finder has each package of an editable install from."""
        found = next((match for line in _lines(finder) if (match := MAPPED.match(line))), None)
        with suppress(ValueError, SyntaxError, AttributeError):  # nothing that an installer wrote
            for place in ast.literal_eval(found[1] if found else "{}").values():
                if str(place).startswith("/"):
                    self.imported_from(Path(str(place)).parent)

    def imported_from(self, folder: Path) -> None:
        if folder.is_relative_to(self.root):
            self.editable[str(folder.relative_to(self.root))] = None
        elif not self.seen(folder):
            self.show(folder)

    def store(self, variables: Mapping[str, str], names: tuple[str, ...], place: str) -> None:
        """Shows a tool's folder, and the versions that it only links to (`mise link`, pyenv's)."""
        folder = self.lies(variables, names, place)
        self.show(folder)
        for version in (one for pattern in VERSIONS if _listable(folder) for one in folder.glob(pattern)):
            if version.is_symlink():
                self.show(Path(os.path.realpath(version)))

    def lies(self, variables: Mapping[str, str], names: tuple[str, ...], place: str) -> Path:
        """Where a tool's folder lies: as a variable says, else below the home."""
        if named := next((variables[name] for name in names if variables.get(name)), ""):
            return Path(named)
        for folder, name in MOVED:
            if place.startswith(f"{folder}/") and variables.get(name, "").startswith("/"):
                return Path(variables[name]) / place.removeprefix(f"{folder}/")
        return self.home / place

    def caches(self, variables: Mapping[str, str]) -> Iterator[Path]:
        for names, place in CACHES:
            folder = self.lies(variables, names, place)
            if _listable(folder) and may_show(folder, self.home):
                yield folder

    def user_site(self) -> None:
        self.installed_in_place(self.home / ".local")
        for folder in sorted(self.home.glob(".local/lib/python3.*")) if _listable(self.home / ".local/lib") else ():
            self.show(folder)

    def linked(self) -> None:
        """Packages that `node_modules` links to from elsewhere, and a virtual environment that is a link."""
        for name in (*VENVS, "node_modules", "vendor", "target"):
            if (self.root / name).is_symlink():
                self.show(Path(os.path.realpath(self.root / name)))
        modules = self.root / "node_modules"
        scopes = (entry for entry in _entries(modules) if entry.name.startswith("@") and entry.is_dir())
        for folder in (modules, *scopes):
            for entry in _entries(folder):
                if entry.is_symlink():
                    self.show(Path(os.path.realpath(entry)))

    def show(self, path: Path) -> None:
        """Lists a folder or file, under the path that names it and under its real one."""
        for one in dict.fromkeys((path, Path(os.path.realpath(path)))):
            if self.seen(one) or not os.access(one, os.R_OK):
                continue
            if may_show(one, self.home):
                self.shown[one] = None
            else:
                self.notes.append(f"{one} is not shown to checks: it holds private files")

    def seen(self, path: Path) -> bool:
        """Whether it appears already: the system's, the clone's, or below something listed."""
        own = (*SYSTEM, self.root, *self.shown)
        return f"{path}/".startswith(tuple(f"{one}/" for one in own))


def heal_itself(path: Iterable[Path] = ()) -> tuple[Path, ...]:
    """Folders that hold Heal. Where Heal shares an environment with the project only its own packages are covered."""
    source = Path(__file__).resolve().parents[2]
    packages = {Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")}
    own = {source / name for name in ("bot", "handlers", "healing", "lab")}
    shared = Path(sys.prefix) / "bin" in path
    return tuple(sorted(p for p in (own if shared else {*packages, *own}) if p.is_dir()))


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(errors="replace").splitlines()[:200]
    except OSError:
        return []


def _own_programs(root: Path) -> Path | None:
    """The folder of programs of the virtual environment that Heal is installed in; None where that is the clone's
    own, or the system's."""
    if sys.prefix == sys.base_prefix or Path(sys.prefix).is_relative_to(root):
        return None
    return Path(sys.prefix) / "bin"


def _without_heal(variables: dict[str, str]) -> dict[str, str]:
    """The variables, with no `PYTHONPATH` that leads to Heal's own source."""
    source = str(Path(__file__).resolve().parents[2])
    entries = [e for e in variables.get("PYTHONPATH", "").split(":") if e and os.path.realpath(e) != source]
    others = {name: value for name, value in variables.items() if name != "PYTHONPATH"}
    return {**others, "PYTHONPATH": ":".join(entries)} if entries else others


def _folders(listed: str) -> tuple[Path, ...]:
    """The absolute folders of a list as in `PATH`."""
    return tuple(Path(entry) for entry in listed.split(":") if entry.startswith("/"))


def _listable(folder: Path) -> bool:
    try:
        return folder.is_dir() and os.access(folder, os.R_OK | os.X_OK)
    except OSError:
        return False


def _entries(folder: Path) -> Iterator[Path]:
    try:
        with os.scandir(folder) as entries:
            for count, entry in enumerate(entries):
                if count >= MOST_ENTRIES:
                    return
                yield Path(entry.path)
    except OSError:
        return


def _first_line(file: Path) -> Path | None:
    """The interpreter that a script names with an absolute path outside of the system's folders."""
    try:
        with file.open("rb") as script:
            head = script.read(512)
    except OSError:
        return None
    if not head.startswith(b"#!"):
        return None
    word = head[2:].split(b"\n", 1)[0].strip().split(b" ", 1)[0]
    path = Path(os.fsdecode(word)) if word.startswith(b"/") and b"\0" not in word else None
    return path if path and not any(path.is_relative_to(system) for system in SYSTEM) else None
