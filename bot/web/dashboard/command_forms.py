"""Forms of the dashboard: stored in the inbox, once, and executed by the worker like a command on the pull request, or
on a commit without one. Nothing is executed here: the worker reads the user's current permission from GitHub."""

import hashlib
import logging
from collections.abc import Set

from starlette.responses import RedirectResponse, Response

from bot.store.deliveries import DASHBOARD
from bot.store.pull_now import pull_now
from bot.web.answers import headers
from bot.web.dashboard.asked_for import word_of
from bot.web.dashboard.run import is_of_default_branch, number_of, story_of
from bot.web.dashboard.visits import PageNotFound, Visit
from bot.web.forms import Form
from bot.web.signin.pages import sign_in_first
from handlers.events import AskedOfCommit, AskedOnDashboard, DashboardWord, Event, Person, Repo
from healing.model import Frozen

MAX_REASON = 1000  # characters
MAX_FIXES = 50
MAX_ONCE = 64
UNCLEAR = "The form is not one of this page's. Nothing was asked for; reload the page and try again."
TOO_LONG = f"Say it in at most {MAX_REASON} characters. Nothing was asked for."
NO_FIX = "No fix was chosen, so nothing was asked for. Go back and tick at least one."
log = logging.getLogger("heal.dashboard")


class DashboardCommand(Frozen):
    """A command sent with a form. `once` distinguishes one press of a button from the next."""

    word: DashboardWord
    fixes: tuple[str, ...]
    words: tuple[str, ...]
    once: str

    @property
    def args(self) -> tuple[str, ...]:
        """The command's arguments."""
        if self.word == "retry":
            return ("how:", *self.words) if self.words else ()
        why = ("why:", *self.words) if self.words and self.word == "reject" else ()
        return (*self.fixes, *why)


async def submit_for_run(visit: Visit, form: Form) -> Response:
    """Handles a form on the page of a run."""
    story = await story_of(visit)
    number = number_of(story)
    params = visit.request.path_params
    back = f"/runs/{visit.visible.repos[visit.repo]}/{params['sha']}/{params['attempt']}"
    if number is not None:
        return await _take(visit, form, number, {offer.proposal.id for offer in story.offers}, back)
    if is_of_default_branch(story):
        return await _take(visit, form, story.line.sha, frozenset(), back)
    raise PageNotFound


async def submit_for_fixes(visit: Visit, form: Form) -> Response:
    """Handles a form in the list of open fixes."""
    number = visit.request.path_params["number"]
    standing = (
        (await pull_now(visit.services.database, visit.repo, number)).standing if 0 < number < 2**31 else frozenset()
    )
    if not standing:
        raise PageNotFound
    return await _take(visit, form, number, standing, "/fixes")


async def _take(visit: Visit, form: Form, about: int | str, known: Set[str], back: str) -> Response:
    """Validates and stores a command. `about` is a pull request's number, or a commit's SHA."""
    word = word_of(form.first("do"))
    fixes, why, once = form.all("fix"), form.first("why"), form.first("once")
    if word is None or not 0 < len(once) <= MAX_ONCE or len(fixes) > MAX_FIXES:
        return visit.problem(400, "Nothing was asked for", UNCLEAR)
    if len(why) > MAX_REASON:
        return visit.problem(400, "Nothing was asked for", TOO_LONG)
    decides = word in ("apply", "reject")
    if decides and not fixes:
        return visit.problem(400, "Nothing was asked for", NO_FIX)
    if decides and not set(fixes) <= known:
        raise PageNotFound
    parts = "".join(char if char.isprintable() else " " for char in why).split()
    chosen = tuple(dict.fromkeys(fixes)) if decides else ()
    return await _store(visit, about, DashboardCommand(word=word, fixes=chosen, words=tuple(parts), once=once), back)


async def _store(visit: Visit, about: int | str, command: DashboardCommand, back: str) -> Response:
    """Stores a command. The user's identity is read from GitHub again, since a login may have changed hands since they
    signed in."""
    person = await visit.services.access.person(visit.session)
    if person.id != visit.session.person.id:
        await visit.services.sessions.end(visit.session)
        return sign_in_first(visit.request)
    repo_id, full_name = visit.repo, visit.visible.repos[visit.repo]
    identity = "\n".join((visit.session.cookie, str(repo_id), str(about), command.word, *command.args, command.once))
    digest = hashlib.sha256(identity.encode()).hexdigest()
    who = Event(
        installation_id=visit.visible.owners[repo_id],
        repo=Repo(id=repo_id, full_name=full_name),
        sender=Person(login=person.login, id=person.id),
    )
    event = _event(who, about, int(digest[:15], 16), command)
    # Ids of webhooks contain no colon, so the two kinds of ids can't collide.
    if await visit.services.inbox.store(f"ask:{digest[:40]}", DASHBOARD, event.model_dump_json().encode()):
        log.info("%s asked on the dashboard for %s of %s, %s", person.login, command.word, full_name, about)
    return RedirectResponse(f"{back}?asked={command.word}#asked", 303, headers())


def _event(who: Event, about: int | str, ask_id: int, command: DashboardCommand) -> AskedOnDashboard | AskedOfCommit:
    shared = {**who.model_dump(), "ask_id": ask_id, "word": command.word}
    if isinstance(about, str):
        return AskedOfCommit.model_validate({**shared, "sha": about, "hint": " ".join(command.words)})
    return AskedOnDashboard.model_validate({**shared, "number": about, "args": command.args})
