"""Errors, proposals and outcomes as lines for people."""

import difflib
import sys

from healing.edits import apply_edits
from healing.model import CIError, Edit, Outcome, Proposal


def error_line(error: CIError) -> str:
    """`file:line:col: message  [tool code]`, as editors understand it."""
    place = ":".join(str(p) for p in (error.file, error.line, error.column) if p is not None)
    name = f"[{error.tool}{' ' + error.code if error.code else ''}]"
    test = f" ({error.test})" if error.test else ""
    return f"{place + ': ' if place else ''}{error.message.splitlines()[0] if error.message else ''}{test}  {name}"


def proposal_line(proposal: Proposal, status: str = "") -> str:
    """Id, status, source and title."""
    files = ", ".join(sorted({e.file for e in proposal.edits}))
    return f"{proposal.id}  {status:<12}{proposal.source:<24}{proposal.title}  ({files})"


def diff_of(edits: tuple[Edit, ...], read: dict[str, bytes | None]) -> str:
    """The edits as a unified diff against the given files, in colour on a terminal."""
    lines: list[str] = []
    for path, new in sorted(apply_edits(edits, read.get).items()):
        old = read.get(path) or b""
        lines += difflib.unified_diff(
            old.decode("utf-8", "replace").splitlines(),
            (new or b"").decode("utf-8", "replace").splitlines(),
            f"a/{path}",
            f"b/{path}",
            lineterm="",
        )
    return "\n".join(_coloured(line) for line in lines)


def _coloured(line: str) -> str:
    import os

    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return line
    code = {"+": "32", "-": "31", "@": "36"}.get(line[:1])
    return f"\x1b[{code}m{line}\x1b[0m" if code and not line.startswith(("+++", "---")) else line


def outcome_text(outcome: Outcome) -> str:
    """The end of a run: what is offered, what is not and why, what it cost."""
    ended: dict[str, int] = {}
    for resolution in outcome.resolutions:
        kind = resolution.how.split(":")[0] if resolution.how.startswith(("unfixable", "fix:")) else resolution.how
        ended[kind] = ended.get(kind, 0) + 1
    lines = [f"{outcome.verdict}: {len(outcome.errors)} errors, {len(outcome.proposals)} proposals"]
    lines += [f"  {count:>4}  {how}" for how, count in sorted(ended.items())]
    lines += ["proposals:"] if outcome.proposals else []
    for proposal in outcome.proposals:
        lines.append("  " + proposal_line(proposal))
        lines += [
            f"      $ {e.command}  {e.before_exit} → {e.after_exit}  {e.note}".rstrip() for e in proposal.evidence
        ]
    lines += [f"unfixable {u.id} ({u.reason}): {u.why}. {u.advice}" for u in outcome.unfixables]
    lines += [f"could not look at {n.what}: {n.why}. {n.advice}".rstrip() for n in outcome.not_looked]
    spent = outcome.spending
    estimate = f"; agents would have cost about ${spent.estimate_dollars:.2f}" if spent.estimate_dollars else ""
    lines.append(f"cost: ${spent.dollars:.2f}, {spent.calls} model calls{estimate}")
    return "\n".join(lines)
