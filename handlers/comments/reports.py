"""Why there is no fix, in people's words: a provider's raw answer is nothing for a page (AG-4, EX-6)."""

import re

from handlers.comments.clean import sentence
from healing.model import Unfixable

# What a model's provider says → what it means. Looked for in its own words, the most telling first.
_ACCESS = (
    (re.compile(r"credit|billing|\b402\b", re.I), "the account at the model's provider has no credit left"),
    (re.compile(r"authentication|api[-_ ]key|\b401\b", re.I), "the model's provider does not accept the key"),
    (re.compile(r"permission|\b403\b", re.I), "the key is not allowed to use this model"),
)
_REJECTED = (
    (re.compile(r"not_found|\b404\b", re.I), "the model's provider does not know the configured model"),
    (re.compile(r"credit|billing", re.I), "the account at the model's provider has no credit left"),
)
_UNAVAILABLE = (
    (
        re.compile(r"rate_limit|\b429\b", re.I),
        "the model's provider limits how often it is asked, and waiting did not help",
    ),
    (re.compile(r"overloaded|\b529\b", re.I), "the model's provider is overloaded, and trying again did not help"),
)
_PROVIDER: dict[str, tuple[tuple[tuple[re.Pattern[str], str], ...], str]] = {
    "no-access": (_ACCESS, "the model's provider refused the account"),
    "model-rejected": (_REJECTED, "the model's provider did not take Heal's request"),
    "model-unavailable": (_UNAVAILABLE, "the model's provider could not be reached, or gave no usable reply"),
    "model-failed": ((), "the model gave no usable reply"),
    "model-refusal": ((), "the model refused to work on it"),
    "context": ((), "the conversation grew longer than the model can read"),
}


def why(report: Unfixable) -> str:
    """The report's reason as a safe sentence."""
    # A provider's no stops the whole run: what was not begun carries its words as the end of the budget.
    refused = report.reason == "budget" and "provider refused this account" in report.why
    known = _PROVIDER.get("no-access" if refused else report.reason)
    if known is None:
        return sentence(report.why, 400)
    meanings, otherwise = known
    return next((words for pattern, words in meanings if pattern.search(report.why[:2000])), otherwise) + "."
