"""What installing set-up steps read from a repository: as long as that is unchanged, so is what they install."""

import itertools
import json
import re
import shlex
from collections.abc import Iterable, Iterator

from healing.checks.check import Script
from healing.model import content_id
from healing.view import TreeView

MANIFESTS = re.compile(
    r"(?:\.(?:txt|in|toml|cfg|lock|gemspec)|/(?:setup\.py|Pipfile|package(?:-lock)?\.json|npm-shrinkwrap\.json|"
    r"\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.cjs|pnpm-(?:lock|workspace)\.yaml|binding\.gyp|go\.(?:mod|sum|work)|"
    r"Gemfile|composer\.json|\.python-version)|/\.yarn/.{1,300})\Z"
)
# An editable install leaves sources in place; only the version and compiled files are produced once.
BUILT = re.compile(r"(?:/(?:__init__|__about__|_?version)\.py|\.(?:pyx|pxd|c|cc|cpp|h|hpp|rs|f|f90))\Z")
LIFECYCLE = ("preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare")
HARMLESS = ("husky", "husky install", "husky || true")
QUOTED = re.compile(r"""'[^']*'|"[^"$`\\]*\"""")
SHELL = set("|&;<>()$`*?[]{}~\\")
PIP_OPTIONS = {"-r", "-c", "--requirement", "--constraint", "-i", "--index-url", "--extra-index-url", "-t", "--target"}
LISTS = {"-r", "--requirement", "-c", "--constraint"}
MAX_LISTS = 50
COPYING = {
    "--no-editable",
    "--install-links",
}  # options that copy this repository, so that the copy doesn't change with it
PROJECTS = {("poetry", "install"), ("pdm", "install"), ("pdm", "sync"), ("uv", "sync"), ("hatch", "env")}
MODULES = {
    *{("go", "mod"), ("cargo", "fetch"), ("bundle", "install"), ("bundle", ""), ("composer", "install")},
    *{("pipenv", "install"), ("pipenv", "sync")},
}
PACKAGES = {(tool, verb) for tool in ("npm", "pnpm", "yarn", "bun") for verb in ("ci", "install", "i", "")}


def inputs(scripts: Iterable[Script], view: TreeView) -> str | None:
    """An id of everything that these scripts read from the tree, where they only install. None where that can't be
    determined."""
    kinds = {kind for script in scripts for kind in _kinds(script, view)}
    if "" in kinds or ("packages" in kinds and _runs_scripts(view)):
        return None
    own = "own" in kinds
    read = [path for path in view.paths() if MANIFESTS.search(f"/{path}") or (own and BUILT.search(f"/{path}"))]
    folders = sorted({path.partition("/")[0] for path in view.paths()}) if own else []
    return content_id([[path, view.blob(path)] for path in read], folders)


def commands(script: Script) -> Iterator[list[str] | None]:
    """Yield the words of each of a script's commands; None for one that is more than plain words."""
    if script.shell not in ("", "bash", "sh"):
        yield None
        return
    for line in re.split(r"\n|&&", script.run.replace("\\\n", " ")):
        if line.strip() and not line.lstrip().startswith("#"):
            yield _words(line)


def _words(line: str) -> list[str] | None:
    try:
        words = shlex.split(line)
    except ValueError:
        return None
    bare = re.sub(r"\[[\w,. -]{1,200}\]", "", QUOTED.sub("", line))
    return None if SHELL & set(bare) else words


def _kinds(script: Script, view: TreeView) -> set[str]:
    """The kinds of installs that a script consists of; contains an empty one where it does anything else."""
    if script.brings:
        return {"named"}
    folder = script.cwd.removeprefix("./").rstrip("/") + "/" if script.cwd not in (".", "./", "") else ""
    kinds = set()
    for words in commands(script):
        kinds.add("" if words is None or set(words) & COPYING else _kind(words))
        kinds |= set(_kinds_in_requirements(words or [], view, folder, set()))
    return kinds


def _kinds_in_requirements(words: list[str], view: TreeView, folder: str, seen: set[str]) -> Iterator[str]:
    """Yield the kinds of what the requirements files named in these words contain besides releases."""
    for before, word in itertools.pairwise(words):
        path = folder + word.removeprefix("./")
        if before not in LISTS or path in seen:
            continue
        seen.add(path)
        if len(seen) > MAX_LISTS:
            yield ""
            return
        for line in (view.read(path) or b"").decode(errors="replace").splitlines():
            entry = line.strip()
            plain = entry.partition(";")[0].partition("#")[0].strip()
            if entry.startswith(("-e", "--editable")):
                yield "own"
            elif entry.startswith("-"):
                yield from _kinds_in_requirements(entry.split(), view, path[: path.rfind("/") + 1], seen)
            elif plain == "." or plain.endswith(".whl") or "file:" in plain or ("/" in plain and "://" not in plain):
                yield ""


def pip_arguments(words: list[str]) -> list[str] | None:
    """The arguments after `pip install` (of pip or uv); None for any other command."""
    at = 0
    if words and re.fullmatch(r"python3?(?:\.\d+)?", words[0]) and words[1:2] == ["-m"]:
        at = 2
    elif words[:1] == ["uv"]:
        at = 1
    installs = words[at : at + 1] in (["pip"], ["pip3"]) and words[at + 1 : at + 2] == ["install"]
    return words[at + 2 :] if installs else None


def _kind(words: list[str]) -> str:
    arguments = pip_arguments(words)
    if arguments is not None:
        return _pip_kind(arguments)
    verb = next((word for word in words[1:] if not word.startswith("-")), "")
    called = (words[0] if words else "", verb)
    if called in PACKAGES:
        return "named" if "--ignore-scripts" in words else "packages"
    return "own" if called in PROJECTS else "named" if called in MODULES else ""


def _pip_kind(arguments: list[str]) -> str:
    """`named`: from an index, or a file that names it; `own`: this repository, in place; empty: a copy of this
    repository."""
    kind = "named"
    for before, word in zip(["", *arguments], arguments, strict=False):
        if before in PIP_OPTIONS or word.startswith("-"):
            continue
        if before in ("-e", "--editable"):
            kind = "own"
        elif word.startswith((".", "/")) or "/" in word.partition("@")[0]:
            return ""
    return kind


def _runs_scripts(view: TreeView) -> bool:
    """Whether a package of this repository runs code of its own when it is installed."""
    for path in view.paths():
        name = path.rpartition("/")[2]
        if name == "binding.gyp":
            return True
        if name == "package.json":
            try:
                entry = json.loads(view.read(path) or b"{}")
                scripts = entry.get("scripts", {})
                if any(str(scripts[name]).strip() not in HARMLESS for name in LIFECYCLE if name in scripts):
                    return True
            except (ValueError, AttributeError, TypeError, RecursionError):
                return True
    return False
