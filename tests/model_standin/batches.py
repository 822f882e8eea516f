"""The stand-in's Message Batches: accepted as a whole, answered after some polls, in no order, each item by itself."""

import json
import random
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.model_standin.replies import Body
from tests.model_standin.rules import MODELS, complaint

if TYPE_CHECKING:
    from tests.model_standin.server import Standin

LIMIT = 100_000
CUSTOM_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
WHEN = "2026-11-21T22:00:00Z"


@dataclass
class Batch:
    """One batch. `polls` are the looks left until it has ended."""

    id: str
    requests: list[Body]
    polls: int
    cancelled: bool = False
    lines: list[Body] = field(default_factory=list)

    @property
    def ended(self) -> bool:
        return self.polls <= 0


class BatchDesk:
    """Takes batches. `polls`: how many looks a new one takes to end; `silent`: the next one is made, but its answer is
    lost on the way."""

    def __init__(self, standin: "Standin") -> None:
        self.standin = standin
        self.batches: dict[str, Batch] = {}
        self.polls = 2
        self.silent = False
        self.read = 0  # how often results were read

    def routes(self) -> list[Route]:
        folder = "/v1/messages/batches"
        return [
            Route(folder, self.create, methods=["POST"]),
            Route(folder, self.list),
            Route(folder + "/{name}", self.retrieve),
            Route(folder + "/{name}/results", self.results),
            Route(folder + "/{name}/cancel", self.cancel, methods=["POST"]),
        ]

    async def create(self, request: Request) -> Response:
        if refused := self._refused(request):
            return refused
        requests = (await request.json()).get("requests")
        if output := wrong(requests):
            return self._error(400, "invalid_request_error", output)
        batch = Batch(f"msgbatch_{len(self.batches) + 1:04}", requests, self.polls)
        self.batches[batch.id] = batch
        if self.silent:
            self.silent = False
            return self._error(500, "api_error", "lost on the way")
        return JSONResponse(self._told(batch, request))

    async def list(self, request: Request) -> Response:
        if refused := self._refused(request):
            return refused
        limit = int(request.query_params.get("limit", "20"))
        found = [self._told(batch, request) for batch in reversed(self.batches.values())]
        ends = (found[0]["id"], found[-1]["id"]) if found else (None, None)
        more = len(found) > limit
        return JSONResponse({"data": found[:limit], "has_more": more, "first_id": ends[0], "last_id": ends[1]})

    async def retrieve(self, request: Request) -> Response:
        if refused := self._refused(request):
            return refused
        batch = self.batches.get(request.path_params["name"])
        if batch is None:
            return self._error(404, "not_found_error", "no such batch")
        batch.polls -= 1
        if batch.ended and not batch.lines:
            self._work(batch)
        return JSONResponse(self._told(batch, request))

    async def cancel(self, request: Request) -> Response:
        if refused := self._refused(request):
            return refused
        batch = self.batches[request.path_params["name"]]
        batch.cancelled, batch.polls = True, 1
        return JSONResponse(self._told(batch, request))

    async def results(self, request: Request) -> Response:
        if refused := self._refused(request):
            return refused
        batch = self.batches[request.path_params["name"]]
        if not batch.ended:
            return self._error(404, "not_found_error", "the batch has not ended")
        self.read += 1
        lines = list(batch.lines)
        random.Random(batch.id).shuffle(lines)
        return Response("".join(json.dumps(line) + "\n" for line in lines), media_type="application/x-jsonl")

    def _work(self, batch: Batch) -> None:
        """Answers every item; all at once, so that none finds what another wrote into the cache."""
        for one in batch.requests:
            body = one["params"]
            result = {"type": "canceled"} if batch.cancelled else self._result(body)
            batch.lines.append({"custom_id": one["custom_id"], "result": result})

    def _result(self, body: Body) -> dict[str, Any]:
        spec = MODELS.get(str(body.get("model")))
        output = complaint(body, spec) if spec else f"model: {body.get('model')}"
        if output or spec is None:
            return _errored("invalid_request_error", str(output))
        reply = self.standin.brain(body, len(self.standin.answered))
        if reply.fault and reply.fault.kind == "hang":
            return {"type": "expired"}
        if reply.fault and reply.fault.kind == "status":
            return _errored(reply.fault.error_type, reply.fault.message)
        return {"type": "succeeded", "message": self.standin.answer_in_batch(body, reply, spec)}

    def _told(self, batch: Batch, request: Request) -> dict[str, Any]:
        kinds = [line["result"]["type"] for line in batch.lines] if batch.ended else []
        counts = {kind: kinds.count(kind) for kind in ("succeeded", "errored", "canceled", "expired")}
        status = "ended" if batch.ended else "canceling" if batch.cancelled else "in_progress"
        return {
            "id": batch.id,
            "type": "message_batch",
            "processing_status": status,
            "request_counts": {"processing": len(batch.requests) - len(kinds), **counts},
            "created_at": WHEN,
            "expires_at": "2026-11-22T22:00:00Z",
            "ended_at": WHEN if batch.ended else None,
            "archived_at": None,
            "cancel_initiated_at": WHEN if batch.cancelled else None,
            "results_url": f"{self.standin.url}/v1/messages/batches/{batch.id}/results" if batch.ended else None,
        }

    def _refused(self, request: Request) -> Response | None:
        given = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
        return None if given == self.standin.key else self._error(401, "authentication_error", "invalid x-api-key")

    @staticmethod
    def _error(status: int, kind: str, output: str) -> Response:
        return JSONResponse(
            {"type": "error", "error": {"type": kind, "message": output}, "request_id": "req_b"}, status
        )


def wrong(requests: Any) -> str:
    """What is wrong with a batch as a whole; its items are judged one by one when they are worked on."""
    if not isinstance(requests, list) or not 0 < len(requests) <= LIMIT:
        return f"requests: a list of 1 to {LIMIT} items is required"
    names = [str(one.get("custom_id")) for one in requests]
    if bad := next((name for name in names if not CUSTOM_ID.fullmatch(name)), None):
        return f"custom_id: {bad!r} does not match {CUSTOM_ID.pattern}"
    if len(set(names)) < len(names):
        return "custom_id: must be unique within the batch"
    if any("stream" in one.get("params", {}) for one in requests):
        return "params.stream: batches are not streamed"
    return ""


def _errored(kind: str, output: str) -> dict[str, Any]:
    error = {"type": "error", "error": {"type": kind, "message": output}, "request_id": "req_b"}
    return {"type": "errored", "error": error}
