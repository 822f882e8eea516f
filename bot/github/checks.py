"""Heal's check runs: one per attempt and head SHA, created once and updated in place until it is completed."""

import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from bot.github import shapes
from bot.github.client import RepoClient
from bot.github.names import segment
from bot.github.once import PAUSES, post_once
from bot.github.transport import Unsure
from handlers.model import Refused
from handlers.model.plans import CheckPlan, Posted
from healing.failed_jobs import Annotation

NAME = "Heal"
MAX_AT_ONCE = 50  # annotations per request
_NO = (403, 404, 422)
_MAX_LENGTH = 65_000  # GitHub takes 65,535 characters
_ORDER = ("queued", "in_progress", "completed")

Lock = Callable[[str], AbstractAsyncContextManager[None]]

log = logging.getLogger("heal.github")


class Checks:
    """`slug` is the App's: only our own check runs may be changed. `lock` is held for a commit while its check run is
    searched and created, as the event that announces work and the work itself may run at the same time. Check runs that
    were created or changed are cached, so that each is searched once."""

    def __init__(self, client: RepoClient, slug: str, lock: Lock) -> None:
        self._client = client
        self._slug = slug
        self._lock = lock
        self._kept: dict[str, dict[str, Any]] = {}  # external id → the check run as GitHub last reported it

    async def post(self, plan: CheckPlan) -> Posted:
        """Creates the check run, or updates it to the plan. An update to an earlier status is skipped: GitHub accepts
        it for a completed check run, but ignores it."""
        created = False

        async def post() -> dict[str, Any]:
            nonlocal created
            created = True
            await self._open_suite(plan.sha)
            payload: dict[str, Any] = await self._client.write(
                "POST", "/check-runs", {**_body(plan), "head_sha": plan.sha}
            )
            return payload

        kept = self._kept.get(plan.external_id)
        if kept is None:
            async with self._lock(plan.sha):
                kept = await post_once(lambda: self._find(plan), post, self._client.transport.sleep, read_back=False)
            self._kept[plan.external_id] = kept
        if _ORDER.index(plan.status) < _ORDER.index(kept["status"]):
            return Posted(id=kept["id"], url=kept.get("html_url") or "")
        some = bool((kept.get("output") or {}).get("annotations_count"))
        missing = await self._missing(kept["id"], plan) if plan.annotations and some else plan.annotations
        if missing:
            del self._kept[plan.external_id]  # if a response is lost, the cached count would be wrong
            await self._annotate(kept["id"], plan, missing)
        elif not created:
            await self._update(kept["id"], plan)
            self._kept[plan.external_id] = {**kept, "status": plan.status}
        return Posted(id=kept["id"], url=kept.get("html_url") or "")

    async def open_suites_itself(self, app_id: int) -> None:
        """See `handlers.model.Publisher`."""
        wish = {"auto_trigger_checks": [{"app_id": app_id, "setting": False}]}
        try:
            await self._client.write("PATCH", "/check-suites/preferences", wish, repeatable=True)
        except Refused as refusal:
            if refusal.status not in _NO or refusal.retry_after is not None:
                raise
            log.warning("GitHub still opens a check suite for each push: %s", refusal.message)

    async def _open_suite(self, sha: str) -> None:
        """Creates the check suite that a check run needs where GitHub doesn't create one. Idempotent."""
        try:
            await self._client.write("POST", "/check-suites", {"head_sha": sha}, repeatable=True)
        except Refused as refusal:
            if refusal.status not in _NO or refusal.retry_after is not None:
                raise  # other refusals are ignored: creating the check run raises if anything is wrong

    async def _find(self, plan: CheckPlan) -> dict[str, Any] | None:
        url = f"/commits/{segment(plan.sha)}/check-runs"
        async for item in self._client.pages(url, "check_runs", check_name=NAME, filter="all"):
            mine = (item.get("app") or {}).get("slug") == self._slug
            if mine and item.get("external_id") == plan.external_id:
                check_run: dict[str, Any] = item
                return check_run
        return None

    async def _update(self, run_id: int, plan: CheckPlan) -> None:
        await self._client.write("PATCH", f"/check-runs/{run_id}", _body(plan), repeatable=True)

    async def _annotate(self, run_id: int, plan: CheckPlan, missing: tuple[Annotation, ...]) -> None:
        """Updates the check run and adds the missing annotations. GitHub appends the annotations of an update, so such
        an update is never simply repeated: if its response was lost, the missing ones are determined again. If GitHub
        refuses annotations, the check run is updated without the rest."""
        pauses = [*PAUSES]
        while missing:
            try:
                await self._client.write("PATCH", f"/check-runs/{run_id}", _body(plan, missing[:MAX_AT_ONCE]))
            except Unsure:
                if not pauses:
                    raise
                await self._client.transport.sleep(pauses.pop(0))
                missing = await self._missing(run_id, plan)
            except Refused as refusal:
                if refusal.status != 422:
                    raise
                log.warning("GitHub refused annotations of %s: %s", plan.external_id, refusal.message)
                break
            else:
                missing = missing[MAX_AT_ONCE:]
                if not missing:
                    return
        await self._update(run_id, plan)

    async def _missing(self, run_id: int, plan: CheckPlan) -> tuple[Annotation, ...]:
        """Returns the plan's annotations that the check run doesn't have yet."""
        known = {_identity(shapes.annotation(i)) async for i in self._client.pages(f"/check-runs/{run_id}/annotations")}
        return tuple(annotation for annotation in plan.annotations if _identity(annotation) not in known)


def _identity(annotation: Annotation) -> tuple[str, int, int, str, str]:
    """Returns a key that is equal for equal annotations; GitHub may change white space."""
    return (
        annotation.path,
        annotation.start_line,
        annotation.end_line,
        " ".join((annotation.title or "").split()),
        " ".join(annotation.message.split()),
    )


def _body(plan: CheckPlan, annotations: tuple[Annotation, ...] = ()) -> dict[str, Any]:
    output: dict[str, Any] = {"title": plan.title[:250], "summary": plan.summary[:_MAX_LENGTH]}
    if annotations:
        output["annotations"] = [_annotation(annotation) for annotation in annotations]
    body: dict[str, Any] = {
        "name": NAME,
        "external_id": plan.external_id,
        "status": plan.status,
        "output": output,
        "actions": [{"label": a, "description": b, "identifier": c} for a, b, c in plan.actions],
    }
    given = {"details_url": plan.details_url or None, "conclusion": plan.conclusion}
    return body | {key: value for key, value in given.items() if value is not None}


def _annotation(annotation: Annotation) -> dict[str, Any]:
    payload: dict[str, Any] = {
        "path": annotation.path,
        "start_line": annotation.start_line,
        "end_line": annotation.end_line,
        "annotation_level": annotation.level,
        "message": annotation.message,
    }
    more = {"title": annotation.title, "raw_details": annotation.details}
    return payload | {key: value for key, value in more.items() if value}
