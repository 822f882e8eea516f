"""The public routes under requests made from a description of them: whatever comes, no answer is a server's error."""

from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from pydantic import SecretStr
from schemathesis.core.result import Ok
from starlette.routing import Route
from starlette.testclient import TestClient

from bot.app import create_web
from bot.settings import Settings
from bot.web.limits import RATES

TEXT = {"schema": {"type": "string", "maxLength": 300}}


def _query(*names: str) -> list[dict[str, object]]:
    return [{"name": name, "in": "query", **TEXT} for name in names]


def _path(*names: str) -> list[dict[str, object]]:
    return [{"name": name, "in": "path", "required": True, **TEXT} for name in names]


ANSWERS = {"responses": {"default": {"description": "any"}}}
BODY: dict[str, Any] = {"requestBody": {"content": {"application/json": {"schema": {}}}}}
SIGNATURE = [{"name": name, "in": "header", **TEXT} for name in ("x-hub-signature-256", "x-github-event")]
RUN = _path("owner", "name", "sha", "attempt")
PATHS: dict[str, dict[str, Any]] = {
    "/healthz": {"get": ANSWERS},
    "/sign-in": {"get": {"parameters": _query("next"), **ANSWERS}},
    "/auth/start": {"get": {"parameters": _query("next"), **ANSWERS}},
    "/auth/callback": {"get": {"parameters": _query("code", "state", "error"), **ANSWERS}},
    "/sign-out": {"post": ANSWERS},
    "/metrics": {"get": ANSWERS},
    "/assets/{name}": {"get": {"parameters": _path("name"), **ANSWERS}},
    "/": {"get": ANSWERS},
    "/runs": {"get": {"parameters": _query("q", "repo", "state", "before"), **ANSWERS}},
    "/fixes": {"get": ANSWERS},
    "/flaky": {"get": ANSWERS},
    "/live": {"get": ANSWERS},
    "/queue": {"get": ANSWERS},
    "/repositories": {"get": ANSWERS},
    "/repositories/{owner}/{name}": {"get": {"parameters": _path("owner", "name"), **ANSWERS}},
    "/runs/{owner}/{name}/{sha}/{attempt}": {"get": {"parameters": RUN, **ANSWERS}},
    "/runs/{owner}/{name}/{sha}/{attempt}/live": {"get": {"parameters": RUN, **ANSWERS}},
    "/ask/runs/{owner}/{name}/{sha}/{attempt}": {"post": {"parameters": RUN, **ANSWERS}},
    "/ask/fixes/{owner}/{name}/{number}": {"post": {"parameters": _path("owner", "name", "number"), **ANSWERS}},
    "/readyz": {"get": ANSWERS},
    "/webhook": {"post": {"parameters": SIGNATURE, **BODY, **ANSWERS}},
}
SCHEMA = schemathesis.openapi.from_dict({"openapi": "3.1.0", "info": {"title": "Heal", "version": "1"}, "paths": PATHS})


def _sent(case: schemathesis.Case[Any]) -> dict[str, Any]:
    made = case.as_transport_kwargs(base_url="http://testserver")
    kept = {key: made[key] for key in ("method", "url", "params", "headers", "json", "cookies") if made.get(key)}
    return kept | ({"content": made["data"]} if isinstance(made.get("data"), str | bytes) else {})


def settings_in(folder: Path) -> Settings:
    return Settings(data=folder, client_id="c", client_secret=SecretStr("s"), webhook_secret=SecretStr("w"),
                    metrics_token=SecretStr("m"))  # fmt: skip


async def test_every_route_is_described_and_has_a_rate_or_is_for_machines(tmp_path: Path) -> None:
    app = create_web(settings_in(tmp_path), lambda: 1.0)
    async with app.router.lifespan_context(app):
        routes = {(r.path.replace(":int", ""), m) for r in app.routes if isinstance(r, Route) for m in r.methods or ()}
    described = {(path, method.upper()) for path, methods in PATHS.items() for method in methods}
    assert {route for route in routes if route[1] != "HEAD"} == described
    unlimited = {path for path, _ in routes if next(rate for start, rate in RATES if path.startswith(start)) is None}
    assert unlimited == {"/webhook", "/healthz"}  # the one is judged by its signature, the other reads nothing


@pytest.mark.slow  # up to 50 requests for each route
def test_no_request_of_a_stranger_is_answered_with_a_server_error(tmp_path: Path) -> None:
    made = settings_in(tmp_path)
    ticks = iter(range(0, 10**9, 100))  # time flies, so that no limit is met
    asked = 0
    with TestClient(create_web(made, lambda: float(next(ticks))), follow_redirects=False) as client:
        for found in SCHEMA.get_all_operations():
            assert isinstance(found, Ok)
            operation = found.ok()

            @settings(max_examples=50, deadline=None, derandomize=True, database=None,
                      suppress_health_check=list(HealthCheck))  # fmt: skip
            def ask(case: schemathesis.Case[Any]) -> None:
                nonlocal asked
                answer = client.request(**_sent(case))
                asked += 1
                assert answer.status_code < 500, (case.method, case.path)

            given(case=operation.as_strategy())(ask)()
    assert asked > 14 * 10
