"""The installing half of commands that install and check at once (tox, nox, `uv run`, `go test`), as a set-up step.

A check has no network. What its command would fetch is fetched beforehand by the same tool, in the same worktree, where
the command then finds it.
"""

import re
import shlex

from healing.checks.check import Check, Script
from healing.checks.launchers import RUN_OPTIONS

PLAIN = re.compile(r"[\w\s./=:@,\[\]\"'>~!*+\-${}]{1,500}\Z")
MAX_LINES = 200
# uv installs its own Python even where the machine has that version; use the machine's where it fits.
UV_PYTHON = re.compile(r"^(\s*)uv python install ([\w.@-]{1,40})[ \t]*$", re.M)
FOUND_FIRST = r"\1uv python find --system \2 || uv python install \2"
FETCHES = {"go": "go mod download", "cargo": "cargo fetch"}
CHECKING = frozenset(("test", "build", "vet", "run", "check", "clippy", "bench", "doc", "nextest"))


def install_part(script: Script) -> Script | None:
    """What the script's commands install before they check; None where they install nothing."""
    if script.shell not in ("", "bash", "sh"):
        return None
    lines = re.split(r"\n|&&|;", script.run.replace("\\\n", " "))[:MAX_LINES]
    halves = dict.fromkeys(half for line in lines if PLAIN.match(line) and (half := _half(line.strip())))
    if not halves:
        return None
    text = "\n".join(halves)
    name = f"{script.name} (what it installs)"
    return script.model_copy(update={"run": text, "name": name, "tolerant": False, "provides": True})


def with_prefetch(check: Check) -> Check:
    """The check, preceded by set-up that fetches what its command needs."""
    setup = tuple(script.model_copy(update={"run": UV_PYTHON.sub(FOUND_FIRST, script.run)}) for script in check.setup)
    half = install_part(check.step)
    if half is None:
        return check.model_copy(update={"setup": setup})
    return check.model_copy(update={"setup": (*setup, half), "step": check_part(check.step)})


def check_part(script: Script) -> Script:
    """The script without what the installing half did: otherwise tox and nox would create their environments again."""
    lines = [_without_installing(line) for line in script.run.splitlines()]
    return script.model_copy(update={"run": "\n".join(lines)})


def _half(line: str) -> str:
    try:
        words = shlex.split(line.replace("$", "\0"), comments=True)
    except ValueError:
        return ""
    start = next((at for at, word in enumerate(words) if not re.match(r"[A-Za-z_]\w*=", word)), len(words))
    variables, words = words[:start], words[start:]
    if not words:
        return ""
    at, program = _program(words)
    if program in FETCHES:
        # If fetching fails, the repository's own files may suffice; otherwise the command reports what it lacks.
        return f"{FETCHES[program]} || true" if words[at + 1 : at + 2] and words[at + 1] in CHECKING else ""
    install = _install_words(words, at, program)
    return " ".join(_quoted(word) for word in [*variables, *install]) if install else ""


def _install_words(words: list[str], at: int, program: str) -> list[str]:
    """The words that create the environment which a command runs in; empty where it creates none."""
    cut = words.index("--") if "--" in words else len(words)
    if program == "tox":
        return [*words[:cut], "--notest"] if not {"list", "config", "--notest"} & set(words) else []
    if program == "nox":
        return [*words[:cut], "--install-only"]
    if program in ("pre-commit", "prek"):
        return [*words[: at + 1], "install-hooks"]
    if program == "uvx" or words[:2] == ["uv", "run"] or words[:3] == ["uv", "tool", "run"]:
        if words[:2] != ["uv", "run"]:
            return [*words[: at + 1], "--version"]
        return [*(word for word in words[:at] if word not in ("-m", "--module")), "true"]
    if words[:2] == ["hatch", "run"] and at + 1 < len(words):
        return ["hatch", "env", "create", words[2].partition(":")[0] if ":" in words[2] else "default"]
    return ["hatch", "test", "--", "--version"] if words[:2] == ["hatch", "test"] else []


def _program(words: list[str]) -> tuple[int, str]:
    """The index and name of the program that does the work, after what starts it. For a tool that creates environments
    the name is that tool's (`uv run pytest` counts as uv's)."""
    starts = {("uvx",): 1, ("uv", "tool", "run"): 3, ("uv", "run"): 2, ("pipx", "run"): 2, ("python", "-m"): 2}
    size = next((size for start, size in starts.items() if tuple(words[: len(start)]) == start), 0)
    at = size
    while size and at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in RUN_OPTIONS else 1
    if at >= len(words):
        return 0, words[0]
    name = words[at].partition("@")[0]
    makers = ("tox", "nox", "pre-commit", "prek", "pre_commit")
    if name in makers:
        return at, name.replace("_", "-")
    return (at, words[0]) if size else (0, words[0])


def _without_installing(line: str) -> str:
    """The line for an environment that was already created from this very tree."""
    words = line.split()
    for at, word in enumerate(words):
        name = word.partition("@")[0]
        if name == "tox" and not {"--notest", "list", "config", "--skip-pkg-install"} & set(words):
            verb = 1 if words[at + 1 : at + 2] in (["run"], ["r"], ["run-parallel"], ["p"]) else 0
            return re.sub(
                rf"(\b{re.escape(' '.join(words[at : at + 1 + verb]))}\b)", r"\1 --skip-pkg-install", line, count=1
            )
        if name == "nox":
            return re.sub(r"\bnox\b(?!@)", "nox -R", line, count=1)
    return line


def _quoted(word: str) -> str:
    word = word.replace("\0", "$")
    return word if re.fullmatch(r"[\w./*?\[\],:=@%+${}~-]+", word) else shlex.quote(word)
