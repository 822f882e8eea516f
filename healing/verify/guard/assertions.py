"""Rule: tests assert as much as before: nothing trivial, looser or different, and not less often."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest

from healing.verify.guard.patch import Follows, GuardFinding, WholeChange
from healing.verify.guard.reading.marks import TRIVIAL, Assertion, FileMarks

RULE = "assertions"
QUOTE = re.compile("['\"]")
EXACTER = {("near", "Eq"), ("or", "Eq")}  # another sense that is stricter
NONE = Assertion("", "", TRIVIAL - 1)


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """One finding for each way in which a file's tests assert less."""
    for file in patch.files:
        if file.old is not None and file.new is not None:
            before, after = file.readings
            follows = patch.at_fault.get(file.path)
            pairs = ((_followed(old, follows) if follows else old, new) for old, new in _pairs(before, after))
            reasons = dict.fromkeys(why for old, new in pairs if (why := _weaker(old, new)))
            yield from (GuardFinding(RULE, file.path, why) for why in reasons)


def _pairs(before: FileMarks, after: FileMarks) -> Iterator[tuple[Assertion, Assertion]]:
    """Each test's old assertions paired with its new ones. Tests that are gone are left to another rule."""
    after_by_name = {test.name: test.assertions for test in after.tests}
    yield from _beside(before.loose, after.loose)
    for test in before.tests:
        if test.name in after_by_name:
            yield from _beside(test.assertions, after_by_name[test.name])


def _beside(old: tuple[Assertion, ...], new: tuple[Assertion, ...]) -> Iterator[tuple[Assertion, Assertion]]:
    """The assertions that differ, paired in order; those on both sides are left out."""
    removed, added = _without(old, new), _without(new, old)
    return ((a, b) for a, b in zip_longest(removed, added, fillvalue=NONE) if a is not NONE)


def _without(some: tuple[Assertion, ...], others: tuple[Assertion, ...]) -> list[Assertion]:
    """The assertions of `some` that are not among `others`."""
    remaining = Counter((a.text, a.strength) for a in others)
    kept = []
    for assertion in some:
        key = (assertion.text, assertion.strength)
        if remaining[key]:
            remaining[key] -= 1
        else:
            kept.append(assertion)
    return kept


def _followed(assertion: Assertion, follows: Follows) -> Assertion:
    """The assertion with the new name of what the pull request renamed, or with the words that it put in the place of
    others in a text. For a name strings stay: they are what the product prints, not what it calls something."""
    old, new, in_text = follows
    if in_text:
        literals = frozenset(text.replace(old, new) if QUOTE.search(text) else text for text in assertion.literals)
        return replace(assertion, literals=literals)
    word = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)")
    literals = frozenset(text if QUOTE.search(text) else word.sub(new, text) for text in assertion.literals)
    return replace(assertion, literals=literals)


def _weaker(old: Assertion, new: Assertion) -> str:
    """Why an assertion is weaker than the one it replaces; empty if it isn't."""
    if new is NONE:
        return "asserts less than before"
    if new.strength < old.strength:
        return f"asserts less than before: `{old.text[:60]}` became `{new.text[:60]}`"
    if new.tolerance and new.tolerance != old.tolerance:
        return f"compares less exactly than before: `{new.text[:80]}`"
    if old.literals - new.literals:
        return f"expects something else than before: `{old.text[:60]}` became `{new.text[:60]}`"
    if old.sense != new.sense and (old.sense, new.sense) not in EXACTER and old.strength > TRIVIAL:
        return f"compares otherwise than before: `{old.text[:60]}` became `{new.text[:60]}`"
    return ""
