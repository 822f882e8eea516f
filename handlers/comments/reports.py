"""Why there is no fix, in people's words: a provider's raw answer is nothing for a page (AG-4, EX-6)."""

import re
from typing import NamedTuple

from handlers.comments.clean import plain, sentence
from healing.model import Unfixable


class Told(NamedTuple):
    """What a page says: why there is no fix, and what a person can do (may be empty). Safe Markdown."""

    why: str
    advice: str


_CREDIT = (
    re.compile(r"credit|billing|\b402\b", re.IGNORECASE),
    Told("the account at the model's provider has no credit left.", "Add credit to it, then say `/heal retry`."),
)
_KEY = (
    re.compile(r"authentication|api[-_ ]key|\b401\b", re.IGNORECASE),
    Told(
        "the model's provider does not accept the key.", "Whoever runs Heal sets a valid one; then say `/heal retry`."
    ),
)
_FORBIDDEN = (
    re.compile(r"permission|\b403\b", re.IGNORECASE),
    Told("the key is not allowed to use this model.", "Whoever runs Heal chooses another; then say `/heal retry`."),
)
_UNKNOWN = (
    re.compile(r"not_found|\b404\b", re.IGNORECASE),
    Told("the model's provider does not know the configured model.", "Whoever runs Heal corrects its name."),
)
_LIMITED = (
    re.compile(r"rate_limit|\b429\b", re.IGNORECASE),
    Told("the model's provider limits how often it is asked, and waiting did not help.", "Say `/heal retry` later."),
)
_BUSY = (
    re.compile(r"overloaded|\b529\b", re.IGNORECASE),
    Told("the model's provider is overloaded, and trying again did not help.", "Say `/heal retry` later."),
)
# What a provider says → what it means, the most telling first; and what is said where nothing is recognised.
_BY_REASON: dict[str, tuple[tuple[tuple[re.Pattern[str], Told], ...], str]] = {
    "no-access": ((_CREDIT, _KEY, _FORBIDDEN), "the model's provider refused the account."),
    "model-rejected": ((_CREDIT, _UNKNOWN), "the model's provider did not take Heal's request."),
    "model-unavailable": ((_LIMITED, _BUSY), "the model's provider could not be reached, or gave no usable reply."),
    "model-failed": ((), "the model gave no usable reply."),
    "model-refusal": ((), "the model refused to work on it."),
    "context": ((), "the conversation grew longer than the model can read."),
}
_PROVIDER_REFUSED = "provider refused this account"
_SAID = re.compile(r"\((.{0,2000})\)", re.DOTALL)  # the engine puts a provider's own words in brackets


def why_not(report: Unfixable) -> Told:
    """One report for a page."""
    meaning = _meaning(report)
    advice = sentence(report.advice, 300)
    if meaning is None:
        return Told(sentence(report.why, 400), advice)
    return meaning if meaning.advice else Told(meaning.why, advice)


def why_not_plainly(report: Unfixable) -> str:
    """Why there is no fix, for where no Markdown is read."""
    meaning = _meaning(report)
    return plain(report.why, 400) if meaning is None else meaning.why


def _meaning(report: Unfixable) -> Told | None:
    """What a provider's no means, in our words; None for reports that are no provider's."""
    # A provider's no stops the whole run: what was not begun carries its words as the end of the budget.
    stopped = report.reason == "budget" and _PROVIDER_REFUSED in report.why
    known = _BY_REASON.get("no-access" if stopped else report.reason)
    if known is None:
        return None
    meanings, otherwise = known
    found = _SAID.search(report.why)
    said = found.group(1) if found else report.why[:2000]
    return next((words for pattern, words in meanings if pattern.search(said)), Told(otherwise, ""))
