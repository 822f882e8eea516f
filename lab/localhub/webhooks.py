"""Signed webhooks: each event that an App subscribes to is sent to its URL, as GitHub does, and recorded."""

import asyncio
import hashlib
import hmac
import json
import ssl
import time
import uuid
from collections.abc import Callable
from functools import cache

import httpx

from lab.localhub.hub import Hub
from lab.localhub.shapes import events
from lab.localhub.state import App, Attempt, Delivery, HubEvent, Installation

ANSWER_WITHIN = 10.0
ALWAYS = ("installation", "installation_repositories")


@cache
def _certificates() -> ssl.SSLContext:
    """Loaded once per process: it takes longer than a delivery."""
    return httpx.create_ssl_context(trust_env=False)


class Webhooks:
    """Sends deliveries one after the other, without retries.

    Switches: `pause()` and `resume(order)` delay deliveries and send them in any order; `copies` sends each several
    times; `drop` selects deliveries that get lost.
    """

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.paused = False
        self.copies = 1
        self.drop: Callable[[Delivery], bool] | None = None
        self.held: list[Delivery] = []
        self._queue: asyncio.Queue[tuple[Delivery, bool]] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._worker: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Starts listening to events."""
        self.hub.listeners.append(self.on_event)
        self.hub.redeliver = self.redeliver
        self._worker = asyncio.create_task(self._work())

    async def stop(self) -> None:
        """Stops sending; unanswered deliveries are given up."""
        self.hub.listeners.remove(self.on_event)
        self.hub.redeliver = None
        if self._worker:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)
        self.hub.unanswered = 0

    def pause(self) -> None:
        """Delays new deliveries; `hub.settled()` doesn't wait for them."""
        self.paused = True

    def resume(self, order: Callable[[list[Delivery]], list[Delivery]] = list) -> None:
        """Sends delayed deliveries in the order that `order` returns (`lambda held: held[::-1]`)."""
        self.paused = False
        held, self.held = self.held, []
        for delivery in order(held):
            self._post(delivery)

    def on_event(self, hub_event: HubEvent) -> None:
        """Creates a delivery for each App that receives the event; the payload is rendered now."""
        for app in self.hub.apps.values():
            installation = self._audience(app, hub_event)
            if installation is None or not app.webhook_url:
                continue
            payload = json.dumps(events.payload(self.hub, hub_event, installation)).encode()
            repo_id = hub_event.repo.id if hub_event.repo else None
            delivery = Delivery(
                str(uuid.uuid4()), app.id, hub_event.event, hub_event.action, payload, installation.id, repo_id
            )
            self.hub.deliveries.append(delivery)
            if self.paused:
                self.held.append(delivery)
            else:
                self._post(delivery)

    def redeliver(self, delivery: Delivery) -> None:
        """Sends a delivery again with the same GUID."""
        self._enqueue(delivery, True)

    def _audience(self, app: App, hub_event: HubEvent) -> Installation | None:
        """Returns the installation through which an App receives an event, or None."""
        if hub_event.event in ALWAYS:
            installation: Installation = hub_event.subject["installation"]
            return installation if installation.app_id == app.id else None
        if hub_event.repo is None or hub_event.only_app not in (None, app.slug):
            return None
        covering = self.hub.installation_for(app, hub_event.repo)
        if covering is None or covering.suspended_at is not None:
            return None
        return covering if hub_event.event in covering.events or hub_event.only_app == app.slug else None

    def _post(self, delivery: Delivery) -> None:
        for _ in range(self.copies):
            self._enqueue(delivery, False)

    def _enqueue(self, delivery: Delivery, again: bool) -> None:
        with self.hub.lock:
            self.hub.unanswered += 1
        self._loop.call_soon_threadsafe(self._queue.put_nowait, (delivery, again))

    async def _work(self) -> None:
        waiting = await self._queue.get()  # create the client only when there is something to send
        async with httpx.AsyncClient(verify=_certificates(), timeout=ANSWER_WITHIN, trust_env=False) as client:
            while True:
                delivery, again = waiting
                try:
                    await self._send(client, delivery, again)
                finally:
                    with self.hub.lock:
                        self.hub.unanswered -= 1
                waiting = await self._queue.get()

    async def _send(self, client: httpx.AsyncClient, delivery: Delivery, again: bool) -> None:
        """Makes one attempt and records its result."""
        app = self.hub.apps[delivery.app_id]
        started = time.monotonic()
        if self.drop and not again and self.drop(delivery):
            status, code = "failed to connect to host", 502
        else:
            status, code = await _try(client, app, delivery)
        spent = time.monotonic() - started
        attempt = Attempt(self.hub.next_id(), self.hub.now(), again, status, code, spent)
        delivery.attempts.append(attempt)


def headers(app: App, delivery: Delivery) -> dict[str, str]:
    """Returns GitHub's headers; the signature is over the raw bytes."""
    secret = app.webhook_secret.encode()
    return {
        "Accept": "*/*",
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/localhub",
        "X-GitHub-Delivery": delivery.guid,
        "X-GitHub-Event": delivery.event,
        "X-GitHub-Hook-ID": str(app.id),
        "X-GitHub-Hook-Installation-Target-ID": str(app.id),
        "X-GitHub-Hook-Installation-Target-Type": "integration",
        "X-Hub-Signature": "sha1=" + hmac.new(secret, delivery.payload, hashlib.sha1).hexdigest(),
        "X-Hub-Signature-256": "sha256=" + hmac.new(secret, delivery.payload, hashlib.sha256).hexdigest(),
    }


async def _try(client: httpx.AsyncClient, app: App, delivery: Delivery) -> tuple[str, int]:
    """Sends a delivery; returns (status text, status code) as in the list of deliveries."""
    if not app.webhook_url:
        return "failed to connect to host", 502
    try:
        async with asyncio.timeout(ANSWER_WITHIN):
            answer = await client.post(app.webhook_url, content=delivery.payload, headers=headers(app, delivery))
    except (TimeoutError, httpx.TimeoutException):
        return "timed out", 504
    except httpx.HTTPError:
        return "failed to connect to host", 502
    ok = answer.is_success
    return "OK" if ok else f"Invalid HTTP Response: {answer.status_code}", answer.status_code
