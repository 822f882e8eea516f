"""Decides who may share an environment that set-up steps created: all of a repository, or one pull request alone.

What a pull request's own code did while it was installed must not reach the environment of another one; GitHub's caches
are isolated in the same way. Where steps install only published packages, by name, none of the repository's code runs.
"""

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from healing.checks.check import Script
from healing.checks.installing import commands
from healing.view import TreeView

OPTIONS = {"-q", "--quiet", "-U", "--upgrade", "--no-cache-dir", "--no-deps", "--require-hashes", "--prefer-binary"}
LISTS = {"-r", "--requirement", "-c", "--constraint"}
# Variables that can make a package manager run or read something else.
LEADING = re.compile(r"(?:PIP|UV|PYTHON|NODE|GO|CARGO|RUST|LD|BASH|GIT)[A-Z]*(?:_|\Z)|npm_|PATH\Z|HOME\Z|ENV\Z", re.I)
HARMLESS = re.compile(r"https://\S+|[0-9][0-9.]{0,20}|true|false|on|off", re.I)
FETCHING = (
    ["npm", "ci", "--ignore-scripts"],
    ["go", "mod", "download"],
    ["cargo", "fetch"],
    ["cargo", "fetch", "--locked"],
)
MAX_FILES = 50
PROGRAMS = (
    *("python3", "pip", "uv", "poetry", "pdm", "pipenv", "hatch", "tox", "nox", "node", "npm", "pnpm", "yarn", "bun"),
    *("corepack", "go", "cargo", "rustc", "ruby", "bundle", "php", "composer", "java", "gcc", "cc", "make", "git"),
)


def installs_only_published(scripts: Iterable[Script], view: TreeView) -> bool:
    """Whether these scripts install only published packages by name, so that no code of the repository runs
    meanwhile."""
    return all(_plain(script, view) for script in scripts)


def _plain(script: Script, view: TreeView) -> bool:
    if any(LEADING.match(name) and not HARMLESS.fullmatch(value) for name, value in script.env.items()):
        return False
    if script.brings:
        return True
    folder = "" if script.cwd in (".", "./", "") else script.cwd.removeprefix("./").rstrip("/") + "/"
    for words in commands(script):
        if words in FETCHING:
            continue
        # Not `python -m pip`: that imports modules from the current folder.
        if words is None or words[:2] not in (["pip", "install"], ["pip3", "install"]):
            return False
        if not _names_releases(words[2:], view, folder, set()):
            return False
    return True


def _names_releases(words: list[str], view: TreeView, folder: str, seen: set[str]) -> bool:
    """Whether these arguments, or this line of a requirements file, name only releases."""
    rest = iter(words)
    for word in rest:
        option, equals, value = word.partition("=")
        if option in LISTS:
            if not _file(folder + (value if equals else next(rest, "")).removeprefix("./"), view, seen):
                return False
        elif word not in OPTIONS and not _is_release(word):
            return False
    return True


def _file(path: str, view: TreeView, seen: set[str]) -> bool:
    if path in seen:
        return True
    seen.add(path)
    data = view.read(path)
    if data is None or len(seen) > MAX_FILES:
        return False
    folder = path[: path.rfind("/") + 1]
    for line in data.decode(errors="replace").replace("\\\n", " ").splitlines():
        entry = re.split(r"(?:^|\s)#|\s--hash[=\s]", line, maxsplit=1)[0].strip()
        if entry and not (
            _names_releases(entry.split(), view, folder, seen) if entry.startswith("-") else _is_release(entry)
        ):
            return False
    return True


def _is_release(text: str) -> bool:
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        return Requirement(text).url is None
    except InvalidRequirement:
        return False


def machine(env: Mapping[str, str]) -> list[object]:
    """What an environment depends on besides its inputs: the machine's programs, its system and its boot id. A crash
    may lose what was not yet written to disk, so nothing is reused across boots."""
    path = env.get("PATH", "")
    return [_text("/proc/sys/kernel/random/boot_id"), _text("/etc/os-release"), *_programs(path)]


def _programs(path: str) -> Iterator[tuple[str, str, int]]:
    for name in PROGRAMS:
        if program := shutil.which(name, path=path):
            real = os.path.realpath(program)
            status = os.stat(real)
            yield name, real, status.st_mtime_ns


def _text(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
