"""Checks for display: a mark and a word for each, and one for all checks of a commit."""

from collections.abc import Sequence
from dataclasses import dataclass

from lab.localhub import checks
from lab.localhub.ci_state import CheckRun
from lab.localhub.hub import Hub
from lab.localhub.pages import when
from lab.localhub.state import Repo

MARKS = {
    "success": ("✓", "good", "passed"),
    "failure": ("✗", "bad", "failed"),
    "error": ("✗", "bad", "failed"),
    "timed_out": ("✗", "bad", "timed out"),
    "action_required": ("!", "care", "needs you"),
    "cancelled": ("⊘", "calm", "cancelled"),
    "skipped": ("⊘", "calm", "skipped"),
    "neutral": ("■", "calm", "neutral"),
    "queued": ("○", "busy", "waiting"),
    "pending": ("○", "busy", "waiting"),
    "in_progress": ("◐", "busy", "running"),
}
WORST_FIRST = ("failed", "timed out", "needs you", "running", "waiting", "cancelled", "neutral", "skipped", "passed")


@dataclass(frozen=True)
class Mark:
    """The display of a state. `tone`: good, bad, care, calm or busy."""

    sign: str
    tone: str
    word: str


@dataclass(frozen=True)
class Item:
    """One check of a commit. `url` is None if it has no page."""

    name: str
    by: str
    mark: Mark
    note: str
    took: str
    url: str | None


def mark(state: str) -> Mark:
    """Returns the mark of a conclusion, or of a status while there is none."""
    return Mark(*MARKS.get(state, ("?", "calm", state)))


def mark_run(run: CheckRun) -> Mark:
    """Returns the mark of a check run."""
    return mark(run.conclusion or run.status)


def page_of(repo: Repo, run: CheckRun) -> str:
    """Returns the URL of a check run's page."""
    return f"/{repo.full_name}/checks/{run.id}"


def items(hub: Hub, repo: Repo, sha: str) -> list[Item]:
    """Returns the newest check runs and statuses of a commit."""
    runs = checks.latest(checks.runs_on(hub, repo, sha))
    run_items = [
        Item(
            run.name, run.app_slug, mark_run(run), run.title or "",
            when.format_duration(run.started_at, run.completed_at), page_of(repo, run),
        )
        for run in runs
    ]  # fmt: skip
    statuses = {status.context: status for status in hub.statuses if (status.repo_id, status.sha) == (repo.id, sha)}
    return run_items + [
        Item(status.context, status.creator.login, mark(status.state), status.description or "", "", None)
        for status in statuses.values()
    ]


def headline(items: Sequence[Item]) -> tuple[Mark, str]:
    """Returns one mark and one sentence for all checks of a commit."""
    words = [item.mark.word for item in items]
    counts = [f"{words.count(word)} {word}" for word in WORST_FIRST if word in words]
    if any(item.mark.tone == "busy" for item in items):
        return mark("in_progress"), f"Checks are running: {', '.join(counts)}"
    if any(item.mark.tone in ("bad", "care") for item in items):
        return mark("failure"), f"Some checks did not pass: {', '.join(counts)}"
    return (
        (mark("success"), f"All checks have passed: {', '.join(counts)}") if items else (mark("neutral"), "No checks")
    )


def mark_of(hub: Hub, repo: Repo, sha: str) -> Mark | None:
    """Returns one mark for a commit; None without checks."""
    checks_of_commit = items(hub, repo, sha)
    return headline(checks_of_commit)[0] if checks_of_commit else None
