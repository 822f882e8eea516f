"""The page of one check run: its summary, annotations, buttons, and the job's log with its groups folded."""

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from starlette.responses import PlainTextResponse, Response

from lab.localhub import checks
from lab.localhub.pages import checklist, markup, when
from lab.localhub.pages.site import HEADERS, Visit, shown
from lab.localhub.pages.visible import plain
from lab.localhub.state import Refused

STAMP = re.compile(r"^\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?")
COMMAND = re.compile(r"^##\[(error|warning|notice|debug|command|section)\]|^\[(command)\]")
NOTE = ("path", "start_line", "annotation_level", "message", "title")
MAX_LINES = 5000
Tone = Literal["", "error", "warning", "notice", "debug", "command", "section"]


@dataclass
class Line:
    """A line of a log."""

    number: int
    text: str
    tone: Tone = ""


@dataclass
class Group:
    """A folded part of a log."""

    title: Line
    lines: list[Line] = field(default_factory=list)


def show(visit: Visit) -> Response:
    """The page."""
    hub, repo, run = visit.hub, visit.repo, visit.check_run
    job = hub.jobs.get(run.id)
    entries, left_out = log_entries(job.log) if job and job.log else ([], 0)
    you = visit.you
    writes = bool(you and hub.may(repo, you.login, "write"))
    values: dict[str, Any] = {
        "run": run,
        "mark": checklist.mark_run(run),
        "took": when.format_duration(run.started_at, run.completed_at),
        "summary": markup.render(run.summary),
        "text": markup.render(run.text),
        "steps": [(step, checklist.mark(step.conclusion or step.status)) for step in job.steps] if job else [],
        "log": entries,
        "left_out": left_out,
        "has_log": bool(job and job.log),
        "pulls": checks.pulls_with(hub, repo, run.head_sha),
        "annotations": [{key: str(one.get(key) or "") for key in NOTE} for one in run.annotations],
        "buttons": run.actions if run.status == "completed" else [],
        "may_press": writes,
        "may_rerun": writes and run.status == "completed" and hub.app_by_slug(run.app_slug) is not None,
    }
    return shown(visit, "run.html", repo=repo, **values)


def raw_log(visit: Visit) -> Response:
    """Serves the whole log as stored."""
    job = visit.hub.jobs.get(visit.check_run.id)
    if job is None or job.log is None:
        raise Refused(404, "This job has no log.")
    return PlainTextResponse(job.log, headers=HEADERS)


def log_entries(log: bytes) -> tuple[list[Line | Group], int]:
    """Parses a job's log, without times and colours, into lines and groups; also returns how many lines at the start
    were left out."""
    rows = log.decode("utf-8", "replace").split("\n")
    rows = rows[:-1] if rows and not rows[-1] else rows
    left_out = max(0, len(rows) - MAX_LINES)
    entries: list[Line | Group] = []
    group: Group | None = None
    for number, row in enumerate(rows[left_out:], start=left_out + 1):
        text = plain(STAMP.sub("", row))
        if text.startswith("##[group]"):
            group = Group(Line(number, text.removeprefix("##[group]")))
            entries.append(group)
        elif text.startswith("##[endgroup]"):
            group = None
        elif group is not None:
            group.lines.append(_line(number, text))
        else:
            entries.append(_line(number, text))
    return entries, left_out


def _line(number: int, text: str) -> Line:
    found = COMMAND.match(text)
    if not found:
        return Line(number, text)
    tone: Tone = found[1] or "command"  # type: ignore[assignment]
    return Line(number, text[found.end() :], tone)
