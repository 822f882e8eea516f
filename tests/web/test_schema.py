"""The dashboard of somebody who is signed in, under requests made from a description of it: no server's error."""

import asyncio
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.core.result import Ok

from tests.security.test_schema import ANSWERS, TEXT
from tests.web.conftest import Stage, csrf_of
from tests.web.rows import reported_run

pytestmark = pytest.mark.asyncio(loop_scope="session")

SHA = "4f1c09d2" * 5
CSRF = "the session's own"  # put in its place when the form is sent
KNOWN = {
    "owner": ["corner-shop", "other-firm"],
    "name": ["tally", "vault"],
    "sha": [SHA],
    "attempt": ["1", "0", "-1", "99999999999999999999"],
    "state": ["running", "done"],
    "q": ["#12", "4f1c09d2", "%"],
    "number": ["7", "0", "-1", "99999999999999999999"],
}


def _named(where: str, *names: str) -> list[dict[str, object]]:
    """Parameters that now are what there is, now are anything."""
    return [
        {
            "name": name,
            "in": where,
            "required": where == "path",
            "schema": {"anyOf": [{"enum": KNOWN[name]}, TEXT["schema"]]} if name in KNOWN else TEXT["schema"],
        }
        for name in names
    ]


RUN = _named("path", "owner", "name", "sha", "attempt")
FIELDS = {
    "csrf": {"enum": [CSRF]},  # without it nothing else is read
    "do": {"enum": ["retry", "cancel", "apply", "reject", "", "rollback"]},
    "fix": {"enum": ["0a1b2c3d4e5f6071", "ffffffffffffffff", ""]},
    "once": {"type": "string", "minLength": 1, "maxLength": 70},
    "why": TEXT["schema"],
}
OBJECT = {"type": "object", "properties": FIELDS, "required": ["csrf", "do"], "additionalProperties": False}
FORM = {"requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": OBJECT}}}}
PATHS: dict[str, Any] = {
    "/": {"get": ANSWERS},
    "/runs": {"get": {"parameters": _named("query", "q", "repo", "state", "before"), **ANSWERS}},
    "/fixes": {"get": ANSWERS},
    "/flaky": {"get": ANSWERS},
    "/queue": {"get": ANSWERS},
    "/repositories": {"get": ANSWERS},
    "/repositories/{owner}/{name}": {"get": {"parameters": _named("path", "owner", "name"), **ANSWERS}},
    "/runs/{owner}/{name}/{sha}/{attempt}": {"get": {"parameters": RUN, **ANSWERS}},
    "/runs/{owner}/{name}/{sha}/{attempt}/live": {"get": {"parameters": RUN, **ANSWERS}},
    "/live": {"get": {"parameters": _named("query", "q", "repo"), **ANSWERS}},
    "/ask/runs/{owner}/{name}/{sha}/{attempt}": {"post": {"parameters": RUN, **FORM, **ANSWERS}},
    "/ask/fixes/{owner}/{name}/{number}": {
        "post": {"parameters": _named("path", "owner", "name", "number"), **FORM, **ANSWERS}
    },
    # No made-up path comes as far as the form's fields.
    "/ask/fixes/corner-shop/tally/7": {"post": {**FORM, **ANSWERS}},
    f"/ask/runs/corner-shop/tally/{SHA}/1": {"post": {**FORM, **ANSWERS}},
    "/sign-out": {"post": {"parameters": _named("query", "next"), **ANSWERS}},
}
SCHEMA = schemathesis.openapi.from_dict({"openapi": "3.1.0", "info": {"title": "Heal", "version": "1"}, "paths": PATHS})


# OP-4
@pytest.mark.slow  # up to 50 requests for each route
async def test_no_request_of_somebody_who_is_signed_in_is_answered_with_a_server_error(stage: Stage) -> None:
    await reported_run(stage.store("tally"), SHA)
    async with stage.signed_in("maya") as maya:
        csrf = csrf_of((await maya.get("/")).text)
        seen = await asyncio.to_thread(_ask_all, stage, dict(maya.cookies), csrf)
    assert sum(seen.values()) > 8 * 10
    assert seen[200] > 50
    assert seen.get(303, 0) > 10, f"forms were taken too: {seen}"


def _ask_all(stage: Stage, cookies: dict[str, str], csrf: str) -> dict[int, int]:
    """How often each status was answered; only heads are waited for, as pages that follow events have no end."""
    seen: dict[int, int] = {}
    with httpx.Client(cookies=cookies, headers={"Origin": stage.url}, trust_env=False, timeout=30) as client:
        for found in SCHEMA.get_all_operations():
            assert isinstance(found, Ok)

            @settings(max_examples=50, deadline=None, derandomize=True, database=None,
                      suppress_health_check=list(HealthCheck))  # fmt: skip
            def ask(case: schemathesis.Case[Any]) -> None:
                stage.clock.at += 5  # so that no limit is met
                made = case.as_transport_kwargs(base_url=stage.url)
                kept = {key: made[key] for key in ("method", "url", "params", "headers", "data") if made.get(key)}
                if isinstance(form := kept.get("data"), dict):
                    kept["data"] = {**form, "csrf": csrf}
                with client.stream(**kept) as answer:
                    seen[answer.status_code] = seen.get(answer.status_code, 0) + 1
                    assert answer.status_code < 500, (case.method, case.path)

            given(case=found.ok().as_strategy())(ask)()
    return seen
