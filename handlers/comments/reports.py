"""Why there is no fix, in words for people; raw responses of AI providers are not posted."""

import re
from typing import NamedTuple

from handlers.comments.clean import plain, sentence
from handlers.comments.parts import plural
from healing.model import Outcome, Unfixable


class Reason(NamedTuple):
    """Why there is no fix, and what a person can do (may be empty). Safe Markdown."""

    why: str
    advice: str


_CREDIT = (
    re.compile(r"credit|billing|\b402\b", re.IGNORECASE),
    Reason(
        "the account at the model's provider has no credit left.",
        "Ask your Heal admin to add some, then `/heal retry`.",
    ),
)
_KEY = (
    re.compile(r"authentication|api[-_ ]key|\b401\b", re.IGNORECASE),
    Reason("the model's provider rejects the API key.", "Ask your Heal admin to set a valid one, then `/heal retry`."),
)
_FORBIDDEN = (
    re.compile(r"permission|\b403\b", re.IGNORECASE),
    Reason(
        "the API key isn't allowed to use this model.", "Ask your Heal admin to choose another one, then `/heal retry`."
    ),
)
_UNKNOWN = (
    re.compile(r"not_found|\b404\b", re.IGNORECASE),
    Reason(
        "the model's provider has no model of the configured name.",
        "Ask your Heal admin to correct it, then `/heal retry`.",
    ),
)
_LIMITED = (
    re.compile(r"rate_limit|\b429\b", re.IGNORECASE),
    Reason("the model provider's rate limit was reached, and waiting did not help.", "`/heal retry` later."),
)
_BUSY = (
    re.compile(r"overloaded|\b529\b", re.IGNORECASE),
    Reason("the model's provider is overloaded, and retrying did not help.", "`/heal retry` later."),
)
# Patterns of providers' messages and their meanings, the most specific first; and the text if none matches.
_BY_REASON: dict[str, tuple[tuple[tuple[re.Pattern[str], Reason], ...], str]] = {
    "no-access": ((_CREDIT, _KEY, _FORBIDDEN), "the model's provider refused the account."),
    "model-rejected": ((_CREDIT, _UNKNOWN), "the model's provider rejected the request."),
    "model-unavailable": ((_LIMITED, _BUSY), "the model's provider could not be reached, or gave no usable reply."),
    "model-failed": ((), "the model gave no usable reply."),
    "model-refusal": ((), "the model refused to work on it."),
    "context": ((), "the conversation grew longer than the model can read."),
}
# Readers of a page can't change what the Heal admin can, so the engine's advice for a terminal is replaced.
_SET_A_KEY = re.compile(r"Set (\w{1,60}) in Heal's environment, and run Heal again: (about \$\d{1,9}\.\d\d)\.")
_PROVIDER_REFUSED = "provider refused this account"
_PROVIDERS_WORDS = re.compile(r"\((.{0,2000})\)", re.DOTALL)  # the engine puts a provider's own words in brackets


def why_not(report: Unfixable) -> Reason:
    """One report for a page."""
    meaning = _meaning(report)
    advice = sentence(_for_a_page(report.advice), 300)
    if meaning is None:
        return Reason(sentence(report.why, 400), advice)
    return meaning if meaning.advice else Reason(meaning.why, advice)


def reason_of(report: Unfixable) -> Reason:
    """One report as plain text, for pages that escape it themselves."""
    meaning = _meaning(report)
    if meaning is None:
        return Reason(plain(report.why, 400), plain(_for_a_page(report.advice), 300))
    return meaning if meaning.advice else Reason(meaning.why, plain(_for_a_page(report.advice), 300))


def why_not_plainly(report: Unfixable) -> str:
    """Why there is no fix, as plain text."""
    meaning = _meaning(report)
    return plain(report.why, 400) if meaning is None else meaning.why


def why_left(outcome: Outcome) -> str | None:
    """Why errors have no fix: the first report's reason and the count of the others; None without reports."""
    reasons = [why_not_plainly(report) for report in outcome.unfixables]
    reasons += [plain(f"{item.what}: {item.why}", 400) for item in outcome.not_looked]
    if outcome.verdict == "healed" or not reasons:
        return None
    more = len(dict.fromkeys(reasons)) - 1
    return f"{reasons[0]} (and {plural(more, 'more reason')})" if more else reasons[0]


def _for_a_page(advice: str) -> str:
    """What a person can do who doesn't run Heal."""
    return _SET_A_KEY.sub(
        r"Fix it by hand. Or ask your Heal admin to set `\1`; once it's set, comment `/heal retry` (\2).", advice
    )


def _meaning(report: Unfixable) -> Reason | None:
    """The meaning of a provider's refusal; None for other reports."""
    # A refusal stops the whole run, and errors that were not begun have its message as a report about the budget.
    stopped = report.reason == "budget" and _PROVIDER_REFUSED in report.why
    known = _BY_REASON.get("no-access" if stopped else report.reason)
    if known is None:
        return None
    meanings, otherwise = known
    found = _PROVIDERS_WORDS.search(report.why)
    words = found.group(1) if found else report.why[:2000]
    return next((reason for pattern, reason in meanings if pattern.search(words)), Reason(otherwise, ""))
