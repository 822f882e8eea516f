"""Every text that a model is sent, rendered from prompts/*.md; an unknown name in a template is an error."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import as_file, files

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from healing.model import Edit, Proposal
from healing.repair.agents.done import NOTHING_DONE, Done
from healing.repair.agents.error_words import FACTS, facts, in_full
from healing.repair.agents.fences import fenced_within, one_line
from healing.repair.agents.room import fit_text
from healing.repair.agents.task import AgentTask

MAX_IDS = 20
EDIT = 600  # bytes of each side of an edit
MAX_EDITS = 4_000  # of all accepted ones


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


def render(template: str, **values: object) -> str:
    """A rendered template; a name without a value is an error."""
    return _templates().get_template(template).render(**values).strip()


def system() -> str:
    """The rules: the same bytes for every agent, whatever its specialist, so that they are cached once for all."""
    return render("system.md")


def names(ids: Sequence[str]) -> str:
    """Ids as text, at most MAX_IDS."""
    more = len(ids) - MAX_IDS
    return ", ".join(ids[:MAX_IDS]) + (f" and {more} more" if more > 0 else "")


def opening(
    task: AgentTask, target: str, settled: list[str], others: list[str], nonce: str, done: Done = NOTHING_DONE
) -> str:
    """The text that starts a branch. A target that the first message lists only in one line under `further errors` is
    shown here in full."""
    further = in_full(task)[1]
    whole = next((facts(error) for error in further if error.id == target), "")
    return render(
        "opening.md",
        target=target,
        facts=fenced_within(whole, nonce, FACTS) if whole else "",
        settled=settled,
        others=names(others) if len(others) <= MAX_IDS else f"{len(others)} others of this cluster",
        **done._asdict(),
    )


def edits_of(proposals: Sequence[Proposal], nonce: str) -> str:
    """The edits of accepted fixes as data; empty where there are none."""
    texts = [edit_text(edit) for proposal in proposals for edit in proposal.edits]
    return fenced_within("\n".join(texts), nonce, MAX_EDITS) if texts else ""


def edit_text(edit: Edit) -> str:
    """One edit: its old and its new text."""
    return f"in {one_line(edit.file)}\n- {fit_text(edit.old_string, EDIT)}\n+ {fit_text(edit.new_string, EDIT)}"


def at_once(ids: tuple[str, ...]) -> str:
    """The text in place of an opening where only one reply is expected."""
    return render("at_once.md", ids=names(ids))


def stop_hook_text(target: str, settled: list[str], missing: list[str]) -> str:
    """The stop hook's text."""
    return render("again.md", target=target, settled=names(settled), missing=names(missing))


def cut_off_text() -> str:
    """The text sent after a truncated reply."""
    return render("cut.md")


def review_system() -> str:
    """The rules for second opinions, the same bytes for each."""
    return render("review_system.md")


def review(nonce: str, errors: list[str], diff: str, code: str, marks: str, again: bool) -> str:
    """The request for a second opinion; everything but the nonce is already fenced."""
    return render("review.md", nonce=nonce, errors=errors, diff=diff, code=code, marks=marks, again=again)


def accepted(proposal: Proposal) -> str:
    """One line about an accepted fix; file names are untrusted text and are left out."""
    return f"{names(proposal.error_ids)}: your fix {proposal.id} was accepted"
