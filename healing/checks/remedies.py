"""Entries of `checks:` and `setup:` in `.github/heal.yml` that stand for steps of CI."""

import json
import re
import shlex
from collections.abc import Iterable

from healing.checks.check import WORKSPACE, Script

PLAIN = re.compile(r"[A-Za-z0-9_./][\w ./=,+@%-]{0,200}\Z")
YAML_WORDS = ("true", "false", "null", "yes", "no", "on", "off")
LIMIT = 2_000  # characters of a command in heal.yml


def command(script: Script) -> str:
    """The command that a person would type in the repository's top folder for this step. Empty where that can't be
    determined: the step uses a shell other than bash or sh, its folder lies outside, or the command is too long."""
    if script.shell not in ("", "bash", "sh") and not script.shell.startswith(("bash ", "sh ")):
        return ""
    folder = script.cwd.removeprefix(f"{WORKSPACE}/").removeprefix(WORKSPACE).removeprefix("./") or "."
    exports = [f"export {key}={_quoted(value)}" for key, value in sorted(script.env.items()) if value]
    lines = [*exports, *([f"cd {shlex.quote(folder)}"] if folder != "." else []), script.run.strip()]
    command = "\n".join(lines).replace(WORKSPACE, "$GITHUB_WORKSPACE")
    usable = bool(script.run.strip()) and len(command) <= LIMIT and not folder.startswith("/")
    return command if usable else ""


def _quoted(value: str) -> str:
    return f'"{WORKSPACE}"'.join(shlex.quote(part) if part else "" for part in value.split(WORKSPACE))


def setup_command(script: Script) -> str:
    """The command for a set-up step, tolerant of failure where CI is; empty where it can't be determined."""
    text = command(script)
    return f"(\n{text}\n) || true" if text and script.tolerant else text


def entry(command: str, remark: str = "") -> str:
    """The command as one entry of a YAML list, with a comment; on several lines where the command has several."""
    after = f"  # {' '.join(remark.split())}" if remark else ""
    if "\n" in command and command == command.strip() and command.replace("\n", "").isprintable():
        return f"- |{after}\n" + "\n".join(f"    {line}" if line else "" for line in command.split("\n"))
    plain = (
        PLAIN.match(command)
        and command.lower() not in YAML_WORDS
        and command == command.strip()
        and not _is_number(command)
    )
    return f"- {command if plain else json.dumps(command, ensure_ascii=False)}{after}"


def _is_number(command: str) -> bool:
    return bool(re.fullmatch(r"[0-9._+:TZx-]*", command))


def remark(unknown: Iterable[str]) -> str:
    """What has to be filled in first; empty where nothing has to be."""
    names = list(dict.fromkeys(unknown))
    return f"put in what stands for {', '.join(f'${{{{ {name} }}}}' for name in names)}" if names else ""


def network_line(hosts: Iterable[str]) -> str:
    """The line that allows set-up steps to reach these hosts; empty where there are none."""
    command = ", ".join(hosts)
    return f"network: [{command}]" if command else ""


def file_of(entries: Iterable[str], setup: Iterable[str] = ()) -> str:
    """A complete `checks:` section, preceded by a `setup:` section where there is one."""
    return "\n".join([*_listed("setup", setup), *_listed("checks", entries)])


def _listed(key: str, entries: Iterable[str]) -> list[str]:
    lines = [line for item in entries for line in item.split("\n")]
    return [f"{key}:", *(f"  {line}" if line else "" for line in lines)] if lines else []
