"""What `npm test` and its like run: the words of the script in package.json, where it is one plain command."""

import json
from collections.abc import Callable
from dataclasses import dataclass

from healing.checks.check import WORKSPACE
from healing.checks.narrowing.words import assignments, simple

Read = Callable[[str], bytes | None]
TEST = ("test", "t", "tst")  # what each of them calls a script of that name by
# How each runs a program of the project's own, which is what its scripts call.
RUNNERS = {"npm": ["npx", "--no-install"], "pnpm": ["pnpm", "exec"], "yarn": ["yarn", "run"], "bun": ["bunx"]}


@dataclass(frozen=True)
class ScriptCall:
    """A call of a script of package.json: the package manager, the script's name and what is handed on to it."""

    tool: str
    name: str
    more: tuple[str, ...] = ()

    @property
    def runner(self) -> str:
        """What runs a program of the project's own, which is what its scripts call."""
        return " ".join(RUNNERS[self.tool])

    def script(self, cwd: str, read: Read) -> str:
        """The script's text; empty where there is none, or where others run before and after it."""
        folder = cwd.removeprefix(WORKSPACE).lstrip("/").removeprefix("./").strip("./")
        scripts = _scripts(read(f"{folder}/package.json" if folder else "package.json"))
        alone = not {f"pre{self.name}", f"post{self.name}"} & scripts.keys()
        return str(scripts.get(self.name, "")) if alone else ""


def spelled_out(words: list[str], cwd: str, read: Read) -> list[str] | None:
    """The words of the program that the script calls, with what runs it before them; the same words where they call no
    script. None: the script is more than one plain command, or others run before and after it."""
    call = script_called(words)
    if call is None:
        return words
    script = simple(call.script(cwd, read))
    if not script:
        return None
    at = len(assignments(script))
    return [*script[:at], *RUNNERS[call.tool], *script[at:], *call.more]


def script_called(words: list[str]) -> ScriptCall | None:
    """The script that a simple command calls; None where it calls none."""
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
        return ScriptCall(tool, name, tuple(rest[1:]))
    return ScriptCall(tool, name, tuple(rest)) if not rest or tool in ("yarn", "pnpm", "bun") else None


def _scripts(data: bytes | None) -> dict[str, object]:
    try:
        manifest = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return {}
    scripts = manifest.get("scripts") if isinstance(manifest, dict) else None
    return scripts if isinstance(scripts, dict) else {}
