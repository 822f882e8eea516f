"""All runs, filtered and searched."""

import re
from typing import get_args
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.responses import Response

from bot.store.insights import WEEK
from bot.store.overview import PAGE, Key, RunFilter, Shown, list_runs, totals
from bot.web.dashboard.visits import Visit
from bot.web.signin.github import VisibleRepos
from healing.model import Frozen

STATES = tuple(name for name in get_args(Shown) if name)


MAX_LENGTH = 200
_HEX = re.compile(r"[0-9a-f]{4,64}")
_NUMBER = re.compile(r"#?([0-9]{1,9})")
_KEY = re.compile(r"([0-9]{1,12}\.[0-9]{1,9})-([0-9]{1,18})-([0-9a-f]{1,64})-([0-9]{1,9})")


class RunListQuery(Frozen):
    """The filter in a list's URL: the form's fields as they were sent, and the resulting filter. Invalid values are
    ignored."""

    repo: str = ""
    shown: str = ""
    search: str = ""
    wanted: RunFilter

    @property
    def narrowed(self) -> bool:
        """Whether any filter is set."""
        return bool(self.repo or self.shown or self.search)

    def address(self, before: Key | None = None) -> str:
        """Returns the URL of the same list, starting at another key."""
        fields = {"repo": self.repo, "state": self.shown, "q": self.search}
        if before is not None:
            fields["before"] = "-".join(map(str, before))  # with all digits of the float, so that no run is skipped
        query = urlencode({name: value for name, value in fields.items() if value})
        return f"/runs?{query}" if query else "/runs"


def parse_query(query: QueryParams, visible: VisibleRepos) -> RunListQuery:
    """Returns the requested filter, restricted to what the user may see."""
    repo, search = query.get("repo", "")[:MAX_LENGTH], query.get("q", "")[:MAX_LENGTH].strip()
    chosen = query.get("state", "")
    shown: Shown = next((name for name in get_args(Shown) if name == chosen), "")
    repos = tuple(number for number, name in visible.repos.items() if not repo or name.lower() == repo.lower())
    wanted = RunFilter(repos=repos, shown=shown, before=_before(query.get("before", "")))
    return RunListQuery(repo=repo, shown=shown, search=search, wanted=_searched(wanted, search.lower(), visible))


def _searched(wanted: RunFilter, search: str, visible: VisibleRepos) -> RunFilter:
    """Adds a search: `#7` and `7` are pull requests; hexadecimal digits are commits, fixes or words; all else is words
    of a repository's name, of a pull request's title, branch and author, of an error or a rule."""
    if not search:
        return wanted
    number, digits = _NUMBER.fullmatch(search), _HEX.fullmatch(search)
    values: dict[str, object] = {"number": int(number[1])} if number else {"words": search}
    if digits:
        values |= {"sha": search, "proposal": search}
    if not number:
        words = search.split()
        values["named"] = tuple(r for r in wanted.repos if all(word in visible.repos[r].lower() for word in words))
    return wanted.model_copy(update=values)


def _before(text: str) -> Key | None:
    match = _KEY.fullmatch(text)
    return (float(match[1]), int(match[2]), match[3], int(match[4])) if match else None


async def show(visit: Visit) -> Response:
    want = parse_query(visit.request.query_params, visit.visible)
    lines = await list_runs(visit.services.database, want.wanted)
    figures = await totals(visit.services.database, visit.repos, visit.services.now() - WEEK)
    runs, more = lines[:PAGE], len(lines) > PAGE
    return visit.render(
        "runs.html",
        section="runs",
        asked=want,
        runs=[visit.named(run) for run in runs],
        older=want.address(runs[-1].key) if more else "",
        newest=want.address() if want.wanted.before else "",
        totals=figures,
        states=STATES,
        names=sorted(visit.visible.repos.values(), key=str.lower),
        now=visit.services.now(),
    )
