"""Every sentence that a model is told, rendered from prompts/*.md; an unknown name in a template is an error."""

from collections.abc import Callable
from functools import cache
from importlib.resources import as_file, files

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from healing.agents.fences import LIMIT, fenced, numbered, one_line
from healing.agents.task import AgentTask, Excerpt
from healing.model import CIError, Proposal

HISTORY_LIMIT = 20_000


@cache
def _templates() -> Environment:
    with as_file(files("healing.agents") / "prompts") as folder:
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
    errors = [{"id": error.id, "facts": facts(error)} for error in task.errors]
    data = _fence(nonce, HISTORY_LIMIT)
    return (
        _render(
            "errors.md",
            purpose=task.profile.purpose,
            instructions=task.profile.instructions.strip(),
            nonce=nonce,
            errors=errors,
            hint=task.hint,
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


def facts(error: CIError) -> str:
    """An error as lines of `name: value`; the log's own words come last."""
    place = ":".join(str(part) for part in (error.file, error.line, error.column) if part is not None)
    values = {
        "tool": " ".join(filter(None, (error.tool, error.code))),
        "category": error.category.value,
        "place": place,
        "test": error.test,
        "expected": error.expected,
        "actual": error.actual,
        "suggestion": error.suggestion,
    }
    lines = [f"{name}: {one_line(value)}" for name, value in values.items() if value]
    lines += [f"related: {one_line(f'{r.file}:{r.line} {r.message}')}" for r in error.related[-20:]]
    return "\n".join(
        [*lines, "message:", error.message, *(["excerpt of the log:", error.excerpt] * bool(error.excerpt))]
    )


def opening(target: str, settled: list[str], others: list[str]) -> str:
    """What starts a branch."""
    return _render("opening.md", target=target, settled=settled, others=", ".join(others))


def at_once(ids: tuple[str, ...]) -> str:
    """What is said in place of an opening where there is one reply only."""
    return _render("at_once.md", ids=", ".join(ids))


def again(target: str, settled: list[str], missing: list[str]) -> str:
    """The stop hook's words."""
    return _render("again.md", target=target, settled=", ".join(settled), missing=", ".join(missing))


def cut() -> str:
    """What is said after a truncated reply."""
    return _render("cut.md")


def review_system() -> str:
    """The rules of a second opinion, the same bytes for each."""
    return _render("review_system.md")


def review(nonce: str, errors: list[str], diff: str, code: str, marks: str, again: bool) -> str:
    """What a second opinion is asked about: all of it fenced, but the nonce."""
    return _render("review.md", nonce=nonce, errors=errors, diff=diff, code=code, marks=marks, again=again)


def accepted(proposal: Proposal) -> str:
    """One line about an accepted fix; file names are strangers' text and are left out."""
    return f"{', '.join(proposal.error_ids)}: a fix was accepted ({len(proposal.edits)} edits)"
