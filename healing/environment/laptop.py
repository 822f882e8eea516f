"""Discovers the environment that a command would have in the person's own shell, without any setting.

The folders that a tool needs are followed from where the shell would look: the `PATH`, the active or the clone's own
virtual environment, links, shebangs, and the places where version managers and package managers install.
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
MAX_ENTRIES = 3000  # entries read of one folder of programs, or of linked packages

# Where tools install: variables that may name the folder, and its default place below the home.
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
VERSIONS = ("versions/*", "installs/*/*")  # patterns for installed versions in such a folder
# Folders of which only parts are shown, since they also contain logins.
PARTS = (
    ("GOPATH", "go", ("pkg/mod", "bin")),
    ("CARGO_HOME", ".cargo", ("bin", "registry", "git", "config.toml", "config")),
)
# Variables that move these places below a home elsewhere (the XDG rules).
MOVED = ((".local/share", "XDG_DATA_HOME"), (".local/state", "XDG_STATE_HOME"), (".cache", "XDG_CACHE_HOME"))
# Caches that tools insist on writing to: they are shown, and writes are discarded.
CACHES = (
    (("GOCACHE",), ".cache/go-build"),
    (("UV_CACHE_DIR",), ".cache/uv"),
    (("PRE_COMMIT_HOME",), ".cache/pre-commit"),
    ((), ".yarn/berry"),
    ((), ".m2/repository"),
    ((), ".gradle/caches"),
)
# A check has no network: with these, tools fail at once instead of trying, and use what is installed.
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


def laptop_view(
    root: Path, environ: Mapping[str, str] | None = None, command: str = "", folder: Path | None = None
) -> View:
    """The view for the clone at `root`, from the variables of the person's shell and the command that the person typed
    in `folder` (by default at the root). Programs that this command names by path appear too; a command of the
    repository gets nothing by naming it."""
    environ = os.environ if environ is None else environ
    home = Path(environ.get("HOME") or Path.home())
    return _Finder(root.resolve(), home, environ, command, folder).view()


@dataclass
class _Finder:
    root: Path
    home: Path
    environ: Mapping[str, str]
    command: str
    folder: Path | None
    shown: dict[Path, None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    known: set[Path] = field(default_factory=set)  # prefixes whose environment was handled already
    editable: dict[str, None] = field(default_factory=dict)

    def view(self) -> View:
        variables = _without_heal(allowed(self.environ))
        folders = self.path(variables)
        for folder in folders:
            self.programs(folder)
        for program in named_programs(self.command, self.root, self.home, self.folder):
            self.named(program)
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
            hidden=(*heal_itself(folders), *secrets_in(readable)),
            env={**self.variables(variables), "PATH": ":".join(map(str, folders)), "HOME": str(self.home)},
            files=self.files(),
            notes=tuple(self.notes),
            editable=tuple(self.editable),
        )

    def files(self) -> dict[Path, bytes]:
        """The person's settings that commands need, without the logins stored beside them."""
        settings = git_settings(self.environ)
        return {self.home / ".gitconfig": settings} if settings else {}

    def path(self, variables: dict[str, str]) -> tuple[Path, ...]:
        """The person's `PATH` without Heal's own environment; the clone's virtual environment comes first where none is
        active."""
        entries = [Path(e) for e in self.environ.get("PATH", "").split(":") if e.startswith("/")]
        heal_programs = _own_programs(self.root)
        if heal_programs in entries:
            entries = [entry for entry in entries if entry != heal_programs]
            self.notes.append("Heal's own environment is active in this shell; checks don't use it")
        if heal_programs and variables.get("VIRTUAL_ENV") == str(heal_programs.parent):
            del variables["VIRTUAL_ENV"]
        active = any(variables.get(name) for name in ("VIRTUAL_ENV", "CONDA_PREFIX"))
        venvs = (self.root / name for name in VENVS)
        in_clone = next((candidate for candidate in venvs if (candidate / "pyvenv.cfg").is_file()), None)
        venv = None if active else in_clone or kept_elsewhere(self.root, self.home, self.environ)
        if venv is not None:
            variables["VIRTUAL_ENV"] = str(venv)
            entries.insert(0, venv / "bin")
        entries.append(self.root / "node_modules" / ".bin")
        entries += [Path(folder) for folder in ("/usr/local/bin", "/usr/bin", "/bin")]
        return tuple(dict.fromkeys(entry for entry in entries if _listable(entry)))

    def variables(self, variables: dict[str, str]) -> dict[str, str]:
        """The person's variables, plus those that keep tools from using a network."""
        return {**variables, **OFFLINE, **tox_overrides(self.root, variables)}

    def programs(self, folder: Path) -> None:
        """Show a folder of programs with everything that the programs belong to."""
        if self.seen(folder):
            self.environment(folder.parent)
            return
        parent = folder.parent if folder.name in BIN else folder
        self.show(parent if may_show(parent, self.home) else folder)
        self.environment(folder.parent)
        for entry in _entries(folder):
            if entry.is_symlink():
                self.target(entry)
            elif interpreter := _interpreter_of(entry):
                self.interpreter(interpreter)

    def named(self, place: Path) -> None:
        """Show a folder of programs, or a program with its environment. Of a program outside such a folder, only the
        file itself."""
        if place.is_dir():
            self.programs(place)
        elif place.parent.name in BIN:
            self.interpreter(place)
        else:
            self.show(place)
            self.target(place)

    def target(self, link: Path) -> None:
        """Show what a linked program belongs to, following each link of the chain."""
        for _ in range(20):
            if not link.is_symlink():
                break
            link = Path(os.path.normpath(link.parent / os.readlink(link)))
            if not self.seen(link):
                self.belonging(link)
        if link.is_file() and not link.is_symlink():
            if interpreter := _interpreter_of(link):
                self.interpreter(interpreter)
            self.libraries(link)

    def belonging(self, program: Path) -> None:
        folder = program.parent
        parent = folder.parent if folder.name in BIN else folder
        self.show(parent if may_show(parent, self.home) else program)

    def interpreter(self, program: Path) -> None:
        if not self.seen(program) and program.exists():
            self.belonging(program)
        self.environment(program.parent.parent)
        self.target(program)

    def libraries(self, program: Path) -> None:
        """Show the folders that a linked program loads its libraries from."""
        if not any(program.is_relative_to(system) for system in SYSTEM):
            for folder in library_folders(program):
                if not self.seen(folder):
                    self.show(folder)

    def environment(self, prefix: Path) -> None:
        """Show the Python that a virtual environment was created from, and its editable installs."""
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
        base = next((line.partition("=")[2].strip() for line in lines if line.startswith("home")), "")
        if base and not self.seen(Path(base)):
            self.belonging(Path(base) / "python")
        for name in ("python", "python3"):
            self.target(prefix / "bin" / name)

    def installed_in_place(self, prefix: Path) -> None:
        """Show the sources of this environment's editable packages."""
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
        """Read from setuptools' own finder where the packages of an editable install lie."""
        mapping = next((match for line in _lines(finder) if (match := MAPPED.match(line))), None)
        with suppress(ValueError, SyntaxError, AttributeError):  # not a file that an installer wrote
            for place in ast.literal_eval(mapping[1] if mapping else "{}").values():
                if str(place).startswith("/"):
                    self.imported_from(Path(str(place)).parent)

    def imported_from(self, folder: Path) -> None:
        if folder.is_relative_to(self.root):
            self.editable[str(folder.relative_to(self.root))] = None
        elif not self.seen(folder):
            self.show(folder)

    def store(self, variables: Mapping[str, str], names: tuple[str, ...], place: str) -> None:
        """Show a tool's folder, and the versions that it only links to (`mise link`, pyenv's)."""
        folder = self.tool_folder(variables, names, place)
        self.show(folder)
        for version in (entry for pattern in VERSIONS if _listable(folder) for entry in folder.glob(pattern)):
            if version.is_symlink():
                self.show(Path(os.path.realpath(version)))

    def tool_folder(self, variables: Mapping[str, str], names: tuple[str, ...], place: str) -> Path:
        """The place of a tool's folder: the one that a variable names, else its default below the home."""
        if configured := next((variables[name] for name in names if variables.get(name)), ""):
            return Path(configured)
        for folder, name in MOVED:
            if place.startswith(f"{folder}/") and variables.get(name, "").startswith("/"):
                return Path(variables[name]) / place.removeprefix(f"{folder}/")
        return self.home / place

    def caches(self, variables: Mapping[str, str]) -> Iterator[Path]:
        for names, place in CACHES:
            folder = self.tool_folder(variables, names, place)
            if _listable(folder) and may_show(folder, self.home):
                yield folder

    def user_site(self) -> None:
        self.installed_in_place(self.home / ".local")
        for folder in sorted(self.home.glob(".local/lib/python3.*")) if _listable(self.home / ".local/lib") else ():
            self.show(folder)

    def linked(self) -> None:
        """Show packages that `node_modules` links to from elsewhere, and folders of the clone (such as a virtual
        environment) that are links."""
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
        """List a folder or file, both under the given path and its real path."""
        for place in dict.fromkeys((path, Path(os.path.realpath(path)))):
            if self.seen(place) or not os.access(place, os.R_OK):
                continue
            if may_show(place, self.home):
                self.shown[place] = None
            else:
                self.notes.append(f"{place} is not shown to checks: it holds private files")

    def seen(self, path: Path) -> bool:
        """Whether it appears already: as part of the system or the clone, or below something listed."""
        shown = (*SYSTEM, self.root, *self.shown)
        return f"{path}/".startswith(tuple(f"{root}/" for root in shown))


def heal_itself(path: Iterable[Path] = ()) -> tuple[Path, ...]:
    """Folders that contain Heal. Where Heal shares an environment with the project, only its own packages are
    included."""
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
    """The folder of programs of the virtual environment that Heal is installed in; None where that is the clone's own,
    or not a virtual environment."""
    if sys.prefix == sys.base_prefix or Path(sys.prefix).is_relative_to(root):
        return None
    return Path(sys.prefix) / "bin"


def _without_heal(variables: dict[str, str]) -> dict[str, str]:
    """The variables, without `PYTHONPATH` entries that lead to Heal's own source."""
    source = str(Path(__file__).resolve().parents[2])
    entries = [e for e in variables.get("PYTHONPATH", "").split(":") if e and os.path.realpath(e) != source]
    others = {name: value for name, value in variables.items() if name != "PYTHONPATH"}
    return {**others, "PYTHONPATH": ":".join(entries)} if entries else others


def _folders(listed: str) -> tuple[Path, ...]:
    """The absolute folders in a list such as `PATH`."""
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
                if count >= MAX_ENTRIES:
                    return
                yield Path(entry.path)
    except OSError:
        return


def _interpreter_of(file: Path) -> Path | None:
    """The interpreter that a script's shebang names by absolute path, unless it lies in the system's folders."""
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
