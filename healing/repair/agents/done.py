"""What an agent has done and read so far, as text that opens its next error; earlier messages are dropped."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from healing.llm.protocol import Block, ToolCall
from healing.repair.agents.fences import LIMIT, fenced, numbered, one_line, truncated
from healing.repair.agents.task import Excerpt
from healing.repair.agents.tool_arguments import TOOLS

ASKED = 300  # characters of a tool's arguments, enough to tell its answer from others


class Done(NamedTuple):
    """`accepted` are the edits of accepted fixes, `copy` describes the scratch copy, `beside` holds the answers to the
    last reply's calls, `kept` is what was read before."""

    accepted: str = ""
    copy: str = "Your scratch copy is the untouched base again, without those changes."
    beside: str = ""
    kept: str = ""


NOTHING_DONE = Done()


def answers(calls: Sequence[ToolCall], results: Sequence[Block], nonce: str) -> str:
    """The calls of one reply with their answers, in its order."""
    return "\n".join(_answer(*one, nonce) for one in zip(calls, results, strict=True))


def _answer(call: ToolCall, result: Block, nonce: str) -> str:
    name = call.name if call.name in TOOLS else "(no tool of yours)"
    asked = truncated(json.dumps(call.arguments, ensure_ascii=False, sort_keys=True), ASKED)
    return f"- `{name}`, asked\n{fenced(asked, nonce)}\n{result['content']}"


def read_before(parts: Sequence[Excerpt], left: Sequence[str], nonce: str) -> str:
    """Parts of files with line numbers, and the places for which there was no room; empty where there are none."""
    shown = [f"file: {one_line(part.file)}\n{numbered(part.text, part.first_line)}" for part in parts]
    named = [f"read before, and not shown again: {', '.join(map(one_line, left[:20]))}"] if left else []
    return fenced("\n\n".join([*shown, *named]), nonce, 2 * LIMIT) if parts or left else ""


def scratch_copy(held: int, accepted: int, others: Sequence[str], nonce: str) -> str:
    """Describes the scratch copy, which contains `held` of the accepted fixes and other changes in files `others`."""
    if not held:
        return NOTHING_DONE.copy
    which = "these edits" if held == accepted else f"the edits of {held} of these {accepted} fixes"
    words = f"Your scratch copy holds {which}; the first message shows the code without them."
    more = fenced("\n".join(map(one_line, others)), nonce)
    return f"{words} It also holds other changes of yours, in\n{more}" if others else words
