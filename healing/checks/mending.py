"""The entry of `checks:` in `.github/heal.yml` that says what a step of CI runs."""

import json
import re
import shlex
from collections.abc import Iterable

from healing.checks.check import WORKSPACE, Check, Script

PLAIN = re.compile(r"[A-Za-z0-9_./][\w ./=,+@%-]{0,200}\Z")
MEANT = ("true", "false", "null", "yes", "no", "on", "off")
MOST = 2_000  # characters of a command in heal.yml


def command(script: Script) -> str:
    """What a person would type in the repository's top folder for this step; empty where that can't be said: the step
    is written for another shell than bash, or lies outside."""
    if script.shell not in ("", "bash", "sh") and not script.shell.startswith(("bash ", "sh ")):
        return ""
    folder = script.cwd.removeprefix(f"{WORKSPACE}/").removeprefix(WORKSPACE).removeprefix("./") or "."
    exports = [f"export {key}={_quoted(value)}" for key, value in sorted(script.env.items()) if value]
    lines = [*exports, *([f"cd {shlex.quote(folder)}"] if folder != "." else []), script.run.strip()]
    told = "\n".join(lines).replace(WORKSPACE, "$GITHUB_WORKSPACE")
    usable = bool(script.run.strip()) and len(told) <= MOST and not folder.startswith("/")
    return told if usable else ""


def _quoted(value: str) -> str:
    return f'"{WORKSPACE}"'.join(shlex.quote(part) if part else "" for part in value.split(WORKSPACE))


def whole_command(check: Check) -> str:
    """The same with the check's set-up before it; empty where one of them can't be said, or where it has servers."""
    told = [command(script) for script in (*check.setup, check.step)]
    setup = [_apart(one, script.tolerant) for one, script in zip(told, check.setup, strict=False)]
    whole = "\n".join([*setup, told[-1]])
    return whole if all(told) and not check.servers and len(whole) <= MOST else ""


def _apart(told: str, tolerant: bool) -> str:
    """A set-up step whose folder, variables and failure are not those of what comes after it."""
    if tolerant:
        return f"(\n{told}\n) || true"
    return f"(\n{told}\n)" if told.startswith(("cd ", "export ")) else told


def entry(told: str, remark: str = "") -> str:
    """The command as one entry of a YAML list, with a comment; several lines where it has several."""
    after = f"  # {' '.join(remark.split())}" if remark else ""
    if "\n" in told and told == told.strip() and told.replace("\n", "").isprintable():
        return f"- |{after}\n" + "\n".join(f"    {line}" if line else "" for line in told.split("\n"))
    plain = PLAIN.match(told) and told.lower() not in MEANT and told == told.strip() and not _is_number(told)
    return f"- {told if plain else json.dumps(told, ensure_ascii=False)}{after}"


def _is_number(told: str) -> bool:
    return bool(re.fullmatch(r"[0-9._+:TZx-]*", told))


def remark(unknown: Iterable[str]) -> str:
    """What has to be filled in first; empty where nothing has."""
    names = list(dict.fromkeys(unknown))
    return f"put in what stands for {', '.join(f'${{{{ {name} }}}}' for name in names)}" if names else ""


def network_line(hosts: Iterable[str]) -> str:
    """The line that lets set-up steps reach these hosts; empty where there are none."""
    told = ", ".join(hosts)
    return f"network: [{told}]" if told else ""


def file_of(entries: Iterable[str]) -> str:
    """A whole `checks:`."""
    lines = [line for one in entries for line in one.split("\n")]
    return "\n".join(["checks:", *(f"  {line}" if line else "" for line in lines)])
