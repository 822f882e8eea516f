"""What `npm test` and its like run: the words of the script in package.json, where it is one plain command."""

import json
from collections.abc import Callable

from healing.checks.check import WORKSPACE
from healing.checks.narrowing.words import simple

Read = Callable[[str], bytes | None]
TEST = ("test", "t", "tst")  # what each of them calls a script of that name by
# How each runs a program of the project's own, which is what its scripts call.
RUNNERS = {"npm": ["npx", "--no-install"], "pnpm": ["pnpm", "exec"], "yarn": ["yarn", "run"], "bun": ["bunx"]}


def spelled_out(words: list[str], cwd: str, read: Read) -> list[str] | None:
    """The words of the program that the script calls, with what runs it before them; the same words where they call no
    script. None: the script is more than one plain command, or others run before and after it."""
    found = _called(words)
    if found is None:
        return words
    tool, name, more = found
    folder = cwd.removeprefix(WORKSPACE).lstrip("/").removeprefix("./").strip("./")
    scripts = _scripts(read(f"{folder}/package.json" if folder else "package.json"))
    script = simple(str(scripts.get(name, ""))) if not {f"pre{name}", f"post{name}"} & scripts.keys() else None
    if not script:
        return None
    at = next((at for at, word in enumerate(script) if "=" not in word or word.startswith("-")), len(script))
    return [*script[:at], *RUNNERS[tool], *script[at:], *more]


def _called(words: list[str]) -> tuple[str, str, list[str]] | None:
    """The package manager, the script's name and what is handed on to it; None where no script is called."""
    tool, verb = words[0] if words else "", words[1] if len(words) > 1 else ""
    if tool not in RUNNERS:
        return None
    if verb in TEST and (tool != "bun"):  # `bun test` is a test runner of its own
        name, rest = "test", words[2:]
    elif verb in ("run", "run-script") and len(words) > 2:
        name, rest = words[2], words[3:]
    else:
        return None
    if rest[:1] == ["--"]:
        return tool, name, rest[1:]
    return (tool, name, rest) if not rest or tool in ("yarn", "pnpm", "bun") else None


def _scripts(data: bytes | None) -> dict[str, object]:
    try:
        manifest = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return {}
    scripts = manifest.get("scripts") if isinstance(manifest, dict) else None
    return scripts if isinstance(scripts, dict) else {}
