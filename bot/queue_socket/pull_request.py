"""The pull request that a session ends in, where one is asked for: opened for the person whose token the queue was
given, with reviewers from CODEOWNERS. Without a token it prints how a person opens it."""

import asyncio
import re
import time
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr

from bot.github.names import path, segment
from bot.github.pace import Pace
from bot.github.transport import Transport, refused
from bot.queue_socket.verbs import Deliver, manual_push_command
from bot.settings import Settings
from handlers.delivery.fixups.codeowners import PLACES, Owners, owners_of
from handlers.errors import UserError
from handlers.model import Refused
from healing.git import GitError
from healing.git.branches import Branches
from healing.git.transport import open_http
from healing.verify.queue.session import Session

ADDRESS = re.compile(
    r"(?:(?:https?|ssh)://)?(?:[^@/\s]{1,100}@)?[^@/:\s]{1,200}(?::\d{1,5})?[:/]([\w.-]{1,100})/([\w.-]{1,100})"
)


def deliver_to_github(settings: Settings, branches: Branches) -> Deliver:
    """How a session of this clone is carried on. Where the clone's `origin` lies is read now, before agents are at
    work; of its address only owner and name count. Raises UserError where a token is there and no such address."""
    if not settings.queue_token.get_secret_value():
        return manual_push_command
    return PullRequestDelivery(branches, repository_of(branches.remote("origin")), settings)


def repository_of(address: str) -> str:
    """`owner/name` of a remote's address. Raises UserError."""
    found = ADDRESS.fullmatch(address.strip().rstrip("/").removesuffix(".git"))
    if not found:
        raise UserError(
            "HEAL_QUEUE_TOKEN is set, and the clone's remote `origin` is no repository on GitHub; see: git remote -v"
        )
    return "/".join(found.groups())


@dataclass(frozen=True)
class PullRequestDelivery:
    """To one repository, with the person's token, which goes to the GitHub of the settings and nowhere else."""

    branches: Branches
    full_name: str
    settings: Settings

    async def __call__(self, session: Session, labels: tuple[str, ...] = ()) -> str:
        """Where the pull request is, or why there is none and how a person opens it. Once it is there, the clone needs
        the session's branch no more."""
        pace = Pace(time.time, asyncio.sleep)
        try:
            async with Transport(self.settings.github_url, pace) as transport:
                await self._push(transport, session)
                pull = await self._opened(transport, session)
                notes = [await self._asked(transport, session, pull), await self._labelled(transport, pull, labels)]
            if await asyncio.to_thread(self.branches.remove, session.feature, session.tip):
                notes.append(f" ({session.feature} was deleted here: it is on GitHub)")
            return f"{pull.get('html_url', '')}{''.join(notes)}"
        except (GitError, Refused) as error:
            return f"not opened ({error}). By hand: {await manual_push_command(session)}"

    async def _push(self, transport: Transport, session: Session) -> None:
        there = await self._call(transport, "GET", f"/git/ref/heads/{path(session.feature)}")
        before = str(there["object"]["sha"]) if there else None
        if before == session.tip:
            return
        token = self.settings.queue_token.get_secret_value()
        way = open_http(f"{self.settings.git_url}/{self.full_name}.git", lambda: ("x-access-token", token))
        ref = f"refs/heads/{session.feature}"
        await asyncio.to_thread(self.branches.git.push, way, ref, session.tip, before)

    async def _opened(self, transport: Transport, session: Session) -> dict[str, Any]:
        """The open pull request of the branch, made where there is none."""
        owner = self.full_name.partition("/")[0]
        head = {"head": f"{owner}:{session.feature}", "state": "open"}
        found = await self._call(transport, "GET", "/pulls", params=head)
        if found:
            return dict(found[0])
        body = {"head": session.feature, "base": session.base_branch, "title": _title(session), "body": _body(session)}
        return dict(await self._call(transport, "POST", "/pulls", json=body))

    async def _asked(self, transport: Transport, session: Session, pull: dict[str, Any]) -> str:
        """Asks who owns what was changed; what to report about that."""
        owners = await asyncio.to_thread(self._owners, session)
        author = (pull.get("user") or {}).get("login")
        people = [login for login in owners.people if login != author]
        if not people and not owners.teams:
            return ""
        wish = {"reviewers": people, "team_reviewers": list(owners.teams)}
        try:
            await self._call(transport, "POST", f"/pulls/{pull['number']}/requested_reviewers", json=wish)
        except Refused as error:
            return f" (nobody was asked to review it: {error})"
        return f" (asked to review it: {', '.join((*people, *owners.teams))})"

    async def _labelled(self, transport: Transport, pull: dict[str, Any], labels: tuple[str, ...]) -> str:
        """Puts the labels on; what to report about that."""
        if not labels:
            return ""
        try:
            await self._call(transport, "POST", f"/issues/{pull['number']}/labels", json={"labels": list(labels)})
        except Refused as error:
            return f" (not labelled: {error})"
        return f" (labels: {', '.join(labels)})"

    def _owners(self, session: Session) -> Owners:
        """As the branch says that all of it goes into: agents can't choose their reviewers."""
        view = self.branches.git.view(session.base)
        data = next((found for place in PLACES if (found := view.read(place)) is not None), b"")
        return owners_of(data, self.branches.changed_paths(session.base, session.tip))

    async def _call(self, transport: Transport, method: str, url: str, **options: Any) -> Any:
        """The JSON of an answer; None for a GET of what isn't there. Raises Refused."""
        owner, _, name = self.full_name.partition("/")
        token: SecretStr = self.settings.queue_token
        url = f"/repos/{segment(owner)}/{segment(name)}{url}"
        answer = await transport.send(method, url, f"Bearer {token.get_secret_value()}", **options)
        if method == "GET" and answer.status_code == 404:
            return None
        if answer.is_error:
            raise refused(answer)
        return answer.json()


def _title(session: Session) -> str:
    many = len(session.merges)
    return f"Merge the work of {many} agents" if many != 1 else "Merge the work of one agent"


def _body(session: Session) -> str:
    """Names and numbers alone: an agent's own words may mention anybody."""
    merged = "\n".join(f"- `{merge.agent}`: {merge.commit[:12]}" for merge in session.merges)
    checked = "\n".join(f"- {ran.stage}: {'green' if ran.green else 'red'}" for ran in session.validation)
    validation = f"Validated on the merged tree:\n\n{checked}" if checked else "No validation was configured."
    begins = f"Session `{session.id}` of Heal's merge queue."
    return "\n\n".join((begins, "Merged, first come, first served:", merged, validation)) + "\n"
