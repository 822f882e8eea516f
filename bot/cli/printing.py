"""Formats errors, fixes and outcomes as lines for people."""

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from healing.model import CIError, Culprit, Edit, Evidence, NotChecked, Outcome, Proposal, Unfixable

MAX_ERRORS, MAX_TAIL = 5, 12
MAX_VALUE = 80  # characters of a value that a test compared
MAX_COMMAND = 160  # characters of a command in a run's report; `heal show` has all of it
# A person's own shell may know better than a check, which sees less than it does.
OF_BASE = "also red on the base commit here, where checks have no network and none of your shell's own variables:"
BY_CHANCE = "failed once and passed when run again, so no fix can be shown to work:"
OTHER_RUN = re.compile(r"\Aheal (?:check|run) --run ")
UNREAD = "unread"  # the tool of the error that replaces output in which no error was recognized
COLOURS = {"+": "32", "-": "31", "@": "36"}
VERDICTS = {
    "healed": "fixed",
    "partly": "partly fixed",
    "not-healed": "not fixed",
    "could-not-look": "couldn't reproduce",
}


def error_line(error: "CIError") -> str:
    """`file:line:col: message  [tool code]`, which editors recognize."""
    place = ":".join(str(p) for p in (error.file, error.line, error.column) if p is not None)
    name = f"[{error.tool}{' ' + error.code if error.code else ''}]"
    test = f" ({error.test})" if error.test else ""
    return f"{place + ': ' if place else ''}{_message_line(error)}{test}  {name}"


def _message_line(error: "CIError") -> str:
    """The message's first line, with what was expected and what there was where it doesn't say so; else, where it leads
    up to something, with what comes below it."""
    first, *more = error.message.splitlines() or [""]
    below = [line.strip() for line in more if line.strip()]
    values = (first_line(error.expected or ""), first_line(error.actual or ""))
    if not all(values):
        values = (_after("-", below), _after("+", below))
    new = [f"{word} {value[:MAX_VALUE]}" for word, value in zip(("expected", "got"), values, strict=True)]
    missing = [text for text, value in zip(new, values, strict=True) if value not in first]
    if all(values):
        return "; ".join(filter(None, (first.rstrip(".:; ") if missing else first, ", ".join(missing))))
    return f"{first} {below[0][:MAX_VALUE]}" if below and first.rstrip().endswith(":") else first


def _after(sign: str, lines: Sequence[str]) -> str:
    """The first line of this sign in the difference of two values, as Node prints them; empty where there is none."""
    found = (line[1:].strip() for line in lines if line.startswith(f"{sign} ") and "actual" not in line)
    return next(found, "")


def plural(count: int, word: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{count} {word}{'' if count == 1 else 's'}"


def first_line(text: str) -> str:
    """The first line of a text; empty for an empty text."""
    return text.partition("\n")[0]


def status_word(status: str) -> str:
    """The status in words. On a clone a pending fix is open, since it is not posted anywhere."""
    from bot.web import labels

    return "open" if status == "pending" else labels.fix_state(status)


def proposal_line(proposal: "Proposal", status: str = "") -> str:
    """A fix on one line: id, status, maker, title and files."""
    from bot.web import labels

    files = ", ".join(sorted({e.file for e in proposal.edits}))
    shown = f"{status_word(status):<10}" if status else ""
    more = f" (changes the {proposal.touches})" if proposal.touches else ""
    title = f"{first_line(proposal.title)}{more}"
    return f"{proposal.id}  {shown}{labels.maker(proposal.source):<25} {title}  ({files})"


def evidence_lines(proposal: "Proposal", whole: bool = True) -> Iterator[str]:
    """What a person should look at, what a fix was made on top of, and the commands that prove it, with their results.
    Unless `whole`, long commands are shortened."""
    yield from (f"! {first_line(flag)}" for flag in proposal.flags)
    if proposal.needs:
        yield f"after {' '.join(id_[:8] for id_ in proposal.needs)}"
    together = {one.command for one in proposal.evidence if not one.alone and one.after_exit == 0}
    for one in proposal.evidence:
        command = one.command if whole else _shortened(one.command)
        if one.alone and one.after_exit not in (0, None) and one.command in together:
            continue  # the same command passes with the others: one line says both
        between = ": " if one.alone else " "  # what passes only together says so first
        yield f"$ {command}  {_shown(one)}{between * bool(one.note)}{one.note}"


def _shown(evidence: "Evidence") -> str:
    if not evidence.alone and evidence.after_exit == 0:
        return "fails without the fixes, and with this one alone; passes"
    if evidence.after_exit == 0:
        return f"{'fails' if evidence.before_exit is not None else 'does not end'} without the fix, passes with it"
    return "does not end, with or without the fix" if evidence.after_exit is None else "still fails, for what is left"


def _shortened(command: str) -> str:
    start = command[:MAX_COMMAND].rpartition(" ")[0]
    return command if len(command) <= MAX_COMMAND or not start else f"{start} …"


def _shown_lines(data: bytes) -> list[str]:
    """A file's lines without line ends. A missing end of the last line is marked as git does, because adding one is a
    change too."""
    lines = data.decode("utf-8", "replace").splitlines()
    if lines and not data.endswith((b"\n", b"\r")):
        lines[-1] += "\n\\ No newline at end of file"
    return lines


def diff_lines(edits: "tuple[Edit, ...]", read: "dict[str, bytes | None]") -> Iterator[tuple[str, str]]:
    """The edits as a unified diff against the given files: pairs of a line and its colour. Raises EditError if they
    don't fit."""
    from healing.edits.exact import apply_edits

    for path, new in sorted(apply_edits(edits, read.get).items()):
        old = read.get(path)
        before, after = _shown_lines(old or b""), _shown_lines(new or b"")
        names = (f"a/{path}" if old is not None else "/dev/null", f"b/{path}" if new is not None else "/dev/null")
        for line in difflib.unified_diff(before, after, *names, lineterm=""):
            yield line, "" if line.startswith(("+++", "---")) else COLOURS.get(line[:1], "")


def not_checked_line(reason: "NotChecked", verb: str) -> str:
    """What could not be checked, why, and what to try, on one line."""
    end = f". Try: {as_typed(reason.advice, verb)}" if reason.advice else ""
    return f"{reason.what}: {reason.why.rstrip('.') if end else reason.why}{end}"


def as_typed(advice: str, verb: str) -> str:
    """The advice. If it is a `heal … --run` command, its verb is replaced by the command that was typed."""
    return OTHER_RUN.sub(f"heal {verb} --run ", advice)


def unfixable_lines(
    report: "Unfixable", errors: "Sequence[CIError]", culprits: "Sequence[Culprit]" = ()
) -> Iterator[str]:
    """The lines of a report: the errors without a fix, what broke them, why they have none, and what a person can
    do."""
    yield f"{report.id}  no fix for {plural(len(report.error_ids), 'error')}"
    for error in sorted(errors, key=lambda one: (one.file or "", one.line or 0, one.test or ""))[:MAX_ERRORS]:
        yield f"    error: {error_line(error)}"
        yield from tail(error.excerpt) if error.tool == UNREAD else ()
    if len(errors) > MAX_ERRORS:
        yield f"    and {plural(len(errors) - MAX_ERRORS, 'more error')}"
    yield from dict.fromkeys(_cause_lines(report, culprits))
    yield f"    why:   {report.why}"
    if report.tried:
        yield f"    tried: {report.tried}"
    if report.advice:
        yield f"    next:  {report.advice}"


def _cause_lines(report: "Unfixable", culprits: "Sequence[Culprit]") -> Iterator[str]:
    """Which of the change's lines broke these errors, where some did and others didn't."""
    from healing.pipeline.culprit import sentence

    ids = set(report.error_ids)
    for culprit in culprits:
        if ids & set(culprit.error_ids) and (culprit.certain or len(culprit.places) < culprit.of):
            yield f"    cause: {sentence(culprit)}"


def not_looked_lines(reasons: "Sequence[NotChecked]") -> Iterator[str]:
    """The lines of a report on what a run could not check: why, and what a person can try."""
    for reason in reasons:
        yield f"couldn't check {reason.what}: {reason.why}"
        if reason.advice:
            yield f"    try: {as_typed(reason.advice, 'run')}"


def tail(output: str) -> Iterator[str]:
    """The end of a command's output in which no error was recognized."""
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    yield from (f"     | {line[:300]}" for line in lines[-MAX_TAIL:])
    if not lines:
        yield "     (it printed nothing)"


def outcome_lines(outcome: "Outcome", whole: bool = True) -> Iterator[str]:
    """The result of a run: its fixes, the errors without one and why, and the cost. `whole`: all checks were run."""
    if not outcome.errors and not outcome.not_looked:
        yield "nothing to fix: every check passes" if whole else "every check that was run passes"
        return
    from bot.laptop.held_back import held_back
    from bot.web import labels
    from healing.pipeline.endings import counted

    fixes = f"{len(outcome.proposals)} {'fix' if len(outcome.proposals) == 1 else 'fixes'}"
    apart = [proposal for proposal in outcome.proposals if proposal.touches]
    verdict = (
        "fixed once you have reviewed it" if apart and outcome.verdict == "healed" else VERDICTS.get(outcome.verdict)
    )
    yield f"{verdict or outcome.verdict}: {counted(outcome)}, {fixes}"
    ended = Counter(labels.ending(resolution.how) for resolution in outcome.resolutions)
    yield from (f"  {count:>4}  {how}" for how, count in sorted(ended.items()))
    yield from _set_aside_lines(outcome, "preexisting", OF_BASE)
    yield from _set_aside_lines(outcome, "flaky", BY_CHANCE)
    for proposal in outcome.proposals:
        yield proposal_line(proposal)
        yield from (f"    {line}" for line in evidence_lines(proposal, whole=False))
    errors = {error.id: error for error in outcome.errors}
    for left in outcome.unfixables:
        yield from unfixable_lines(left, [errors[i] for i in left.error_ids if i in errors], outcome.culprits)
    yield from not_looked_lines(outcome.not_looked)
    spent = outcome.spending
    estimate = f"; AI agents would have cost about ${spent.estimate_dollars:.2f}" if spent.estimate_dollars else ""
    lost = f", {spent.lost} more without a reply counted in full" if spent.lost else ""
    yield f"cost: ${spent.dollars:.2f}, {spent.calls} model calls{lost}{estimate}"
    if outcome.proposals:
        yield "nothing was changed yet. See one: heal show ID. Apply: heal apply ID, or all. Revert: heal rollback ID"
    if apart:
        named = " ".join(ident[:8] for ident in held_back(outcome.proposals))
        yield f"`heal apply all` leaves out what changes {_touched(apart)}: review it, then heal apply {named}"


def _set_aside_lines(outcome: "Outcome", how: str, title: str) -> Iterator[str]:
    """Which errors have this ending, under a title."""
    ids = {resolution.error_id for resolution in outcome.resolutions if resolution.how == how}
    errors = [error for error in outcome.errors if error.id in ids]
    if errors:
        yield title
        yield from (f"    {error_line(error)}" for error in errors[:MAX_ERRORS])
    if len(errors) > MAX_ERRORS:
        yield f"    and {plural(len(errors) - MAX_ERRORS, 'more error')}"


def _touched(proposals: "list[Proposal]") -> str:
    return " and ".join(f"the {one}" for one in sorted({proposal.touches for proposal in proposals}))


def age(seconds: float) -> str:
    """A duration in its largest whole unit."""
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{int(seconds // length)} {unit}"
    return f"{max(int(seconds), 0)} s"
