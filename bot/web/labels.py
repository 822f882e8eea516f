"""Display names of states, resolutions, sources and phases; unknown names are made readable."""

import re

from markupsafe import Markup, escape

RUNS = {
    "healed": "all errors have a fix",
    "partly": "some errors left",
    "not-healed": "no fix found",
    "could-not-look": "couldn't reproduce",
    "gathering": "collecting failures",
    "running": "in progress",
    "stopped": "stopped",
    "superseded": "replaced by a newer commit",
    "done": "done",
    "at-work": "in progress",
}
FIXES = {
    "pending": "not posted",
    "offered": "open",
    "applied": "applied",
    "rejected": "rejected",
    "rolled-back": "reverted",
    "outdated": "outdated",
    "muted": "not offered",
    "resolved": "dismissed",
    "elsewhere": "found by another run too",
}
TONES = {
    "healed": "good", "applied": "good", "alive": "good", "offered": "fair", "partly": "fair", "gathering": "busy",
    "running": "busy", "not-healed": "bad", "rejected": "bad", "rolled-back": "bad", "silent": "bad",
}  # fmt: skip
PHASES = {
    "look": "Reproduce the failure",
    "baseline": "Reproduce the failure",
    "autofix": "Run the tools' own fixes",
    "snapshots": "Update snapshots",
    "fixers": "Try rule-based fixes",
    "search": "Try small changes",
    "waiting": "Wait for other runs",
    "culprits": "Find the change that broke it",
    "fast": "AI agents, small problems",
    "slow": "AI agents, hard problems",
}
ENDINGS = {
    "flaky": "flaky: passed on re-run",
    "preexisting": "also on the base branch",
    "superseded": "the code is gone",
    "unfixable": "no fix found",
    "cascade": "fixed by the fixes for other errors",
    "memory": "fixed as before",
    "fix": "has a fix",
    "search": "fixed by trying small changes",
    "suggested": "fixed as its tool suggested",
}
MAKERS = {
    "autofix": "{}'s own fix",
    "fixer": "rule: {}",
    "agent": "AI agent: {}",
    "memory": "a fix that worked before",
    "search": "small change: {}",
    "suggested": "suggested by {}",
}
REASONS = {
    "no-key": "no AI key is set",
    "budget": "the budget is used up",
    "refused": "the fix didn't pass",
    "given-up": "no attempt worked",
    "conflict": "fixes contradict each other",
    "no-consensus": "agents disagree",
    "limit": "out of attempts",
    "infrastructure": "a service failed, not the code",
    "dependency": "a dependency can't be installed",
    "configuration": "CI's set-up is wrong",
    "could-not-look": "couldn't reproduce",
    "red-before": "red before, for another reason",
    "whole": "finished",
}
_PIECES = re.compile(r"`([^`\n]{1,500})`|\*\*([^*\n]{1,500})\*\*")


def run_state(name: str) -> str:
    return RUNS.get(name, readable(name))


def fix_state(name: str) -> str:
    return FIXES.get(name, readable(name))


def phase(name: str) -> str:
    return PHASES.get(name, readable(name).capitalize())


def reason(name: str) -> str:
    """Returns the label of why there is no fix, or how an agent ended."""
    return REASONS.get(name, readable(name))


def ending(how: str) -> str:
    """Returns the label of an error's resolution (`Resolution.how`)."""
    kind, _, name = how.partition(":")
    return ENDINGS.get(kind) or (f"fixed by {maker(how)}" if name else readable(kind))


def maker(source: str) -> str:
    """Returns the label of a fix's source (`Proposal.source`)."""
    kind, _, name = source.partition(":")
    return MAKERS.get(kind, "{}").format(readable(name or kind))


def tone(state: str) -> str:
    """Returns the colour of a state: a class of the style sheet."""
    return TONES.get(state, "calm")


def kind(name: str) -> Markup:
    """Returns the label of a kind of fixes (`fixer:missing_import ruff F821`): source, tool and rule."""
    source, _, about = name.partition(" ")
    return Markup("{} <code>{}</code>").format(maker(source), about) if about else Markup("{}").format(maker(source))


def readable(name: str) -> str:
    return name.replace("_", " ").replace("-", " ").replace(":", ": ")


def prose(text: str | None) -> Markup:
    """Returns untrusted text as HTML: escaped, with text in backticks as code, and between double stars in bold."""
    shown, at, parts = text or "", 0, []
    for match in _PIECES.finditer(shown):
        parts.append(escape(shown[at : match.start()]))
        code, bold = match.groups()
        parts.append(Markup("<code>{}</code>").format(code) if code else Markup("<b>{}</b>").format(bold))
        at = match.end()
    return Markup("").join([*parts, escape(shown[at:])])
