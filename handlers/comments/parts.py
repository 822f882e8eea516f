"""Parts that several texts share: a place, an error's line, a fix's evidence and cost."""

from collections.abc import Iterable, Mapping

from handlers.comments.clean import block, code, commit_line, cut, fold, label, prose, sentence
from healing.model import CIError, Culprit, Evidence, Proposal, Spending
from healing.repair.tools import commit_message

SHORT = 8  # digits of an id that people see; any unique prefix is understood
MAX_PLACES = 5

Errors = Mapping[str, CIError]


def short(id_: str) -> str:
    """The part of an id that people type."""
    return id_[:SHORT]


def by_id(errors: Iterable[CIError]) -> dict[str, CIError]:
    """Errors by their id."""
    return {error.id: error for error in errors}


def plural(count: int, word: str) -> str:
    """`1 fix`, `2 fixes`."""
    if count == 1:
        return f"1 {word}"
    return f"{count} {word}es" if word.endswith(("x", "s", "ch")) else f"{count} {word}s"


def place(error: CIError) -> str:
    """`file:line` as code, or the words for an error without a place."""
    if error.file is None:
        return "no file"
    return code(f"{error.file}:{error.line}" if error.line else error.file, 120)


def error_line(error: CIError, most: int = 200) -> str:
    """One error in one line: tool, code, message."""
    head = " ".join(part for part in (error.tool, error.code) if part)
    return f"{code(head, 60)}: {prose(error.message, most)}"


def without_change(culprit: Culprit) -> str:
    """The change's own lines without which an error is gone: an explanation, never a fix."""
    named = ", ".join(
        code(f"{at.file}:{at.line}" if at.line else f"{at.file} (gone)") for at in culprit.places[:MAX_PLACES]
    )
    more = f" and {len(culprit.places) - MAX_PLACES} more" if len(culprit.places) > MAX_PLACES else ""
    return f"when this pull request's change at {named}{more} is undone"


def what_broke(proposal: Proposal, errors: Errors) -> str:
    """The first of a proposal's errors, and how many more there are."""
    known = [errors[id_] for id_ in proposal.error_ids if id_ in errors]
    if not known:
        return plural(len(proposal.error_ids), "error")
    more = f" (and {plural(len(known) - 1, 'more error')})" if len(known) > 1 else ""
    return f"{error_line(known[0])} at {place(known[0])}{more}"


def evidence(proposal: Proposal, errors: Errors) -> str:
    """The folded proof: each command, its result before and after, on which trees. Where a command still fails for
    other reasons, it names the error that is gone and how far the count fell."""
    if not proposal.evidence:
        return "No proof is stored for this fix."
    gone = _gone(proposal, errors)
    inside = "\n\n".join(_one(item, gone) for item in proposal.evidence[:5])
    return fold(_evidence_title(proposal.evidence, gone), inside)


def _evidence_title(items: tuple[Evidence, ...], gone: str) -> str:
    first = items[0]
    left = f", {label(first.note, 200)}" if first.note else ""
    shown = "fails without the fix, passes with it" if first.after_exit == 0 else f"{gone}{left}"
    more = f", and {plural(len(items) - 1, 'more check')}" if len(items) > 1 else ""
    return f"Proof: {shown}{more} ({tested_by(items)})"


def _gone(proposal: Proposal, errors: Errors) -> str:
    """`F401 at shop.py:3 is gone` for a fold's title, which is HTML: letters, digits and a few signs only."""
    first = next((errors[id_] for id_ in proposal.error_ids if id_ in errors), None)
    if first is None:
        return f"{plural(len(proposal.error_ids), 'error')} {'is' if len(proposal.error_ids) == 1 else 'are'} gone"
    where = f"{first.file}:{first.line}" if first.file and first.line else first.file
    named = label(f"{first.code or first.tool}{f' at {where}' if where else ''}", 160)
    more = f" (and {plural(len(proposal.error_ids) - 1, 'more error')})" if len(proposal.error_ids) > 1 else ""
    return f"{named}{more} {'are' if more else 'is'} gone"


def tested_by(items: tuple[Evidence, ...]) -> str:
    """Where a proposal was tested."""
    by_ci = [bool(item.check.get("ci")) for item in items]
    if all(by_ci):
        return "tested by your CI"
    return "tested in Heal's sandbox and by your CI" if any(by_ci) else "tested in Heal's sandbox"


def _one(item: Evidence, gone: str) -> str:
    """One command: its result in a sentence, what it printed without the fix and with it, and on which trees."""
    note = f" {sentence(item.note, 300)}" if item.note and item.after_exit == 0 else ""
    head = f"{code(item.command, 300)} {_result(item, gone)}.{note}"
    without = f"Without the fix (git tree {code(item.before_tree[:12])}):"
    with_it = f"With the fix (git tree {code(item.after_tree[:12])}):"
    return "\n\n".join(
        [head, without, block(item.before_output, most=1500), with_it, block(item.after_output, most=800)]
    )


def _result(item: Evidence, gone: str) -> str:
    """What a command did without the fix and with it: where it fails both times, which error is gone and how many are
    left, for the same exit code twice shows nothing."""
    if item.after_exit == 0:
        code_ = "" if "ci" in item.check else f" (exit code {item.before_exit})"  # jobs of CI report none
        before = "does not end" if item.before_exit is None else f"fails{code_}"
        return f"{before} without the fix and passes{f' {item.runs} times in a row' if item.runs > 1 else ''} with it"
    fails = (
        "does not end, with or without the fix" if item.after_exit is None else "still fails because of other errors"
    )
    return f"{fails}, but {gone}{f': {prose(item.note, 300)}' if item.note else ''}"


def how_to(proposal: Proposal, status: str) -> str:
    """The commands that a person can use on a proposal of that status."""
    name = short(proposal.id)
    if status == "applied":
        return f"`/heal rollback {name}` reverts it"
    if status == "rolled-back":
        return "`/heal retry` looks for another fix"
    apply = f"`/heal apply {name}` commits it"
    return apply if status == "rejected" else f"{apply} · `/heal reject {name} [why]` drops it"


def title(proposal: Proposal, most: int = 120) -> str:
    """The proposal's title, made safe, and what it changes besides the product."""
    own = prose(proposal.title, most) or "Fix"
    return f"{own} ({changes_more(proposal)})" if proposal.touches else own


def changes_more(proposal: Proposal) -> str:
    """What a fix changes besides the product. Such a fix is only applied by its id."""
    return f"changes the {proposal.touches}" if proposal.touches else ""


def closer_look(proposal: Proposal) -> str:
    """What a person should look at before they accept it."""
    flags = "\n".join(f"- {prose(flag, 200)}" for flag in proposal.flags[:5])
    return f"**Needs a closer look:**\n{flags}" if flags else ""


def standing(proposal: Proposal) -> str:
    """How sure a proposal is, and what it cost."""
    return f"confidence {proposal.confidence} of 100, {priced(proposal)}"


def priced(proposal: Proposal) -> str:
    """What a proposal cost, for places without a heading about cost."""
    return f"cost {price(proposal)}" if proposal.dollars else price(proposal)


def price(proposal: Proposal) -> str:
    """What a proposal's model calls cost; `free` is the text if no model was asked."""
    if not proposal.dollars:
        return "free"
    return f"${proposal.dollars:.2f}" if proposal.dollars >= 0.01 else "less than $0.01"


def cost(spending: Spending) -> str:
    """What models cost, in one sentence; if none was asked, what they would have cost."""
    if not spending.calls and not spending.lost:
        asked = "$0.00, no AI used."
        if spending.estimate_dollars:
            asked += f" Asking a model about the rest would cost about ${spending.estimate_dollars:.2f}."
        return asked
    read = spending.input_tokens + spending.cache_write_tokens + spending.cache_read_tokens
    cached = round(100 * spending.cache_read_tokens / read) if read else 0
    return (
        f"${spending.dollars:.2f} for {plural(spending.calls, 'model call')} ({read:,} tokens in, {cached}% of them "
        f"cached; {spending.output_tokens:,} out){_lost(spending.lost)}."
    )


def _lost(calls: int) -> str:
    """The part of the sum for calls that got no reply."""
    return f", {plural(calls, 'call')} without a reply counted in full" if calls else ""


def duration(seconds: Mapping[str, float]) -> str:
    """How long it took: the `total` if it was measured, else the sum of the phases."""
    total = seconds.get("total", sum(seconds.values()))
    return f"{total:.0f} s" if total < 120 else f"{total / 60:.0f} min"


def headline(proposal: Proposal) -> str:
    """First line of a commit that applies a proposal, as plain text; for a tool's it names the tool."""
    if proposal.source.startswith("autofix:"):
        return commit_message([proposal.source.removeprefix("autofix:")])
    return cut(f"fix: {subject(proposal)}", 72)


def subject(proposal: Proposal) -> str:
    """A proposal's title for after `fix: ` or `revert: `, as plain text. Its first letter is small, as the usual rules
    for such commits ask; a name with more capitals or signs keeps them."""
    line = commit_line(proposal.title)
    first = line.split(" ", 1)[0]
    return line[:1].lower() + line[1:] if first.isalpha() and first.istitle() else line
