"""What `npm test` and the like run: the words of the script in package.json, where it is one plain command."""

import json
from collections.abc import Callable
from dataclasses import dataclass

from healing.checks.check import WORKSPACE
from healing.checks.narrowing.words import assignments, simple

Read = Callable[[str], bytes | None]
TEST = ("test", "t", "tst")  # the verbs by which each package manager runs the script `test`
# How each runs a program of the project itself; package scripts call those by name.
RUNNERS = {"npm": ["npx", "--no-install"], "pnpm": ["pnpm", "exec"], "yarn": ["yarn", "run"], "bun": ["bunx"]}


@dataclass(frozen=True)
class ScriptCall:
    """A call of a script in package.json: the package manager, the script's name and the arguments passed on to it."""

    tool: str
    name: str
    more: tuple[str, ...] = ()

    @property
    def runner(self) -> str:
        """The command that runs a program of the project itself; package scripts call those by name."""
        return " ".join(RUNNERS[self.tool])

    def script(self, cwd: str, read: Read) -> str:
        """The script's text; empty where it doesn't exist, or where pre and post scripts run around it."""
        folder = cwd.removeprefix(WORKSPACE).lstrip("/").removeprefix("./").strip("./")
        scripts = _scripts(read(f"{folder}/package.json" if folder else "package.json"))
        alone = not {f"pre{self.name}", f"post{self.name}"} & scripts.keys()
        return str(scripts.get(self.name, "")) if alone else ""


def spelled_out(words: list[str], cwd: str, read: Read) -> list[str] | None:
    """The words of the program that the script runs, with its runner before them; the same words where they call no
    script. None: the script is more than one plain command, or pre and post scripts run around it."""
    call = script_called(words)
    if call is None:
        return words
    script = simple(call.script(cwd, read))
    if not script:
        return None
    split = len(assignments(script))
    return [*script[:split], *RUNNERS[call.tool], *script[split:], *call.more]


def script_called(words: list[str]) -> ScriptCall | None:
    """The script that a simple command calls; None where it calls none, or where its arguments can't be passed on."""
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
