"""Finds the failing end of a log: the last lines of the step that failed, before the runner's cleanup."""

import re
from dataclasses import dataclass

from healing.logs.lines import clean

LINES = 40
_LOUD = "##[error]"
_EXIT = re.compile(r"Process completed with exit code (-?\d{1,10})")
_WARNING = re.compile(
    r"(?:##\[(?:warning|echo|command|debug)\]|(?:npm )?warn(?:ing)?\b(?!.{0,40}total=0))", re.IGNORECASE
)
_SOURCE = re.compile(r"\becho |\bprint(?:f|ln)?\(|\braise |\bthrow |\bassert")  # source code, not its output
_LINE_CHARS = 2_000


@dataclass(frozen=True)
class StepEnding:
    """`lines` are the last ones of the failed step, without warnings; `loud` those that the runner marked as errors."""

    lines: tuple[str, ...]
    loud: tuple[str, ...] = ()
    exit_code: int | None = None


def ending(log_tail: str) -> StepEnding:
    """The ending of the step that failed last, by the runner's marks; without marks, the end of the log."""
    lines = [line[:_LINE_CHARS] for line in clean(log_tail.encode("utf-8", "replace")).split("\n")]
    loud = [number for number, line in enumerate(lines) if line.startswith(_LOUD)]
    last = loud[-1] if loud else len(lines) - 1
    first = max((n for n, line in enumerate(lines[:last]) if line.startswith("##[group]Run ")), default=0)
    body = _without_heading(lines[first : last + 1])
    codes = [int(code[1]) for line in lines[first : last + 1] if (code := _EXIT.search(line))]
    endings = [
        line.removeprefix(_LOUD)
        for line in body
        if line.strip() and not _WARNING.match(line) and not _SOURCE.search(line)
    ]
    return StepEnding(
        tuple(line for line in endings if not _EXIT.match(line))[-LINES:],
        tuple(lines[number].removeprefix(_LOUD) for number in loud),
        codes[-1] if codes else None,
    )


def _without_heading(lines: list[str]) -> list[str]:
    """The lines after `##[group]Run …` … `##[endgroup]`, which only repeat the script."""
    if lines and lines[0].startswith("##[group]Run ") and "##[endgroup]" in lines:
        return lines[lines.index("##[endgroup]") + 1 :]
    return lines
