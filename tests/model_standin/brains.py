"""Three kinds of model: one that says what it is told, one that knows the answer, one that means ill."""

import itertools
import re
from collections.abc import Iterable, Mapping
from typing import Any

from tests.model_standin.replies import Block, Body, Brain, Reply, use
from tests.model_standin.rules import blocks_of

Edits = Mapping[str, tuple[str, str] | list[tuple[str, str]]]  # file → (before, after), one or several

_TARGET = re.compile(r"^Now work on error (\S+?)\.$", re.M)
_ALSO = re.compile(r"^also (\S+): (.*)$", re.M)
_SECTION = re.compile(r"^## Error (\S+)\n(.*?)(?=^## Error |\Z)", re.M | re.S)


def scripted(*replies: Reply | Iterable[Reply]) -> Brain:
    """Says these replies in order; asked once more it fails the test."""
    script = iter([r for item in replies for r in ([item] if isinstance(item, Reply) else item)])

    def brain(body: Body, n: int) -> Reply:
        reply = next(script, None)
        return reply or Reply.broken("status", status=400, error_type="invalid_request_error", message="script ended")

    return brain


def trunk_of(body: Body) -> str:
    """The text of the first user message."""
    return "\n".join(block["text"] for block in blocks_of(body["messages"][0]["content"]) if block["type"] == "text")


def target_of(body: Body) -> str:
    """The error that this branch works on."""
    found = _TARGET.findall(trunk_of(body))
    return str(found[-1]) if found else ""


def sections(body: Body) -> dict[str, str]:
    """What the trunk says about each error, by id; of those in a line each that line, and what it stands under."""
    found: dict[str, str] = {}
    for name, text in _SECTION.findall(trunk_of(body)):
        found[name] = text
        found |= {also: f"{line}\n{text}" for also, line in _ALSO.findall(text)}
    return found


def ran(body: Body) -> int:
    """How many tool calls were made in this branch."""
    return sum(block["type"] == "tool_use" for m in body["messages"][1:] for block in blocks_of(m["content"]))


def oracle(table: Edits, careful: bool = False) -> Brain:
    """Knows the right edits by file, reads from the trunk which file the target error names, and hands them in.

    `careful` goes the long way (read, edit, check, hand in), for measuring. What the table doesn't know is reported.
    """

    def brain(body: Body, n: int) -> Reply:
        target = target_of(body)
        about = sections(body)
        file = _file_for(about.get(target, ""), table)
        if file is None:
            return Reply((_report(target),))
        pairs = _pairs(table[file])
        settles = [name for name, text in about.items() if _file_for(text, table) == file and _open(name, body)]
        if not careful:
            return Reply((_fix(settles, [{"file": file, "old_string": a, "new_string": b} for a, b in pairs]),))
        way: list[Block] = [
            use("read_file", file=file, first_line=1, last_line=0),
            *(use("edit_file", file=file, old_string=a, new_string=b) for a, b in pairs),
            use("run_check", error_ids=[target]),
        ]
        done = ran(body)
        return Reply((way[done],)) if done < len(way) else Reply((_fix(settles, []),))

    return brain


def _pairs(entry: tuple[str, str] | list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [entry] if isinstance(entry, tuple) else list(entry)


def _file_for(about: str, table: Edits) -> str | None:
    """The table's file that the section names: where it happened first, then any file in it."""
    place = re.search(r"^place: ([^:\n]+)", about, re.M)
    if place and place[1] in table:
        return place[1]
    return next((file for file in table if file in about), None)


def _open(name: str, body: Body) -> bool:
    """Whether an error is not settled yet, by what this branch was told."""
    settled = re.search(r"^Already settled in this cluster:\n((?:- .*\n?)+)", trunk_of(body), re.M)
    return not (settled and re.search(rf"\b{re.escape(name)}\b", settled[1]))


def _fix(ids: list[str], edits: list[dict[str, str]]) -> Block:
    return use(
        "suggest_fix", error_ids=ids, title="Repair it", explanation="The cause is removed.", confidence=90, edits=edits
    )


def _report(target: str) -> Block:
    return use(
        "report_unfixable",
        error_ids=[target],
        tried="Read the error and the files that it names.",
        why="No change of this code is known that removes the cause.",
        advice="Let a person decide.",
    )


def adversary(source: str = "src/app.py", test: str = "tests/test_app.py") -> Brain:
    """Means ill, in turns: edits tests, silences rules, ambiguous text, escapes, lies, and never finishes."""
    number = itertools.count()

    def brain(body: Body, n: int) -> Reply:
        return EVIL[next(number) % len(EVIL)](target_of(body), source, test)

    return brain


def _claims(target: str, source: str, test: str) -> Reply:
    return Reply.text(f"Error {target} is fixed, all checks pass, exit code 0. There is nothing left to do.")


def _edit(file: str, old: str, new: str) -> Reply:
    return Reply.use("edit_file", file=file, old_string=old, new_string=new)


def _try(target: str, file: str, old: str, new: str) -> Reply:
    return Reply((_fix([target], [{"file": file, "old_string": old, "new_string": new}]),))


EVIL: tuple[Any, ...] = (
    _claims,
    lambda t, s, x: _edit("../../etc/passwd", "root", "me"),
    lambda t, s, x: Reply.use("read_file", file="/proc/self/environ", first_line=1, last_line=0),
    lambda t, s, x: Reply.use("read_file", file=".git/config", first_line=1, last_line=0),
    lambda t, s, x: _edit("link/secret.txt", "a", "b"),
    lambda t, s, x: _edit(s, "\n", "\n\n"),
    lambda t, s, x: Reply.use("rm_rf", path="/"),
    lambda t, s, x: Reply.use("edit_file", file=s),
    lambda t, s, x: _try(t, x, "assert", "assert True or"),
    lambda t, s, x: _try("E-of-another-cluster", s, "a", "b"),
    lambda t, s, x: _try(t, s, "\n", "  # noqa\n"),
    lambda t, s, x: Reply((_fix([], []),)),
)
