"""What an operator sees of a healing: its spans and its numbers, and in neither a secret or anybody's code."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from pydantic import SecretStr

from tests.conversation.small_repo import SHOP
from tests.model_standin import server
from tests.model_standin.brains import oracle
from tests.world import OpenWorld

WRONG = {"shop.py": SHOP.replace("return sum(prices)", "return max(prices)")}
TOKEN = "the-operators-own-metrics-token"


@dataclass
class Collector:
    """An OTLP/HTTP collector: what it was sent."""

    url: str = ""
    bodies: list[bytes] = field(default_factory=list)

    def spans(self) -> "list[Seen]":
        found = []
        for body in self.bodies:
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    found += [Seen(s.name, s.span_id, s.parent_span_id, _of(s.attributes)) for s in scope.spans]
        return found


@dataclass(frozen=True)
class Seen:
    name: str
    id: bytes
    parent: bytes
    attributes: dict[str, str | int]


def _of(attributes: object) -> dict[str, str | int]:
    return {a.key: a.value.string_value or a.value.int_value for a in attributes}  # type: ignore[attr-defined]


@contextmanager
def collecting() -> Iterator[Collector]:
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            collector.bodies.append(gzip.decompress(body) if self.headers["Content-Encoding"] == "gzip" else body)
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.end_headers()

        def log_message(self, *output: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        collector.url = f"http://127.0.0.1:{serving.server_address[1]}"
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield collector
        serving.shutdown()


# OP-5
async def test_a_healing_is_a_tree_of_spans_and_numbers_without_a_secret_or_a_line_of_code(
    world: OpenWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        knows = oracle({"shop.py": ("return max(prices)", "return sum(prices)")}, careful=True)
        async with (
            server.serve(knows) as standin,
            world(
                fresh=True,
                anthropic_api_key=SecretStr(standin.key),
                anthropic_base_url=standin.url,
                metrics_token=SecretStr(TOKEN),
            ) as w,
        ):
            page = await w.healed(WRONG)
            assert page.standing()
            assert (len(page.comments()), len(page.reviews())) == (1, 1)
            address = w.app.webhook_url.removesuffix("/webhook")
            async with httpx.AsyncClient(timeout=60) as client:
                refused = await client.get(f"{address}/metrics")
                answer = await client.get(f"{address}/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
            secrets = [standin.key, w.app.private_key.splitlines()[1], w.app.webhook_secret, TOKEN]
        spans = collector.spans()
    by_id = {span.id: span for span in spans}

    def above(span: Seen) -> list[str]:
        parent = by_id.get(span.parent)
        return [] if parent is None else [parent.name, *above(parent)]

    (run,) = [span for span in spans if span.name == "heal.run"]
    assert run.attributes["heal.repository_id"] == w.repo.id
    names = {span.name for span in spans}
    assert {"heal.phase look", "heal.phase autofix", "heal.phase fixers", "heal.phase slow"} <= names
    assert all(above(span)[-1] == "heal.run" for span in spans if span is not run)
    (agent,) = [span for span in spans if span.name == "heal.agent"]
    assert agent.attributes["heal.errors"] == 1
    calls = [span for span in spans if span.name == "heal.model_call"]
    assert calls
    assert all("heal.agent" in above(span) for span in calls)
    assert calls[0].attributes["heal.model"] == "claude-sonnet-5-5"
    looks = [span for span in spans if span.name == "heal.check" and "heal.phase look" in above(span)]
    assert {span.attributes["heal.exit_code"] for span in looks} == {0, 1}

    assert refused.status_code == 401
    reported = answer.text
    for line in (
        'heal_runs{state="done"} 1.0',
        'heal_runs_ended_total{verdict="healed"} 1.0',
        'heal_errors_total{resolution="fix"} 1.0',
        'heal_proposals{status="offered"} 1.0',
        'heal_proposals_made_total{source="agent"} 1.0',
        'heal_model_calls_total{model="claude-sonnet-5-5"}',
    ):
        assert line in reported
    everything = reported + "".join(str(span) for span in spans) + repr(collector.bodies)
    for word in (*secrets, "corner-shop", "prices", "pytest -q", "assert 2 == 3"):
        assert word not in everything, word


# OP-5
async def test_without_a_place_for_them_no_span_is_made_and_nothing_is_loaded(
    world: OpenWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    from healing import spans

    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    async with world():
        assert type(spans.begin("run")).__module__ == "healing.spans"
