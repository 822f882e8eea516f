"""The verdict on one case, made of bytes and exit codes alone: healed, partly, unfixable, or wrong."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, Protocol

from healing.model import CIError, Edit
from tests.realworld.language import Seen
from tests.realworld.projects import Project

End = Literal["healed", "partly", "unfixable", "wrong"]


@dataclass(frozen=True)
class Verdict:
    """How a case ended. `exact`: the bytes are those from before the slip. `why` says what is wrong or left."""

    end: End
    exact: bool = False
    why: str = ""


class Looks(Protocol):
    """What the judge needs of a bench."""

    async def look(self, project: Project, files: Mapping[str, bytes]) -> Seen:
        """What all commands say of these files."""
        ...


def applied(files: Mapping[str, bytes], proposals: Iterable[Sequence[Edit]]) -> dict[str, bytes]:
    """The files with the edits of each proposal made, one proposal after the other; written anew here, so that Heal's
    own way is not what is trusted.

    Raises AssertionError where an old text is not there exactly once, or edits of a proposal overlap."""
    found = dict(files)
    for edits in proposals:
        for file in {edit.file for edit in edits}:
            _made(found, file, [edit for edit in edits if edit.file == file])
    return found


def _made(files: dict[str, bytes], file: str, edits: Sequence[Edit]) -> None:
    """One proposal's edits of one file: each is meant for the text as it is before all of them."""
    if edits[0].kind != "replace":
        assert len(edits) == 1, f"{file}: an edit of the whole file, and another"
        old = files.pop(file, None)
        assert (old is None) == (edits[0].kind == "create"), f"{file}: can't {edits[0].kind}"
        if edits[0].kind == "create":
            files[file] = edits[0].new_string.encode()
        return
    data, places = files.get(file, b""), []
    for edit in edits:
        old_string = edit.old_string.encode()
        at = data.find(old_string)
        once = -1 < at == data.rfind(old_string)  # nor a second time where it overlaps itself
        assert once, f"{file}: {edit.old_string!r} is not there once"
        places.append((at, at + len(old_string), edit.new_string.encode()))
    end = len(data)
    for start, stop, new in sorted(places, reverse=True):
        assert stop <= end, f"{file}: edits overlap"
        data, end = data[:start] + new + data[stop:], start
    files[file] = data


async def judge(
    bench: Looks,
    project: Project,
    pristine: Mapping[str, bytes],
    head: Mapping[str, bytes],
    healed: Mapping[str, bytes],
    claimed: Iterable[CIError],
) -> Verdict:
    """Looks at the head with all offered edits made. `claimed` are the errors that they are said to cure."""
    changed = sorted(path for path in {*head, *healed} if head.get(path) != healed.get(path))
    if not changed:
        return Verdict("unfixable")
    code = project.language
    tests = {path for path in changed if code.tests_in(head.get(path, b"")) != code.tests_in(healed.get(path, b""))}
    forbidden = [path for path in changed if path in tests or not project.may_change(path)]
    if forbidden:
        return Verdict("wrong", why=f"touches {', '.join(forbidden)}")
    exact = dict(pristine) == dict(healed)
    after = await bench.look(project, healed)
    if after.green:
        lost = await _lost_tests(bench, project, pristine, after)
        return Verdict("wrong", exact, lost) if lost else Verdict("healed", exact)
    before = await bench.look(project, head)
    why = (
        _worse(before, after)
        or _unkept(project, before, after, tuple(claimed))
        or _astray(pristine, head, healed, after)
    )
    if why:
        return Verdict("wrong", exact, why)
    return Verdict("partly", exact, f"still red: {', '.join(sorted(after.red))}")


async def _lost_tests(bench: Looks, project: Project, pristine: Mapping[str, bytes], after: Seen) -> str:
    whole = await bench.look(project, pristine)
    lost = sorted(whole.passed - after.passed)
    return f"tests no longer run: {', '.join(lost[:5])}" if lost else ""


def _worse(before: Seen, after: Seen) -> str:
    red = sorted(after.red - before.red)
    tests = sorted(after.failed & before.passed)
    if red or tests:
        return f"was green and is red now: {', '.join([*red, *tests][:5])}"
    return ""


def _astray(pristine: Mapping[str, bytes], head: Mapping[str, bytes], healed: Mapping[str, bytes], after: Seen) -> str:
    """There was one slip, so what leaves something red was no cure, unless it is a part of the way back to the text
    from before: each line that it writes stood there. Stricter than the claims, which may be kept to the letter."""
    for path in sorted(path for path in healed if healed[path] != head.get(path)):
        new = healed[path].splitlines()
        written = _changed(head.get(path, b"").splitlines(), new)
        strange = written & _changed(pristine.get(path, b"").splitlines(), new)
        if strange:
            line = new[min(strange)].decode("utf-8", "replace").strip()
            return f"{', '.join(sorted(after.red))} still red with a new text in {path}: {line}"
    return ""


def _changed(old: list[bytes], new: list[bytes]) -> set[int]:
    """The lines of `new` that are not as they were in `old`."""
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return {line for kind, _, _, start, end in blocks if kind != "equal" for line in range(start, end)}


def _unkept(project: Project, before: Seen, after: Seen, claimed: tuple[CIError, ...]) -> str:
    """The first claim that does not hold: a test that still fails, a finding that is still counted."""
    tests = {e.test.rsplit("::", 1)[-1] for e in claimed if e.test}
    left = sorted(name for name in after.failed & before.failed if name.rsplit("::", 1)[-1] in tests)
    if left:
        return f"said to be cured and still fails: {', '.join(left[:5])}"
    steps = {step.tool: name for name, step in project.language.steps.items() if step.tool}
    counted = Counter((steps[e.tool], e.file or "", e.code or "") for e in claimed if e.tool in steps)
    for key, number in counted.items():
        if key in before.findings and after.findings[key] > before.findings[key] - number:
            return f"said to be cured and still found: {' '.join(key)}"
    return ""
