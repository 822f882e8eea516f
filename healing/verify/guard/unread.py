"""Rule: flags a function that no longer reads one of its inputs, for a person to judge whether it still computes.

A result that is not computed usually shows itself this way, in any language and spelling.
"""

from collections.abc import Iterator

from healing.verify.guard.patch import File, GuardFinding, WholeChange
from healing.verify.guard.paths import is_test_data, is_test_file
from healing.verify.guard.reading.inputs import Inputs, inputs
from healing.verify.guard.reading.text import BIG, is_prose
from healing.verify.guard.window import window

RULE = "unread"
LIMIT = 3  # times BIG; longer texts are left to another rule
SHOWN = 3
ITSELF = frozenset({"self", "cls", "this", "exc", "args", "kwargs"})


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """A flag for each file with functions that read fewer of their inputs than before."""
    for file in patch.files:
        if file.new is None or patch.by_tool:
            continue
        if is_test_file(file.path) or is_test_data(file.path) or is_prose(file.path):
            continue
        if unread := _unread(file.path, file):
            shown = "; ".join(unread[:SHOWN])
            yield GuardFinding(RULE, file.path, f"no longer reads what it is given ({shown})", True)


def _unread(path: str, file: File) -> list[str]:
    old, new = window(file.old or b"", file.new or b"")
    if max(len(old), len(new)) > LIMIT * BIG:
        return []
    try:
        before, after = inputs(path, old), inputs(path, new)
    except (RecursionError, ValueError):
        return []
    both = [(name, _lost(function, after[name])) for name, function in before.items() if name in after]
    lost = [f"{name}: {', '.join(names)}" for name, names in both if names]
    return [
        *lost,
        *(
            f"{name}: all of it"
            for name, function in after.items()
            if name not in before and _computes_nothing(function)
        ),
    ]


def _computes_nothing(new: Inputs) -> bool:
    """Whether a new function reads nothing at all, though it has inputs."""
    return not new.read and any(name not in ITSELF and not name.startswith("_") for name in new.given)


def _lost(before: Inputs, after: Inputs) -> list[str]:
    """Inputs that were read and no longer are, though they are still given, under the same name or under a new one in
    the same position."""
    now = {name: name for name in before.given if name in after.given}
    there = zip(before.given, after.given, strict=False)
    now |= {name: other for name, other in there if name not in after.given and other not in before.given}
    return [name for name in before.given if name in before.read and name in now and now[name] not in after.read]
