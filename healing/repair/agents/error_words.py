"""How errors are described to a model: in full one of each place and message, the others in a line each."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from healing.model import CIError, Related
from healing.repair.agents.alike import alike
from healing.repair.agents.fences import fenced, fenced_within, one_line
from healing.repair.agents.foreign_frames import OF_MESSAGE, folded
from healing.repair.agents.room import sent, shared, within
from healing.repair.agents.task import AgentTask

FACTS = 9_000  # bytes of what is reported on errors in full, for one cause
FACTS_OF_A_CAUSE = 3_000  # and for each further one
MOST_ALIKE = 3  # errors of one cause that are shown in full: from few one sees what they have in common
MOST_LINES = 25  # errors in a line each, of all lists
MOST_FRAMES = 20


@dataclass(frozen=True)
class ErrorGroup:
    """Errors of which the first is shown in full, as `facts`, and the others in a line each."""

    errors: tuple[CIError, ...]
    facts: str


def in_full(task: AgentTask) -> tuple[tuple[ErrorGroup, ...], tuple[CIError, ...]]:
    """The errors as they are shown: in full the first ones of each cause, while there is room for them; the others of
    the same words and place beside them in a line each, and so all further ones, which come second here."""
    room = FACTS + FACTS_OF_A_CAUSE * max(causes_of(task) - 1, 0)
    cause_of = {i: number for number, cause in enumerate(task.cluster.causes) for i in cause.error_ids}
    count: Counter[int] = Counter()
    whole: list[ErrorGroup] = []
    further: list[CIError] = []
    for group in alike(task.errors):
        cause = cause_of.get(group[0].id, -1)
        text = within(facts(group[0]), FACTS) if room > 0 and count[cause] < MOST_ALIKE else ""
        if text and (not whole or sent(text) <= room):
            count[cause] += 1
            room -= sent(text)
            whole.append(ErrorGroup(group, text))
        else:
            further += group
    return tuple(whole), tuple(further)


def causes_of(task: AgentTask) -> int:
    """How many root causes the task's own errors have."""
    mine = set(task.ids())
    return sum(any(i in mine for i in cause.error_ids) for cause in task.cluster.causes)


class ErrorParts:
    """All errors of a task as text, in a given room."""

    def __init__(self, task: AgentTask, nonce: str) -> None:
        self.groups, self.further = in_full(task)
        self.nonce = nonce
        lists = [*(group.errors[1:] for group in self.groups), self.further]
        most = MOST_LINES
        self._lists: list[str] = []
        for errors in lists:
            self._lists.append(_also(errors, most))
            most -= min(len(errors), most)

    def needed(self) -> int:
        """Bytes of all of it."""
        return sum(self._needs().values())

    def _needs(self) -> dict[int, int]:
        """By number: of the errors in full, then of the lists."""
        texts = [*(group.facts for group in self.groups), *self._lists]
        return {number: sent(fenced(text, self.nonce, len(text))) if text else 0 for number, text in enumerate(texts)}

    def headings(self) -> tuple[list[dict[str, str]], str]:
        """For the template, without the texts."""
        *same, further = ("x" if text else "" for text in self._lists)
        errors = [{"id": g.errors[0].id, "facts": "x", "same": s} for g, s in zip(self.groups, same, strict=True)]
        return errors, further

    def rendered(self, room: int) -> tuple[list[dict[str, str]], str]:
        """For the template: each error that is shown in full with the list beside it, and the list of further ones."""
        needs = self._needs()
        first = len(self.groups)
        lists = [number for number in needs if number >= first and needs[number]]
        each = room // 4 // max(len(lists), 1)
        facts_each = (room - each * len(lists)) // max(first, 1)
        given = shared(needs, {number: facts_each if number < first else each for number in needs}, room)
        texts = [*(group.facts for group in self.groups), *self._lists]
        made = [fenced_within(text, self.nonce, given[n]) if text else "" for n, text in enumerate(texts)]
        errors = [
            {"id": group.errors[0].id, "facts": made[number], "same": made[first + number]}
            for number, group in enumerate(self.groups)
        ]
        return errors, made[-1]


def _also(errors: Sequence[CIError], most: int) -> str:
    """Errors in a line each, not too many."""
    lines = [f"also {e.id}: {one_line(f'{e.test or place_of(e)}: {e.message}', 160)}" for e in errors[:most]]
    more = len(errors) - len(lines)
    return "\n".join([*lines, *([f"and {more} more, which `all` names too"] if more else [])])


def place_of(error: CIError) -> str:
    """File, line and column, as far as they are known."""
    return ":".join(str(part) for part in (error.file, error.line, error.column) if part is not None)


def _frames(error: CIError) -> Iterator[str]:
    """The places that belong to an error; those outside of the repository are only counted."""
    if len(error.related) > MOST_FRAMES:
        yield f"related: ({len(error.related) - MOST_FRAMES} earlier ones are left out)"
    for ours, frames in groupby(error.related[-MOST_FRAMES:], key=_is_ours):
        if ours:
            yield from (f"related: {one_line(f'{_where(r)} {r.message}'.strip())}" for r in frames)
        else:
            yield f"related: ({len(list(frames))} outside of the repository)"


def _is_ours(frame: Related) -> bool:
    return bool(frame.file or (frame.message and not OF_MESSAGE.match(frame.message)))


def _where(frame: Related) -> str:
    return f"{frame.file}:{frame.line}" if frame.file else "(outside of the repository)"


def facts(error: CIError) -> str:
    """An error as lines of `name: value`; the log's own words come last."""
    values = {
        "tool": " ".join(filter(None, (error.tool, error.code))),
        "category": error.category.value,
        "place": place_of(error),
        "test": error.test,
        "expected": error.expected,
        "actual": error.actual,
        "suggestion": error.suggestion,
    }
    lines = [f"{name}: {one_line(value)}" for name, value in values.items() if value]
    excerpt = folded(error.excerpt)
    lines += list(_frames(error)) if _elsewhere(error) and not _traced(excerpt, error) else []
    message = [] if _holds(excerpt, error.message) else ["message:", error.message]
    return "\n".join([*lines, *message, *(["excerpt of the log:", excerpt] * bool(excerpt))])


def _elsewhere(error: CIError) -> bool:
    """Whether its frames are more than its place."""
    return len(error.related) > 1 or any((r.file, r.line) != (error.file, error.line) for r in error.related)


def _traced(text: str, error: CIError) -> bool:
    """Whether the text names all places of the repository's frames already, as pytest and compilers write them."""
    return all(f"{frame.file}:{frame.line}:" in text for frame in error.related if _is_ours(frame))


def _holds(text: str, message: str) -> bool:
    """Whether each line stands in the text, however indented, and also behind pytest's mark of an error."""
    have = {line.removeprefix("E ").strip() for line in text.splitlines()}
    return all(line.strip() in have or not line.strip() for line in message.splitlines())
