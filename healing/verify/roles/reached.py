"""Finds the scripts that a command runs before a tool checks the code: they are part of the judge.

They are read from the words of the command and of what it calls (a Makefile's recipes, the scripts of package.json,
shell scripts), so nothing has to be run.
"""

import json
import posixpath
import re
from collections.abc import Callable, Collection, Iterator

from healing.verify.guard.exits import RUNS

Read = Callable[[str], bytes | None]
MAX_FILES = 60
MAX_BYTES = 200_000
INTERPRETERS = r"(?:ba|z|da|k)?sh|python[\d.]{0,4}|node|deno|bun|tsx|ts-node|ruby|perl|php|pwsh|source|\."
# A program of the repository, run by an interpreter with options or by its own path.
EXECUTED = re.compile(
    rf"(?:^|[\s;&|(`\"'@])(?:{INTERPRETERS})[ \t]+(?:(?:-[\w=./-]{{1,40}}|run)[ \t]+){{0,6}}"
    r"(?P<file>[\w./@+-]{1,200})"
    r"|(?:^|[;&|(`\"']|\b(?:then|do|else|exec|time|nice|env)\b)[ \t@-]{0,40}(?P<own>[\w.@+-]{1,99}/[\w./@+-]{1,199})",
    re.M,
)
WORD = re.compile(r"[\w@+-][\w./@+-]{0,199}")
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
# The files that a launcher reads in the folder it is called in.
LAUNCHERS = {
    **dict.fromkeys(("make", "gmake"), MAKEFILES),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml", "pyproject.toml"),
    "rake": ("Rakefile",),
    "composer": ("composer.json",),
    "deno": ("deno.json", "deno.jsonc"),
    **dict.fromkeys(("npm", "npx", "pnpm", "yarn", "bun", "bunx"), ("package.json",)),
    "tox": ("tox.ini", "pyproject.toml", "setup.cfg", "tox.toml"),
    "nox": ("noxfile.py",),
    "hatch": ("pyproject.toml", "hatch.toml"),
    **dict.fromkeys(("poe", "pdm"), ("pyproject.toml",)),
    **dict.fromkeys(("inv", "invoke"), ("tasks.py",)),
    "doit": ("dodo.py",),
    "pipenv": ("Pipfile",),
    "mage": ("magefile.go",),
    "mise": ("mise.toml", ".mise.toml"),
    "pre-commit": (".pre-commit-config.yaml",),
}
# Commands that run tests: everything else in the same script prepares for them, or counts what they reported.
RUNNER = re.compile(rf"{RUNS.pattern}|\bnode(?: --[\w=./-]{{1,40}}){{0,6}} --test\b|\b(?:bun|deno) test\b")
COMPARES = re.compile(r"\b(?:assert|expect|cmp|diff|grep|test|exit)\b|\[\[? ", re.M)
SHELL = (".sh", ".bash", ".zsh", ".ksh", ".ps1", ".cmd", ".bat", ".mk")


def scripts(commands: Collection[tuple[str, str]], paths: Collection[str], read: Read) -> dict[str, str]:
    """The files that commands (folder, text) run or read, each with the reason."""
    reached: dict[str, str] = {}
    todo = [(cwd, text, "the failing command", True) for cwd, text in commands]
    while todo and len(reached) < MAX_FILES:
        cwd, text, caller, direct = todo.pop(0)
        for path in called_files(cwd, text, paths):
            data = read(path) or b""
            if path in reached or len(data) > MAX_BYTES:
                continue
            inner = commands_of(path, data.decode("utf-8", "replace"))
            if _drives(path, inner, cwd, direct, paths) or (caller in reached and RUNNER.search(text)):
                reached[path] = f"{caller} runs it"
                folder = cwd if posixpath.basename(path) not in MAKEFILES else posixpath.dirname(path)
                todo.append((folder, inner, path, False))
    return reached


def called_texts(cwd: str, text: str, paths: Collection[str], read: Read) -> Iterator[tuple[str, str]]:
    """The files that commands run, or in which their launchers look up what to run, and what these run in turn; each
    once, with its text."""
    todo, seen = [text], set[str]()
    while todo and len(seen) < MAX_FILES:
        for path in called_files(cwd, todo.pop(0), paths):
            data = read(path) or b""
            if path not in seen and len(data) <= MAX_BYTES:
                seen.add(path)
                inner = data.decode("utf-8", "surrogateescape")
                todo.append(commands_of(path, inner))
                yield path, inner


def called_files(cwd: str, text: str, paths: Collection[str]) -> Iterator[str]:
    """The files that commands run, and those in which their launchers look up what to run."""
    for word in dict.fromkeys(WORD.findall(text)):
        for name in LAUNCHERS.get(word, ()):
            if (path := _inside(cwd, name)) in paths:
                yield path
    for match in EXECUTED.finditer(text):
        word = match["file"] or match["own"]
        module = word.replace(".", "/")  # python -m NAME
        places = (word, f"{module}.py", f"{module}/__main__.py")
        for path in dict.fromkeys(_inside(folder, place) for folder in (cwd, "") for place in places):
            if path in paths:
                yield path


def _inside(cwd: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(cwd, name)).removeprefix("./")


def commands_of(path: str, text: str) -> str:
    """The commands in a file: of a package.json its scripts, of others the whole text."""
    if posixpath.basename(path) != "package.json":
        return text
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError):
        return text
    scripts = manifest.get("scripts") if isinstance(manifest, dict) else None
    return "\n".join(map(str, scripts.values())) if isinstance(scripts, dict) else ""


def _drives(path: str, text: str, cwd: str, direct: bool, paths: Collection[str]) -> bool:
    """Whether a program decides about others rather than being what is tested: it runs checks, it is the shell script
    that the command itself names, or it compares what others print or calls programs of other kinds."""
    name = posixpath.basename(path)
    if any(name in names for names in LAUNCHERS.values()) or RUNS.search(text):
        return True
    if not path.endswith(SHELL):
        return False
    calls = (other for other in called_files(cwd, text, paths) if not other.endswith(SHELL))
    return direct or bool(COMPARES.search(text)) or next(calls, None) is not None
