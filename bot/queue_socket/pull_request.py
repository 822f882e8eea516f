"""Opens the pull request of a finished session with the person's token, and requests reviews from CODEOWNERS. Without a
token the answer says how a person opens it."""

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
    """How finished sessions of this clone are delivered. The address of `origin` is read now, before agents can change
    it; only its owner and name are used. Raises UserError if there is a token but no such address."""
    if not settings.queue_token.get_secret_value():
        return manual_push_command
    return PullRequestDelivery(branches, repository_of(branches.remote("origin")), settings)


def repository_of(address: str) -> str:
    """`owner/name` from a remote's address. Raises UserError."""
    found = ADDRESS.fullmatch(address.strip().rstrip("/").removesuffix(".git"))
    if not found:
        raise UserError(
            "HEAL_QUEUE_TOKEN is set, and the clone's remote `origin` is no repository on GitHub; see: git remote -v"
        )
    return "/".join(found.groups())


@dataclass(frozen=True)
class PullRequestDelivery:
    """Delivers to one repository. The person's token is sent only to the GitHub host in the settings."""

    branches: Branches
    full_name: str
    settings: Settings

    async def __call__(self, session: Session, labels: tuple[str, ...] = ()) -> str:
        """Returns the address of the pull request, or why there is none and how a person opens it. The clone's copy of
        the session's branch is deleted once it is on GitHub."""
        pace = Pace(time.time, asyncio.sleep)
        try:
            async with Transport(self.settings.github_url, pace) as transport:
                await self._push(transport, session)
                pull = await self._pull_request(transport, session)
                notes = [
                    await self._request_reviews(transport, session, pull),
                    await self._label(transport, pull, labels),
                ]
            if await asyncio.to_thread(self.branches.remove, session.feature, session.tip):
                notes.append(f" ({session.feature} was deleted here: it is on GitHub)")
            return f"{pull.get('html_url', '')}{''.join(notes)}"
        except (GitError, Refused) as error:
            return f"not opened ({error}). By hand: {await manual_push_command(session)}"

    async def _push(self, transport: Transport, session: Session) -> None:
        ref = await self._call(transport, "GET", f"/git/ref/heads/{path(session.feature)}")
        before = str(ref["object"]["sha"]) if ref else None
        if before == session.tip:
            return
        token = self.settings.queue_token.get_secret_value()
        remote = open_http(f"{self.settings.git_url}/{self.full_name}.git", lambda: ("x-access-token", token))
        name = f"refs/heads/{session.feature}"
        await asyncio.to_thread(self.branches.git.push, remote, name, session.tip, before)

    async def _pull_request(self, transport: Transport, session: Session) -> dict[str, Any]:
        """The open pull request of the branch; it is created if there is none."""
        owner = self.full_name.partition("/")[0]
        head = {"head": f"{owner}:{session.feature}", "state": "open"}
        found = await self._call(transport, "GET", "/pulls", params=head)
        if found:
            return dict(found[0])
        body = {"head": session.feature, "base": session.base_branch, "title": _title(session), "body": _body(session)}
        return dict(await self._call(transport, "POST", "/pulls", json=body))

    async def _request_reviews(self, transport: Transport, session: Session, pull: dict[str, Any]) -> str:
        """Requests reviews from the owners of the changed files. Returns what to report about that."""
        owners = await asyncio.to_thread(self._owners, session)
        author = (pull.get("user") or {}).get("login")
        people = [login for login in owners.people if login != author]
        if not people and not owners.teams:
            return ""
        reviewers = {"reviewers": people, "team_reviewers": list(owners.teams)}
        try:
            await self._call(transport, "POST", f"/pulls/{pull['number']}/requested_reviewers", json=reviewers)
        except Refused as error:
            return f" (nobody was asked to review it: {error})"
        return f" (asked to review it: {', '.join((*people, *owners.teams))})"

    async def _label(self, transport: Transport, pull: dict[str, Any], labels: tuple[str, ...]) -> str:
        """Adds the labels. Returns what to report about that."""
        if not labels:
            return ""
        try:
            await self._call(transport, "POST", f"/issues/{pull['number']}/labels", json={"labels": list(labels)})
        except Refused as error:
            return f" (not labelled: {error})"
        return f" (labels: {', '.join(labels)})"

    def _owners(self, session: Session) -> Owners:
        """The owners by the base's CODEOWNERS, so that agents can't choose their reviewers."""
        view = self.branches.git.view(session.base)
        data = next((found for place in PLACES if (found := view.read(place)) is not None), b"")
        return owners_of(data, self.branches.changed_paths(session.base, session.tip))

    async def _call(self, transport: Transport, method: str, url: str, **options: Any) -> Any:
        """The JSON of a response; None for a GET with status 404. Raises Refused."""
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
    count = len(session.merges)
    return f"Merge the work of {count} agents" if count != 1 else "Merge the work of one agent"


def _body(session: Session) -> str:
    """The body, from names and numbers only, because text by an agent could mention anybody."""
    merged = "\n".join(f"- `{merge.agent}`: {merge.commit[:12]}" for merge in session.merges)
    checked = "\n".join(f"- {ran.stage}: {'green' if ran.green else 'red'}" for ran in session.validation)
    validation = f"Validated on the merged tree:\n\n{checked}" if checked else "No validation was configured."
    begins = f"Session `{session.id}` of Heal's merge queue."
    return "\n\n".join((begins, "Merged, first come, first served:", merged, validation)) + "\n"
