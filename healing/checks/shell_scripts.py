"""The commands of a shell script of the repository, where it is a list that ends at the first one that fails."""

import posixpath
import re

from healing.checks.npm_scripts import Read, in_folder

SHEBANG = re.compile(r"#!\s*/(?:usr/)?bin/(?:env\s+)?(?:ba)?sh\b(?P<options>.*)")
SETS = re.compile(r"set((?:\s+[-+][a-zA-Z]+|\s+(?:pipefail|errexit|nounset|xtrace))+)\s*$")
STOPS = re.compile(r"-[a-df-zA-Z]*e|-o\s+errexit\b")
GOES_ON = re.compile(r"\+[a-df-zA-Z]*e|\+o\s+errexit\b")
ASSIGNS = re.compile(r"""[A-Za-z_]\w*\+?=(?:'[^']*'|"[^"]*"|[^\s'"])*\s*$""")  # other lines may need the variable
# `cd "$(dirname "$0")/.."`: the folder above the script's.
TO_OWN = re.compile(
    r"""cd (?:-- )?["']?\$\(dirname (?:-- )?["']?(?:\$0|\$\{?BASH_SOURCE(?:\[0\]\})?)["']?\)"""
    r"""(?P<up>(?:/\.\.)*)["']?\s*$"""
)
MAX_BYTES = 50_000


def script_commands(words: list[str], cwd: str, read: Read) -> str:
    """The commands of the script that these words run, a line each; empty where they run none, or where it doesn't end
    at the first command that fails, or starts in another folder."""
    called = words[1:] if words[:1] in (["bash"], ["sh"]) else words if words[:1] and "/" in words[0] else []
    options, path = called[:-1], called[-1] if called else ""
    data = read(posixpath.normpath(in_folder(cwd, path))) if path and not path.startswith(("-", "/")) else None
    if data is None or len(data) > MAX_BYTES or not all(re.fullmatch(r"-[eux]+", option) for option in options):
        return ""
    first, *lines = data.decode("utf-8", "replace").replace("\\\n", " ").splitlines() or [""]
    shebang = SHEBANG.match(first)
    if shebang is None:
        return ""
    stops = any(map(STOPS.match, [*options, *shebang["options"].split()]))
    commands: list[str] = []
    for line in map(str.strip, lines):
        if not line or line.startswith("#"):
            continue
        if ASSIGNS.match(line):
            return ""
        if sets := SETS.match(line):
            if GOES_ON.search(sets[1]):
                return ""
            stops = stops or bool(STOPS.search(sets[1]))
        elif not (_stays(line, path) and not commands):
            commands.append(line)
            if not stops and len(commands) > 1:
                return ""
    return "\n".join(commands)


def _stays(line: str, path: str) -> bool:
    """Whether a `cd` leads to the folder that the script is called in."""
    there = TO_OWN.match(line)
    return bool(there) and posixpath.normpath(f"{posixpath.dirname(path) or '.'}{there['up'] if there else ''}") == "."
