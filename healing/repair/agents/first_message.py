"""The first message of an agent: everything known about its cluster, within one byte limit for the whole request.

The count covers everything that is sent: rules, tools, both blocks of the trunk and the text that begins the first
branch.
"""

import json
from collections.abc import Mapping

from healing.repair.agents.code_parts import fitting, named_lines, needed, shown_files
from healing.repair.agents.error_words import ErrorParts, causes_of
from healing.repair.agents.fences import fenced, fenced_within, one_line
from healing.repair.agents.room import ENVELOPE, MAX_OF_ONE, SURE, divide_room, fit_text, request_bytes, request_limit
from healing.repair.agents.shown_code import code_lines
from healing.repair.agents.task import AgentTask
from healing.repair.agents.tool_arguments import schemas
from healing.repair.agents.tools.commands import distinct
from healing.repair.agents.wording import at_once, opening, render, system


def trunk(task: AgentTask, nonce: str) -> tuple[str, ...]:
    """Everything known about the cluster, in two blocks: the specialist and the errors, and the code around them."""
    errors, texts = ErrorParts(task, nonce), _texts(task)
    instructions = task.profile.instructions.strip()
    needs = {
        "instructions": request_bytes(instructions),
        "errors": errors.needed(),
        "code": needed(task.contexts),
        **{name: min(_size(text, nonce), MAX_OF_ONE) for name, text in texts.items()},
    }
    given = divide_room(needs, SURE, request_limit(causes_of(task)) - _fixed(task, nonce, errors, texts))
    code = fitting(task.contexts, named_lines(task.errors), given["code"])
    shown, further = errors.rendered(given["errors"], code_lines(code))
    data = {name: fenced_within(text, nonce, given[name]) if text else "" for name, text in texts.items()}
    words = {"instructions": fit_text(instructions, given["instructions"]), **data}
    return _blocks(task, nonce, words, shown, further, list(shown_files(code, nonce)))


def _texts(task: AgentTask) -> dict[str, str]:
    """The data besides errors and code, by name."""
    return {
        "hint": task.hint,
        "findings": task.findings,
        "change": task.change,
        "never_touched": "\n".join(one_line(pattern) for pattern in task.never_touched),
        "commands": "\n".join(" ".join(words) for words in distinct(task.commands)),
        "steps": "\n".join(one_line(label) for label in task.labels()),
        "history": task.history,
        "examples": task.examples,
        "style": task.style,
    }


def _size(text: str, nonce: str) -> int:
    return request_bytes(fenced(text, nonce, len(text))) if text else 0


def _fixed(task: AgentTask, nonce: str, errors: ErrorParts, texts: Mapping[str, str]) -> int:
    """The bytes of what is always sent: the rules, the tools, the headings, and the text that begins a branch."""
    headings = {"instructions": "", **{name: "x" if text else "" for name, text in texts.items()}}
    shown, further = errors.headings()
    blocks = _blocks(task, nonce, headings, shown, further, ["x"] * len(task.contexts))
    first, *others = task.ids()
    words = max(request_bytes(opening(task, first, [], others, nonce)), request_bytes(at_once(task.ids())))
    tools = json.dumps(schemas(task.profile.tools), ensure_ascii=False, separators=(",", ":"))
    return ENVELOPE + request_bytes(system()) + len(tools.encode()) + sum(map(request_bytes, blocks)) + words


def _blocks(
    task: AgentTask,
    nonce: str,
    words: Mapping[str, str],
    errors: list[dict[str, str]],
    further: str,
    code: list[str],
) -> tuple[str, ...]:
    purpose = task.profile.purpose
    return (
        render("errors.md", purpose=purpose, nonce=nonce, errors=errors, further=further, **words),
        render("files.md", files=code),
    )
