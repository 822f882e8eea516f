"""Writes a job's log in Actions' format: a BOM, times with seven decimals, groups, and the output of known actions."""

from collections.abc import Callable
from datetime import datetime

BLUE, RESET = "\x1b[36;1m", "\x1b[0m"


class JobLog:
    """Collects lines with their times; `now` is the hub's clock."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._lines: list[str] = []

    def line(self, text: str) -> None:
        """Adds a line with the current time."""
        moment = self._now()
        stamp = f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond:06d}0Z"
        self._lines.append(f"{stamp} {text}")

    def text(self, output: bytes) -> None:
        """Adds a command's output, line by line."""
        for line in output.decode("utf-8", "replace").splitlines():
            self.line(line)

    def group(self, title: str, *lines: str) -> None:
        """Adds a folded group."""
        for text in (f"##[group]{title}", *lines, "##[endgroup]"):
            self.line(text)

    def run_group(self, script: str, shell: str, env: dict[str, str]) -> None:
        """Adds the group before the output of a `run:` step."""
        rows = script.rstrip("\n").split("\n")
        shown = [f"{BLUE}{row}{RESET}" for row in rows]
        named = [f"shell: {shell}", *(["env:", *(f"  {k}: {v}" for k, v in sorted(env.items()))] if env else [])]
        self.group(f"Run {rows[0]}", *shown, *named)

    def data(self) -> bytes:
        """Returns the whole log."""
        return ("\ufeff" + "".join(f"{line}\n" for line in self._lines)).encode()
