"""The goal of a Makefile, justfile or package.json that writes what another one checks: `fmt` beside `fmt-check`.

It is chosen by its name in the repository's own files, never by what a check prints.
"""

import json
import re
from collections.abc import Iterator

from healing.checks.makefiles import MAKEFILES
from healing.checks.narrowing.words import simple
from healing.checks.npm_scripts import Read, in_folder, script_called

JUSTFILES = ("justfile", "Justfile", ".justfile")
GOAL = re.compile(r"^@?(?P<name>[A-Za-z_][\w.-]*)(?:[ \t]+[^:=\n]{0,200})?[ \t]*:(?![=])", re.M)
NAME = re.compile(r"[A-Za-z_][\w:.-]*")
CHECKS = re.compile(r"(?:[-_:.](?:check|verify|diff|validate|ci)|^(?:check|verify|validate|ci)[-_:.])")
LINTS = re.compile(r"lint|style|fmt|format|check|verify|pretty|prettier|tidy")
FIXES = ("{0}-fix", "{0}:fix", "{0}_fix", "fix-{0}", "fix:{0}", "{0}:write")
ANY = ("fix", "fmt", "format", "lint-fix", "lint:fix")
MOST = 2


def writing_goals(run: str, cwd: str, read: Read) -> tuple[str, ...]:
    """The commands that call the goals which, by their names, write what the command's goal checks, the likeliest
    first; at most two."""
    words = simple(run) or []
    call = script_called(words)
    if call:
        starts, goals, names = f"{call.tool} run", [call.name], _scripts(read(in_folder(cwd, "package.json")))
    elif words[:1] in (["make"], ["just"]):
        files = MAKEFILES if words[0] == "make" else JUSTFILES
        data = next((data for name in files if (data := read(in_folder(cwd, name))) is not None), b"")
        names = frozenset(match["name"] for match in GOAL.finditer(data.decode("utf-8", "replace")))
        starts, goals = words[0], [word for word in words[1:] if NAME.fullmatch(word)]
    else:
        return ()
    own, other = (dict.fromkeys(name for goal in goals for name in find(goal)) for find in (_siblings, _any))
    found = [name for name in own if name in names - {*goals}] or [name for name in other if name in names - {*goals}]
    return tuple(f"{starts} {name}" for name in found[:MOST])


def _siblings(goal: str) -> Iterator[str]:
    """The names that a goal which writes may have, the likeliest first; none for a goal that checks something else than
    how code is written."""
    if not LINTS.search(goal):
        return
    plain = CHECKS.sub("", goal)
    if plain != goal:
        yield plain
    for name in dict.fromkeys((goal, plain)):
        yield from (form.format(name) for form in FIXES)


def _any(goal: str) -> tuple[str, ...]:
    return ANY if LINTS.search(goal) else ()


def _scripts(data: bytes | None) -> frozenset[str]:
    try:
        manifest = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return frozenset()
    scripts = manifest.get("scripts") if isinstance(manifest, dict) else None
    return frozenset(name for name in scripts if NAME.fullmatch(name)) if isinstance(scripts, dict) else frozenset()
