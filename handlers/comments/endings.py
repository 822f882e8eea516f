"""The results of errors and runs in words, in place of the engine's names such as `cascade:free`."""

from handlers.comments.clean import code
from handlers.comments.makers import made_by
from handlers.comments.parts import short

RUNS = {
    "healed": "every error has a tested fix",
    "partly": "not every error has a tested fix",
    "not-healed": "no tested fix",
    "could-not-look": "couldn't reproduce the failure",
}
_ALONE = {
    "flaky": "flaky: passed on re-run",
    "preexisting": "also on the base branch",
    "superseded": "its code is gone",
    "cascade": "fixed by the fixes for other errors",
    "memory": "fixed as before",
    "search": "fixed by trying small changes",
}
_BY = {"autofix": "fixed by", "suggested": "fixed as suggested by"}


def ended(how: str | None) -> str:
    """The result of an error as Markdown. `how` is a resolution's; an unknown kind is shown as it is."""
    if how is None:
        return "no result"
    kind, _, name = how.partition(":")
    if kind in ("fix", "unfixable") and name:
        return f"{'fix' if kind == 'fix' else 'needs you:'} {f'`{short(name)}`' if name.isalnum() else code(name, 60)}"
    if kind in _ALONE:
        return _ALONE[kind]
    if kind == "fixer" and name:
        return f"fixed by {made_by(how)}"
    return f"{_BY[kind]} {code(name, 60)}" if kind in _BY and name else code(how, 60)


def verdict_words(verdict: str) -> str:
    """The result of a run."""
    return RUNS.get(verdict, verdict)
