"""Every sentence that a model is given, rendered from prompts/*.md; an unknown name in a template is an error."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.resources import as_file, files
from itertools import groupby

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from healing.model import CIError, Proposal, Related
from healing.repair.agents.alike import alike
from healing.repair.agents.done import NOTHING_DONE, Done
from healing.repair.agents.fences import LIMIT, fenced, numbered, one_line
from healing.repair.agents.foreign_frames import OF_MESSAGE, folded
from healing.repair.agents.task import AgentTask, Excerpt

HISTORY_LIMIT = 20_000
FACTS = 9_000  # characters of what is reported on errors in full, for one cause
FACTS_OF_A_CAUSE = 3_000  # and for each further one
MOST_ALIKE = 3  # errors of one cause that are shown in full: from few one sees what they have in common
MOST_LINES = 25  # errors in a line each, of one list
MOST_IDS = 20
EDIT = 600  # characters of each side of an edit
MOST_EDITS = 4_000  # of all accepted ones


@cache
def _templates() -> Environment:
    with as_file(files("healing.repair.agents") / "prompts") as folder:
        loader = FileSystemLoader(folder)
    return Environment(
        loader=loader,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=select_autoescape(()),  # Markdown for a model, not HTML
    )


def _render(template: str, **values: object) -> str:
    return _templates().get_template(template).render(**values).strip()


def system() -> str:
    """The rules: the same bytes for every agent, whatever it specialises in, so that they are cached once for all."""
    return _render("system.md")


def trunk(task: AgentTask, nonce: str) -> tuple[str, ...]:
    """Everything known about the cluster, in two blocks: who works on which errors, and the code around them."""
    errors, further = _shown_errors(task)
    data = _fence(nonce, HISTORY_LIMIT)
    return (
        _render(
            "errors.md",
            purpose=task.profile.purpose,
            instructions=task.profile.instructions.strip(),
            nonce=nonce,
            errors=errors,
            further=further,
            hint=task.hint,
            findings=task.findings,
            change=task.change,
            style=task.style,
            never_touched="\n".join(one_line(pattern) for pattern in task.never_touched),
            history=task.history,
            examples=task.examples,
            steps="\n".join(one_line(label) for label in task.steps),
            commands="\n".join(" ".join(words) for words in task.commands),
            data=data,
        ),
        _render("files.md", excerpts=[excerpt(e) for e in task.contexts], data=data),
    )


def _fence(nonce: str, limit: int = LIMIT) -> Callable[[str], str]:
    return lambda text: fenced(text, nonce, limit)


def excerpt(part: Excerpt) -> str:
    """A part of a file, with the numbers of its lines."""
    return f"file: {one_line(part.file)}\n{numbered(part.text, part.first_line)}"


def _shown_errors(task: AgentTask) -> tuple[list[dict[str, str]], str]:
    """The errors as they are shown: in full the first ones of each cause, while there is room for them; the others of
    the same words and place beside them in a line each, and so all further ones."""
    whole, further = _in_full(task)
    shown = [{"id": first.id, "facts": facts(first), "same": _also(same)} for first, *same in whole]
    return shown, _also(further)


def _in_full(task: AgentTask) -> tuple[list[tuple[CIError, ...]], list[CIError]]:
    """Groups of errors of which the first is shown in full, and the errors that are not shown so."""
    room = FACTS + FACTS_OF_A_CAUSE * max(len(task.cluster.causes) - 1, 0)
    cause_of = {i: number for number, cause in enumerate(task.cluster.causes) for i in cause.error_ids}
    count: dict[int, int] = {}
    whole: list[tuple[CIError, ...]] = []
    further: list[CIError] = []
    for group in alike(task.errors):
        cause = cause_of.get(group[0].id, -1)
        room -= len(facts(group[0]))
        if whole and (room < 0 or count.get(cause, 0) >= MOST_ALIKE):
            further += group
        else:
            count[cause] = count.get(cause, 0) + 1
            whole.append(group)
    return whole, further


def _also(errors: Sequence[CIError]) -> str:
    """Errors in a line each, not too many."""
    lines = [f"also {e.id}: {one_line(f'{e.test or _place(e)}: {e.message}', 160)}" for e in errors[:MOST_LINES]]
    more = len(errors) - len(lines)
    return "\n".join([*lines, *([f"and {more} more, which `all` names too"] if more else [])])


def _place(error: CIError) -> str:
    return ":".join(str(part) for part in (error.file, error.line, error.column) if part is not None)


def _frames(error: CIError) -> Iterator[str]:
    """The places that belong to an error; those outside of the repository are only counted."""
    for ours, frames in groupby(error.related[-20:], key=_is_ours):
        if ours:
            yield from (f"related: {one_line(f'{_where(r)} {r.message}'.strip())}" for r in frames)
        else:
            yield f"related: ({len(list(frames))} outside of the repository)"


def _is_ours(frame: Related) -> bool:
    return bool(frame.file or (frame.message and not OF_MESSAGE.match(frame.message)))


def _where(frame: Related) -> str:
    return f"{frame.file}:{frame.line}" if frame.file else "(outside of the repository)"


def names(ids: Sequence[str]) -> str:
    """Ids as text, not too many."""
    more = len(ids) - MOST_IDS
    return ", ".join(ids[:MOST_IDS]) + (f" and {more} more" if more > 0 else "")


def facts(error: CIError) -> str:
    """An error as lines of `name: value`; the log's own words come last."""
    values = {
        "tool": " ".join(filter(None, (error.tool, error.code))),
        "category": error.category.value,
        "place": _place(error),
        "test": error.test,
        "expected": error.expected,
        "actual": error.actual,
        "suggestion": error.suggestion,
    }
    lines = [f"{name}: {one_line(value)}" for name, value in values.items() if value]
    frames = list(_frames(error))
    lines += frames if len(error.related) > 1 or _elsewhere(error) else []
    excerpt = folded(error.excerpt)
    message = [] if "\n" in error.message and _holds(excerpt, error.message) else ["message:", error.message]
    return "\n".join([*lines, *message, *(["excerpt of the log:", excerpt] * bool(excerpt))])


def _elsewhere(error: CIError) -> bool:
    """Whether its only frame is no more than its place."""
    return any((r.file, r.line) != (error.file, error.line) for r in error.related)


def _holds(text: str, lines: str) -> bool:
    """Whether each line stands in the text, however indented."""
    have = {line.strip() for line in text.splitlines()}
    return all(line.strip() in have for line in lines.splitlines())


def opening(
    task: AgentTask, target: str, settled: list[str], others: list[str], nonce: str, done: Done = NOTHING_DONE
) -> str:
    """What starts a branch. What the first message has of the target in a line only follows here in full."""
    shown = {error.id for group in _in_full(task)[0] for error in group}
    whole = next((facts(error) for error in task.errors if error.id == target and target not in shown), "")
    return _render(
        "opening.md",
        target=target,
        facts=fenced(whole, nonce) if whole else "",
        settled=settled,
        others=names(others),
        **done._asdict(),
    )


def edits_of(proposals: Sequence[Proposal], nonce: str) -> str:
    """The edits of accepted fixes as data; empty where there are none."""
    texts = [
        f"in {one_line(edit.file)}\n- {edit.old_string[:EDIT]}\n+ {edit.new_string[:EDIT]}"
        for proposal in proposals
        for edit in proposal.edits
    ]
    return fenced("\n".join(texts), nonce, MOST_EDITS) if texts else ""


def at_once(ids: tuple[str, ...]) -> str:
    """What is sent in place of an opening where there is one reply only."""
    return _render("at_once.md", ids=names(ids))


def again(target: str, settled: list[str], missing: list[str]) -> str:
    """The stop hook's words."""
    return _render("again.md", target=target, settled=names(settled), missing=names(missing))


def cut() -> str:
    """What is sent after a truncated reply."""
    return _render("cut.md")


def review_system() -> str:
    """The rules of a second opinion, the same bytes for each."""
    return _render("review_system.md")


def review(nonce: str, errors: list[str], diff: str, code: str, marks: str, again: bool) -> str:
    """What a second opinion is asked about: all of it fenced, but the nonce."""
    return _render("review.md", nonce=nonce, errors=errors, diff=diff, code=code, marks=marks, again=again)


def accepted(proposal: Proposal) -> str:
    """A few words about an accepted fix; file names are strangers' text and are left out."""
    return f"{names(proposal.error_ids)}: your fix {proposal.id} was accepted"
