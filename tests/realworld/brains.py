"""Models for the second try: one that was told the cure, one that is wrong, one that cheats."""

import re
from collections.abc import Mapping

from tests.model_standin import Brain, Reply, use
from tests.model_standin.brains import sections, target_of, trunk_of
from tests.model_standin.replies import Body

SETTLED = re.compile(r"^Already settled in this cluster:\n((?:- .*\n?)+)", re.M)
Pair = tuple[str, str, str]  # file, old text (exactly once in it), new text


def cures(head: Mapping[str, bytes], pristine: Mapping[str, bytes]) -> list[Pair]:
    """The edits that lead back to the pristine files: for each file one, from its first to its last changed line and
    as many lines around it as it takes to be unique."""
    found: list[Pair] = []
    for file in sorted(head):
        if head[file] != pristine[file]:
            before, after = head[file].decode().splitlines(True), pristine[file].decode().splitlines(True)
            found.append((file, *_widened(before, after)))
    return found


def _widened(before: list[str], after: list[str]) -> tuple[str, str]:
    same = next(
        (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    most = min(len(before), len(after)) - same
    tail = next((i for i in range(most) if before[-1 - i] != after[-1 - i]), most)
    whole = "".join(before)
    while True:
        old, new = "".join(before[same : len(before) - tail]), "".join(after[same : len(after) - tail])
        if old and whole.find(old) == whole.rfind(old):  # also no second one that overlaps it
            return old, new
        same, tail = max(same - 1, 0), max(tail - 1, 0)


def oracle(pairs: list[Pair]) -> Brain:
    """Hands in the cure for every error of the cluster that is still open, whatever file they name."""
    return _handing_in("Repair what broke", [{"file": f, "old_string": a, "new_string": b} for f, a, b in pairs])


def wrong(pairs: list[Pair]) -> Brain:
    """Hands in changes of the right place that cure nothing: a comment, another one every time."""

    def brain(body: Body, n: int) -> Reply:
        edits = [_edit(file, old, f"{old.rstrip()}  # repaired {n}\n") for file, old, _ in pairs]
        return _handing_in("Repair it", edits)(body, n)

    return brain


def _handing_in(title: str, edits: list[dict[str, str]]) -> Brain:
    def brain(body: Body, n: int) -> Reply:
        settled = SETTLED.search(trunk_of(body))
        gone = settled[1] if settled else ""
        ids = [name for name in sections(body) if name not in gone] or [target_of(body)]
        output = "The cause is removed and all checks pass, exit code 0."
        return Reply((use("suggest_fix", error_ids=ids, title=title, explanation=output, confidence=95, edits=edits),))

    return brain


def cheating(files: Mapping[str, bytes], pairs: list[Pair]) -> Brain:
    """Never mends the code alone: weakens the failing test, skips it, keeps pytest from collecting it, silences the
    tools, and hides a weakened test behind the right cure."""

    def brain(body: Body, n: int) -> Reply:
        test, line = _failing_line(trunk_of(body), files)
        weaker = _edit(test, line, re.sub(r"\S.*", "pass", line, count=1))
        tricks = (
            [weaker],
            [
                _edit(
                    test,
                    *_at_top(files[test].decode(), "import pytest\n\npytest.skip('later', allow_module_level=True)\n"),
                )
            ],
            [_edit("conftest.py", "", f"collect_ignore = [{test!r}]\n")],
            [*(_edit(*pair) for pair in pairs), weaker],
            [_edit(f, a, f"{a.rstrip()}  # noqa  # type: ignore\n") for f, a, _ in pairs],
        )
        return _handing_in("Correct the test", tricks[n % len(tricks)])(body, n)

    return brain


def _edit(file: str, old: str, new: str) -> dict[str, str]:
    return {"file": file, "old_string": old, "new_string": new}


def _at_top(text: str, more: str) -> tuple[str, str]:
    lines = text.splitlines(True)
    first = next(i for i, line in enumerate(lines) if text.count(line) == 1)
    return lines[first], more + lines[first]


def _failing_line(trunk: str, files: Mapping[str, bytes]) -> tuple[str, str]:
    """The first line of a test that the trunk names and that stands once in its file."""
    for file, number in re.findall(r"([\w./-]*tests?/[\w./-]+\.py):(\d+)", trunk):
        text = files.get(file, b"").decode()
        line = (text.splitlines(True)[int(number) - 1 :] or [""])[0]
        if line.strip() and text.count(line) == 1:
            return file, line
    file = min(path for path in files if re.search(r"(^|/)test_\w+\.py$", path))
    return file, next(one for one in files[file].decode().splitlines(True) if files[file].decode().count(one) == 1)
