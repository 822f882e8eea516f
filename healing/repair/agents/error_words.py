"""Describes errors to a model: one of each place and message in full, the others in one line each."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from healing.model import CIError, Related
from healing.repair.agents.alike import group_alike
from healing.repair.agents.fences import fenced, fenced_within, one_line
from healing.repair.agents.foreign_frames import OF_MESSAGE, fold_foreign_frames
from healing.repair.agents.room import divide_room, fit_text, request_bytes
from healing.repair.agents.shown_code import without_shown_code
from healing.repair.agents.task import AgentTask

FACTS = 9_000  # bytes of errors shown in full, for one cause
FACTS_OF_A_CAUSE = 3_000  # and for each further one
MAX_ALIKE = 3  # errors of one cause that are shown in full: a few show what they have in common
MAX_LINES = 25  # errors in one line each, over all lists
MAX_FRAMES = 20


@dataclass(frozen=True)
class ErrorGroup:
    """Errors of which the first is shown in full, as `facts`, and the others in one line each."""

    errors: tuple[CIError, ...]
    facts: str


def in_full(task: AgentTask) -> tuple[tuple[ErrorGroup, ...], tuple[CIError, ...]]:
    """How the errors are shown. First the groups shown in full: the first ones of each cause, while there is room;
    errors with the same message and place are listed beside them. Second all further errors, in one line each."""
    room = FACTS + FACTS_OF_A_CAUSE * max(causes_of(task) - 1, 0)
    cause_of = {i: number for number, cause in enumerate(task.cluster.causes) for i in cause.error_ids}
    count: Counter[int] = Counter()
    whole: list[ErrorGroup] = []
    further: list[CIError] = []
    for group in group_alike(task.errors):
        cause = cause_of.get(group[0].id, -1)
        text = fit_text(facts(group[0]), FACTS) if room > 0 and count[cause] < MAX_ALIKE else ""
        if text and (not whole or request_bytes(text) <= room):
            count[cause] += 1
            room -= request_bytes(text)
            whole.append(ErrorGroup(group, text))
        else:
            further += group
    return tuple(whole), tuple(further)


def causes_of(task: AgentTask) -> int:
    """The number of root causes of the task's own errors."""
    task_ids = set(task.ids())
    return sum(any(i in task_ids for i in cause.error_ids) for cause in task.cluster.causes)


class ErrorParts:
    """All errors of a task as text, within a given room."""

    def __init__(self, task: AgentTask, nonce: str) -> None:
        self.groups, self.further = in_full(task)
        self.nonce = nonce
        lists = [*(group.errors[1:] for group in self.groups), self.further]
        most = MAX_LINES
        self._lists: list[str] = []
        for errors in lists:
            self._lists.append(_also(errors, most))
            most -= min(len(errors), most)

    def needed(self) -> int:
        """The bytes of all texts."""
        return sum(self._needs().values())

    def _needs(self) -> dict[int, int]:
        """Bytes by number: first the errors in full, then the lists."""
        texts = [*(group.facts for group in self.groups), *self._lists]
        return {
            number: request_bytes(fenced(text, self.nonce, len(text))) if text else 0
            for number, text in enumerate(texts)
        }

    def headings(self) -> tuple[list[dict[str, str]], str]:
        """The values for the template, with placeholders in place of the texts."""
        *same, further = ("x" if text else "" for text in self._lists)
        errors = [{"id": g.errors[0].id, "facts": "x", "same": s} for g, s in zip(self.groups, same, strict=True)]
        return errors, further

    def rendered(self, room: int, code: Mapping[str, set[str]]) -> tuple[list[dict[str, str]], str]:
        """The values for the template: each error that is shown in full with its list, and the list of further errors.
        `code` are the lines of files that are shown beside them, which a traceback need not repeat."""
        needs = self._needs()
        first = len(self.groups)
        lists = [number for number in needs if number >= first and needs[number]]
        each = room // 4 // max(len(lists), 1)
        facts_each = (room - each * len(lists)) // max(first, 1)
        given = divide_room(needs, {number: facts_each if number < first else each for number in needs}, room)
        texts = [*(without_shown_code(group.facts, code) for group in self.groups), *self._lists]
        limited = [fenced_within(text, self.nonce, given[n]) if text else "" for n, text in enumerate(texts)]
        errors = [
            {"id": group.errors[0].id, "facts": limited[number], "same": limited[first + number]}
            for number, group in enumerate(self.groups)
        ]
        return errors, limited[-1]


def _also(errors: Sequence[CIError], most: int) -> str:
    """At most `most` errors, in one line each."""
    lines = [f"also {e.id}: {one_line(f'{e.test or place_of(e)}: {e.message}', 160)}" for e in errors[:most]]
    more = len(errors) - len(lines)
    return "\n".join([*lines, *([f"and {more} more, which `all` names too"] if more else [])])


def place_of(error: CIError) -> str:
    """File, line and column, as far as they are known."""
    return ":".join(str(part) for part in (error.file, error.line, error.column) if part is not None)


def _frames(error: CIError) -> Iterator[str]:
    """The places that belong to an error; those outside the repository are only counted."""
    if len(error.related) > MAX_FRAMES:
        yield f"related: ({len(error.related) - MAX_FRAMES} earlier ones are left out)"
    for ours, frames in groupby(error.related[-MAX_FRAMES:], key=_is_ours):
        if ours:
            yield from (f"related: {one_line(f'{_where(r)} {r.message}'.strip())}" for r in frames)
        else:
            yield f"related: ({len(list(frames))} outside of the repository)"


def _is_ours(frame: Related) -> bool:
    return bool(frame.file or (frame.message and not OF_MESSAGE.match(frame.message)))


def _where(frame: Related) -> str:
    return f"{frame.file}:{frame.line}" if frame.file else "(outside of the repository)"


def facts(error: CIError) -> str:
    """An error as lines of `name: value`; the excerpt of the log comes last, and what it says is not said before it."""
    excerpt = fold_foreign_frames(error.excerpt)
    compared = all(value and value in excerpt for value in (error.expected, error.actual))
    values = {
        "tool": " ".join(filter(None, (error.tool, error.code))),
        "place": place_of(error),
        "test": error.test,
        "expected": "" if compared else error.expected,
        "actual": "" if compared else error.actual,
        "suggestion": error.suggestion,
    }
    lines = [f"{name}: {one_line(value)}" for name, value in values.items() if value]
    lines += list(_frames(error)) if _elsewhere(error) and not _traced(excerpt, error) else []
    message = [] if _holds(excerpt, error.message) else ["message:", error.message]
    return "\n".join([*lines, *message, *(["excerpt of the log:", excerpt] * bool(excerpt))])


def _elsewhere(error: CIError) -> bool:
    """Whether its frames contain more than its own place."""
    return len(error.related) > 1 or any((r.file, r.line) != (error.file, error.line) for r in error.related)


def _traced(text: str, error: CIError) -> bool:
    """Whether the text already names all places of the repository's frames, in the form of pytest and compilers."""
    return all(f"{frame.file}:{frame.line}:" in text for frame in error.related if _is_ours(frame))


def _holds(text: str, message: str) -> bool:
    """Whether the text contains each line, however indented, also behind pytest's `E` mark."""
    text_lines = {line.removeprefix("E ").strip() for line in text.splitlines()}
    return all(line.strip() in text_lines or not line.strip() for line in message.splitlines())
