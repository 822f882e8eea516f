"""Rule: where a function no longer reads something that it is given, a person looks whether it still computes.

An answer that is not computed mostly gives itself away so, in whatever language and however it is spelled.
"""

from collections.abc import Iterator

from healing.verify.guard.patch import File, GuardFinding, WholeChange
from healing.verify.guard.paths import is_test_data, is_test_file
from healing.verify.guard.reading.inputs import Inputs, inputs
from healing.verify.guard.reading.text import BIG, is_prose
from healing.verify.guard.window import window

RULE = "unread"
MOST = 3  # times BIG: a longer text is another rule's
SHOWN = 3
ITSELF = frozenset({"self", "cls", "this", "exc", "args", "kwargs"})


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """A flag for each file with functions that read less of what they are given than before."""
    for file in patch.files:
        if file.new is None or patch.by_tool:
            continue
        if is_test_file(file.path) or is_test_data(file.path) or is_prose(file.path):
            continue
        if found := _unread(file.path, file):
            shown = "; ".join(found[:SHOWN])
            yield GuardFinding(RULE, file.path, f"no longer reads what it is given ({shown})", True)


def _unread(path: str, file: File) -> list[str]:
    old, new = window(file.old or b"", file.new or b"")
    if max(len(old), len(new)) > MOST * BIG:
        return []
    try:
        before, after = inputs(path, old), inputs(path, new)
    except (RecursionError, ValueError):
        return []
    both = [(name, _lost(one, after[name])) for name, one in before.items() if name in after]
    lost = [f"{name}: {', '.join(gone)}" for name, gone in both if gone]
    return [
        *lost,
        *(f"{name}: all of it" for name, one in after.items() if name not in before and _computes_nothing(one)),
    ]


def _computes_nothing(new: Inputs) -> bool:
    """Whether a new function reads nothing at all, though it is given something."""
    return not new.read and any(name not in ITSELF and not name.startswith("_") for name in new.given)


def _lost(before: Inputs, after: Inputs) -> list[str]:
    """What was read and is not any more though it is still given, under its name or under a new one in its place."""
    now = {name: name for name in before.given if name in after.given}
    there = zip(before.given, after.given, strict=False)
    now |= {name: other for name, other in there if name not in after.given and other not in before.given}
    return [name for name in before.given if name in before.read and name in now and now[name] not in after.read]
