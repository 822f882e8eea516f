"""Why there is no fix, as a page says it: never in a provider's own words."""

import pytest

from handlers.comments.reports import reason_of, why_not
from healing.model import Unfixable
from healing.pipeline.agent_work.keyless import missing_key
from healing.view import DictView
from tests.handlers.world import ERROR

SAID = "The model's provider refused this account ({}). Check the key and its credit."
REJECTED = "The model's provider did not accept the request ({}). This is a fault of Heal: report it."


# AG-4 LM-5
@pytest.mark.parametrize(
    ("reason", "raw", "why"),
    [
        ("no-access", SAID.format("authentication_error: Error code: 401 - {'type': 'error'}"), "rejects the API key"),
        ("no-access", SAID.format("billing_error: Error code: 402 - {'type': 'error'}"), "no credit left"),
        ("no-access", SAID.format("permission_error: Error code: 403 - {'type': 'error'}"), "isn't allowed to use"),
        ("no-access", SAID.format("HTTP 418: {'type': 'error'}"), "refused the account"),
        ("budget", SAID.format("authentication_error: Error code: 401 - {'type': 'error'}"), "rejects the API key"),
        (
            "model-rejected",
            REJECTED.format("not_found_error: Error code: 404 - {'type': 'error'}"),
            "no model of the configured name",
        ),
        ("model-rejected", REJECTED.format("invalid_request_error: Your credit is low {'type'}"), "no credit left"),
        ("model-rejected", REJECTED.format("invalid_request_error: {'type': 'error'}"), "rejected the request"),
        ("model-unavailable", "overloaded_error: Error code: 529 - {'type': 'error'}.", "overloaded"),
        ("model-unavailable", "rate_limit_error: Error code: 429 - {'type': 'error'}.", "rate limit was reached"),
        ("model-unavailable", "ConnectError {'type': 'error'}", "could not be reached"),
        ("model-refusal", "the model refused to work on it ({'type': 'error'})", "refused to work"),
    ],
)
def test_a_provider_s_no_becomes_a_short_sentence(reason: str, raw: str, why: str) -> None:
    report = Unfixable(id="U1", error_ids=("E1",), reason=reason, tried="", why=raw, advice="Fix it by hand.")
    reported = why_not(report)
    assert why in reported.why
    assert reported.advice
    assert "type" not in reported.why + reported.advice
    assert len(reported.why) < 120


# UX-3
def test_who_reads_a_page_is_told_who_can_set_the_key_that_is_missing() -> None:
    report = missing_key().report((ERROR,), 0.184, DictView({}))
    then = "comment `/heal retry` (about $0.18)."
    advice = f"Fix it by hand. Or ask your Heal admin to set `ANTHROPIC_API_KEY`; once it's set, {then}"
    assert (reason_of(report).advice, why_not(report).advice) == (advice, advice.replace("$", "\\$"))


def test_what_heal_itself_says_stays() -> None:
    report = Unfixable(id="U1", error_ids=("E1",), reason="limit", tried="", why="six calls", advice="")
    assert why_not(report) == ("six calls.", "")
