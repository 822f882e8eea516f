"""The pages: all repositories, one repository, a pull request's tabs, one commit."""

from typing import Any

from starlette.responses import PlainTextResponse, Response

from lab.localhub import diffs, pull_heads
from lab.localhub.hub import Hub
from lab.localhub.pages import checklist, lines, markup, people, talk
from lab.localhub.pages.pulse import of as pulse_of
from lab.localhub.pages.site import HEADERS, Visit, shown
from lab.localhub.state import Pull, Refused, Repo

MAX_FILES = 300
MAX_LINES = 3000


def home(visit: Visit) -> Response:
    """Shows all repositories that the person may see, with their open pull requests."""
    hub, you = visit.hub, visit.you
    seen = [r for r in hub.repos.values() if not r.deleted and hub.may(r, you.login if you else "", "read")]
    listed = [(repo, [row for row in pull_rows(hub, repo) if row[0].state == "open"]) for repo in seen]
    return shown(visit, "home.html", listed=listed)


def repository(visit: Visit) -> Response:
    """Shows all pull requests of one repository."""
    repo = visit.repo
    return shown(visit, "repo.html", repo=repo, rows=pull_rows(visit.hub, repo))


def pull_rows(hub: Hub, repo: Repo) -> list[tuple[Pull, checklist.Mark | None]]:
    """Returns pull requests, newest first, with the mark of their checks."""
    return [(pull, checklist.mark_of(hub, repo, pull.head_sha)) for pull in reversed(hub.pulls_of(repo))]


def pulse(visit: Visit) -> Response:
    """Serves the change token for the script that updates an open page."""
    return PlainTextResponse(pulse_of(visit.hub, visit.repo), headers=HEADERS)


def conversation(visit: Visit) -> Response:
    """Shows the conversation with a comment form, and the checks below."""
    hub, repo, pull, you = visit.hub, visit.repo, visit.pull, visit.you
    draw = visit.site.templates.get_template("suggestion.html").module
    address = f"/{repo.full_name}/pull/{pull.number}"
    reader = talk.Reader(hub, pull, you, lambda one: draw.suggestion(one, address))  # type: ignore[attr-defined]
    entries = checklist.items(hub, repo, pull.head_sha)
    values: dict[str, Any] = {
        "guide": markup.render(visit.site.guide.text) if visit.site.guide.text else "",
        "tour": visit.site.guide.tour(hub, pull),
        "description": reader.description(),
        "timeline": reader.timeline(),
        "checks": entries,
        "headline": checklist.headline(entries),
        "may_merge": _why_not_merge(visit, pull),
        "may_write": bool(you and hub.may(repo, you.login, "write")),
        "may_close": bool(you and (hub.may(repo, you.login, "triage") or you == pull.author)),
        "may_resolve": bool(you and (hub.may(repo, you.login, "write") or you == pull.author)),
    }
    return _tab(visit, "conversation.html", **values)


def files(visit: Visit) -> Response:
    """Shows the diff."""
    hub, pull = visit.hub, visit.pull
    anchors: dict[tuple[str, str, int | None], list[str]] = {}
    for _, comments in hub.threads_of(pull):
        first = comments[0]
        anchors.setdefault((first.path, first.side, first.line), []).append(f"discussion_r{first.id}")
    return _tab(visit, "files.html", files=_drawn(pull_heads.files(hub, pull)), anchors=anchors)


def checks(visit: Visit) -> Response:
    """Shows the checks of the head commit."""
    entries = checklist.items(visit.hub, visit.repo, visit.pull.head_sha)
    return _tab(visit, "checks.html", checks=entries, headline=checklist.headline(entries))


def commit(visit: Visit) -> Response:
    """Shows one commit: its message and its diff."""
    repo, sha = visit.repo, visit.params["sha"]
    bare = visit.hub.bare(repo)
    full = bare.sha(sha) if set(sha) <= set("0123456789abcdef") else None
    if full is None:
        raise Refused(404, "Not Found")
    info = bare.info(full)
    changed = diffs.diff(bare, info.parents[0] if info.parents else "", full)
    entries = checklist.items(visit.hub, repo, full)
    return shown(visit, "commit.html", repo=repo, info=info, files=_drawn(changed), checks=entries, anchors={})


def _tab(visit: Visit, template: str, **values: Any) -> Response:
    """Renders a tab of a pull request; all have the same header."""
    hub, repo, pull = visit.hub, visit.repo, visit.pull
    changed = pull_heads.files(hub, pull)
    head = hub.repos.get(pull.head_repo_id or 0)
    counts = {
        "files": len(changed),
        "plus": sum(one.additions for one in changed),
        "minus": sum(one.deletions for one in changed),
        "checks": len(checklist.items(hub, repo, pull.head_sha)),
    }
    address = f"/{repo.full_name}/pull/{pull.number}"
    return shown(visit, template, repo=repo, pull=pull, counts=counts, head=head, address=address, **values)


def _drawn(changed: tuple[diffs.FileDiff, ...]) -> list[tuple[diffs.FileDiff, list[lines.Row], int]]:
    """Returns each file with its rows, and how many were left out."""
    drawn = []
    for file in changed[:MAX_FILES]:
        rows = [row for hunk in file.hunks for row in lines.hunk_rows(hunk)]
        drawn.append((file, rows[:MAX_LINES], max(0, len(rows) - MAX_LINES)))
    return drawn


def _why_not_merge(visit: Visit, pull: Pull) -> str:
    """Returns why the merge button is disabled; empty if it is enabled."""
    if pull.draft:
        return "This is a draft."
    if pull_heads.merge_sha(visit.hub, pull) is None:
        return f"It conflicts with {pull.base_ref}."
    try:
        people.require(visit.hub, visit.repo, visit.you, "write", "merge")
    except Refused as no:
        return no.message
    return ""
