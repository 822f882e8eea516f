"""What an agent did, as a transcript for people: who wrote what, in turn, with which tool and at what price. Pure."""

from typing import Literal

from healing.logs.redaction import redact
from healing.model import Frozen
from healing.repair.agents.call_text import call_text
from healing.repair.agents.fences import shown
from healing.repair.agents.routing import Routing
from healing.repair.agents.trajectory import AgentStep, ToolUse, Trajectory


class TranscriptLine(Frozen):
    """One entry of a transcript. `role`: `heal` is a message of Heal's, `model` a reply of the model, `tool` one tool's
    answer; then `tool` is its name, `asked` its arguments as JSON, `call` the same as readable text, `failed` whether
    it failed. `dollars` and `seconds` are the call's, and are set on the model's entries only. Hidden characters are
    shown and known secrets removed in all texts; they still have to be escaped in HTML."""

    role: Literal["heal", "model", "tool"]
    text: str
    error_id: str
    tool: str = ""
    asked: str = ""
    call: str = ""
    failed: bool = False
    dollars: float = 0.0
    seconds: float = 0.0


class Transcript(Frozen):
    """One agent on some errors of one cluster. `ending`: `whole`, or how it broke off; `dollars` of all its calls;
    `routing` has all specialists' scores for the cluster, the best first; `first` is the first message as sent, without
    known secrets."""

    cluster: str
    errors: tuple[str, ...]
    specialist: str
    model: str
    ending: str
    calls: int
    dollars: float
    seconds: float
    lines: tuple[TranscriptLine, ...]
    first: str = ""
    routing: Routing | None = None


def transcript_of(trajectory: Trajectory) -> Transcript:
    """The stored trajectory as a transcript."""
    steps = trajectory.steps
    return Transcript(
        cluster=trajectory.cluster,
        errors=trajectory.errors,
        specialist=trajectory.specialist,
        model=trajectory.model,
        ending=trajectory.ending,
        calls=len(steps),
        dollars=sum(step.dollars for step in steps),
        seconds=round(sum(step.seconds for step in steps), 3),
        lines=tuple(line for step in steps for line in _lines(step)),
        routing=trajectory.routing,
        first=_readable("\n\n".join(trajectory.first)),
    )


def _lines(step: AgentStep) -> list[TranscriptLine]:
    reported = [TranscriptLine(role="heal", text=_readable(step.told), error_id=step.error_id)] if step.told else []
    output = step.said or (f"(nothing; the reply ended with: {step.stop})" if not step.used else "")
    model = TranscriptLine(
        role="model", text=_readable(output), error_id=step.error_id, dollars=step.dollars, seconds=step.seconds
    )
    return [*reported, model, *(_tool(used, step.error_id) for used in step.used)]


def _tool(used: ToolUse, error_id: str) -> TranscriptLine:
    return TranscriptLine(
        role="tool",
        text=_readable(used.answered),
        error_id=error_id,
        tool=_readable(used.tool),
        asked=_readable(used.asked),
        call=_readable(call_text(used.asked)),
        failed=used.failed,
    )


def _readable(text: str) -> str:
    return redact(shown(text))
