"""What `npm test` and the like run: scripts of package.json."""

import json
from collections.abc import Callable
from dataclasses import dataclass

from healing.checks.check import WORKSPACE

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
        scripts = _scripts(read(in_folder(cwd, "package.json")))
        alone = not {f"pre{self.name}", f"post{self.name}"} & scripts.keys()
        return str(scripts.get(self.name, "")) if alone else ""


def in_folder(cwd: str, name: str) -> str:
    """The path of a file in a step's folder, from the repository's root."""
    folder = cwd.removeprefix(WORKSPACE).lstrip("/").removeprefix("./").strip("./")
    return f"{folder}/{name}" if folder else name


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
