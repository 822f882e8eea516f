"""What set-up steps of untrusted code may have of the network: wheels and packages, fetched by Heal's own commands.

No untrusted code runs while there is a network: pip and uv only take wheels, and npm runs no scripts. Afterwards the
steps run unchanged, without a network, and find what was fetched. What can't be fetched this way is missing, and the
steps fail accordingly. The commands need a fresh home: files that untrusted code left there (a pip.conf, variables)
could make them run more.
"""

import posixpath
import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from packaging.requirements import InvalidRequirement, Requirement

from healing.checks.check import Script
from healing.checks.installing import commands, pip_arguments
from healing.checks.uv_lock import BUILDING, uv_commands
from healing.view import TreeView

PASSED = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CERT", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE")
INDEX = ("-i", "--index-url", "--extra-index-url")
LISTS = {"-r": False, "--requirement": False, "-c": True, "--constraint": True}  # option → whether it only constrains
MAX_REQUIREMENTS = 2_000
MAX_NESTED = 8
PIP = (
    '"$HEAL_PYTHON" -I -m pip download --quiet --only-binary=:all: --dest "$HOME/.heal/wheels" -r "$HOME/.heal/wanted"'
)
NPM = "npm_config_git=/bin/false npm {} --ignore-scripts --no-audit --no-fund"


def fetching(scripts: Iterable[Script], view: TreeView) -> tuple[str, ...]:
    """The commands, as bash text, that fetch what these scripts will install; empty where that can't be determined."""
    commands_found = (text for script in scripts for text in _of(script, view))
    return tuple(dict.fromkeys(commands_found))


def _of(script: Script, view: TreeView) -> Iterator[str]:
    exports = [f"export {name}={shlex.quote(script.env[name])}" for name in PASSED if name in script.env]
    before = "\n".join([*exports, f"cd {shlex.quote(script.cwd)}", "set -e", ""])
    folder = "" if script.cwd in (".", "./") else script.cwd.removeprefix("./").rstrip("/") + "/"
    for words in filter(None, commands(script)):
        arguments = pip_arguments(words)
        if arguments is not None:
            wanted = WantedPackages(view, folder)
            wanted.take(arguments)
            if wanted.requirements:
                yield before + wanted.command()
        elif words[:2] == ["uv", "sync"]:
            yield from (before + text for text in uv_commands(view, folder))
        elif words[:2] in (["npm", "ci"], ["npm", "install"], ["npm", "i"]) and len(words) == 2:
            yield before + NPM.format(words[1])


@dataclass
class WantedPackages:
    """What one `pip install` in `folder` (empty, or ending in `/`) asks for, as far as the files show."""

    view: TreeView
    folder: str
    requirements: dict[str, None] = field(default_factory=dict)
    constraints: dict[str, None] = field(default_factory=dict)
    indexes: list[str] = field(default_factory=list)
    seen: set[tuple[str, bool]] = field(default_factory=set)  # files read so far, which may include each other

    def command(self) -> str:
        """The bash text that downloads all of it as wheels."""
        files = (("wanted", self.requirements), ("bounds", self.constraints))
        lines = [f'printf "%s\\n" {" ".join(map(shlex.quote, entry))} > "$HOME/.heal/{name}"' for name, entry in files]
        return "\n".join([*lines, f'{PIP} -c "$HOME/.heal/bounds" {shlex.join(self.indexes)}'])

    def take(self, words: list[str], constrains: bool = False, depth: int = 0) -> None:
        """Add what these arguments, or this line of a requirements file, name."""
        rest = iter(words)
        for word in rest:
            option, equals, value = word.partition("=")
            if option in LISTS and (entry := value if equals else next(rest, "")):
                self._file(entry, constrains or LISTS[option], depth + 1)
            elif option in INDEX and (url := value if equals else next(rest, "")).startswith("https://"):
                self.indexes += ["--index-url" if option == "-i" else option, url]
            elif option in ("-e", "--editable"):
                self._project(value if equals else next(rest, ""))
            elif word.startswith("."):
                self._project(word)
            elif not word.startswith("-"):
                self._name(word, constrains)

    def _name(self, text: str, constrains: bool) -> None:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            return
        into = self.constraints if constrains else self.requirements
        if requirement.url is None and len(into) < MAX_REQUIREMENTS:
            into.setdefault(str(requirement))

    def _file(self, path: str, constrains: bool, depth: int) -> None:
        data = self.view.read(self.folder + path.removeprefix("./"))
        if data is None or depth > MAX_NESTED or (path, constrains) in self.seen:
            return
        self.seen.add((path, constrains))
        for line in data.decode(errors="replace").replace("\\\n", " ").splitlines()[:MAX_REQUIREMENTS]:
            entry = re.split(r"(?:^|\s)#|\s--hash[=\s]", line, maxsplit=1)[0].strip()
            if entry.startswith("-"):
                self.take(entry.split(), constrains, depth)
            elif entry:
                self._name(entry, constrains)

    def _project(self, entry: str) -> None:
        """Add the requirements of the project in a folder: its dependencies, those of the named extras, and its build
        requirements."""
        match = re.fullmatch(r"(?P<path>[\w./-]{1,300})(?:\[(?P<extras>[\w,. -]{1,200})\])?", entry)
        if match is None:
            return
        path = posixpath.normpath(f"{self.folder}{match['path']}") + "/"
        path = "" if path == "./" else path
        data = self.view.read(f"{path}pyproject.toml")
        if data is None and self.view.read(f"{path}setup.py") is None:
            return
        try:
            project = tomllib.loads((data or b"").decode())
        except (ValueError, RecursionError):
            return
        for text in _static(project, [extra.strip() for extra in (match["extras"] or "").split(",")]):
            self._name(text, constrains=False)


def _static(project: dict[str, object], extras: list[str]) -> Iterator[str]:
    entry, build = project.get("project"), project.get("build-system")
    requires = build.get("requires") if isinstance(build, dict) else None
    lists = [requires if isinstance(requires, list) else list(BUILDING)]
    if isinstance(entry, dict):
        optional = entry.get("optional-dependencies")
        lists.append(entry.get("dependencies") or [])
        lists += [optional.get(extra) or [] for extra in extras] if isinstance(optional, dict) else []
    for text in (text for listed in lists if isinstance(listed, list) for text in listed):
        yield str(text)
        if str(text).startswith("hatchling"):
            yield "editables"  # required dynamically by hatchling for an editable install
