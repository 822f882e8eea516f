"""The agents of a run: which were used and why, what each wrote and did, when, and its cost."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup
from pydantic import ValidationError

from bot.store.run_story import RunStory
from bot.web.drawing.timeline import Bar, phases, timeline
from bot.web.labels import reason
from bot.web.words import plural
from healing.repair.agents.routing import Routing
from healing.repair.agents.trajectory import Trajectory
from healing.repair.agents.transcript import Transcript, transcript_of

MAX_LINES = 200  # per transcript


@dataclass(frozen=True)
class Agent:
    """One agent. `begins` and `ends` are Unix seconds, None if no call of it was recorded."""

    transcript: Transcript
    routing: Routing | None
    begins: float | None
    ends: float | None
    left_out: int


def agents(story: RunStory) -> list[Agent]:
    """Returns the agents in the order in which they ran."""
    routings = routings_of(story)
    return [_agent(story, trajectory, routings.get(trajectory.cluster)) for trajectory in story.agents]


def _agent(story: RunStory, trajectory: Trajectory, routing: Routing | None) -> Agent:
    shown = transcript_of(trajectory)
    asked = {step.request_id for step in trajectory.steps if step.request_id}
    mine = [call for call in story.calls if call.request_id in asked]
    return Agent(
        transcript=shown.model_copy(update={"lines": shown.lines[:MAX_LINES]}),
        routing=routing,
        begins=min((call.made_at - call.seconds for call in mine), default=None),
        ends=max((call.made_at for call in mine), default=None),
        left_out=max(0, len(shown.lines) - MAX_LINES),
    )


def routings_of(story: RunStory) -> dict[str, Routing]:
    """Returns the routings by cluster; an outcome of an older Heal may have none."""
    routings = {}
    for shown in story.outcome.routings if story.outcome else ():
        try:
            routing = Routing.model_validate(shown)
        except ValidationError:
            continue
        routings[routing.cluster] = routing
    return routings


def timeline_of(story: RunStory, worked: Sequence[Agent]) -> Markup:
    """Returns the timeline of the phases, then the agents, from the start of the run's work."""
    began = story.line.started_at or story.line.opened_at
    bars = phases(story.outcome.phase_seconds if story.outcome else {})
    for agent in worked:
        if agent.begins is not None and agent.ends is not None:
            shown = agent.transcript
            name, begins = f"AI agent: {shown.specialist}", max(0.0, agent.begins - began)
            note = f"{shown.model}, {plural(shown.calls, 'call')}, {reason(shown.ending)}"
            bars.append(Bar(name, begins, agent.ends - agent.begins, "bar-agent", note))
    return timeline(bars)
