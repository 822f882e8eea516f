"""The person's own git settings, as far as commands that commit need them: name, address, and how files and branches
are treated. Nothing that runs a program or contains a login."""

import re
import subprocess
from collections.abc import Mapping

NAMES = re.compile(
    r"user\.(?:name|email|useconfigonly)|init\.defaultbranch|core\.(?:autocrlf|eol|safecrlf|quotepath|filemode)"
    r"|(?:merge\.conflictstyle|pull\.(?:rebase|ff)|push\.default|diff\.(?:renames|algorithm|mnemonicprefix|noprefix))"
    r"|protocol\.file\.allow|advice\.\w{1,60}|color\.ui|safe\.directory"
)
MAX_BYTES = 65_536
SECONDS = 10


def git_settings(environ: Mapping[str, str]) -> bytes:
    """The text of a `.gitconfig` with these settings, from all files that git reads outside of a repository; empty
    where git is missing, or none of them is set."""
    variables = {name: value for name, value in environ.items() if not name.startswith("GIT_") or name in FILES}
    try:
        completed = subprocess.run(
            ("git", "config", "--includes", "--list", "--null"),
            cwd="/",
            env={**variables, "GIT_CEILING_DIRECTORIES": "/"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return b""
    pairs = (entry.partition("\n") for entry in completed.stdout.decode(errors="replace").split("\0"))
    lines = [_line(name, value) for name, _, value in pairs if NAMES.fullmatch(name)]
    return "".join(lines).encode()[:MAX_BYTES]


FILES = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")


def _line(name: str, value: str) -> str:
    section, _, key = name.rpartition(".")
    quoted = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'[{section}]\n\t{key} = "{quoted}"\n'
