"""A repository's settings for its agents, in `agents:` of `.github/heal.yml`."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, StringConstraints

from healing.clusters.batching import Batching
from healing.model import Frozen
from healing.repair.agents.strategies import Strategy
from healing.repair.agents.task import AgentLimits
from healing.repair.agents.tools.commands import DEFAULTS, Command, listed

DELICATE = frozenset({"security", "architect"})  # specialists whose plausible but wrong fixes can do harm


def _text(value: str) -> str:
    listed(value)
    return value


def _tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


Prefix = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True), AfterValidator(_text)]
ModelName = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]
ModelNames = Annotated[list[ModelName], Field(max_length=20)]
Prefixes = Annotated[list[Prefix], Field(max_length=50)]


class AgentRules(Frozen):
    """Keys of `agents:`."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    commands: Annotated[tuple[Prefix, ...], BeforeValidator(_tuple, json_schema_input_type=Prefixes)] = Field(
        default=(),
        max_length=50,
        description="First words of further commands that agents may run, beside the test runners, linters and type "
        "checkers that Heal allows everywhere. They run without a shell, in the sandbox, without a network, on a "
        "copy that is thrown away.",
        examples=[["npm run lint", "make test"]],
    )

    strategy: Strategy = Field(
        default="single",
        description="How specialists share a cluster of errors. `single`: the best one, the next where it runs out of "
        "time; `sequential`: one after the other, each on what is left; `parallel`: all at once, the first proven fix "
        "wins; `consensus`: a fix is taken where most of them found the same one. Clusters that are routed to "
        "`security` or `architect` always go by `consensus`, unless `candidates` is 1: the specialist and the "
        "generalist work apart, and where they differ the specialist is asked once more.",
        examples=["sequential"],
    )
    batching: Batching = Field(
        default="dependency",
        description="How root causes are put together for agents. `dependency`: those that may need the same files, by "
        "imports, definitions and stacks; `file`: those of one file; `type`: those of one rule or kind; `agent`: those "
        "of one specialist. A cause is always with the one that explains it, and a cluster holds at most 10 errors and "
        "5 files, unless a single cause has more.",
        examples=["file"],
    )
    candidates: int = Field(
        default=3, ge=1, le=5, description="How many specialists may work on a cluster.", examples=[2]
    )
    min_confidence: float = Field(
        default=0.7,
        ge=0,
        le=1,
        description="How well a specialist has to fit, 0 to 1; where none does, the generalist works.",
        examples=[0.8],
    )
    batch: int = Field(
        default=10, ge=1, le=50, description="How many root causes of a cluster an agent gets at a time.", examples=[5]
    )
    error_seconds: int = Field(
        default=300,
        ge=10,
        le=3_600,
        description="Seconds that models and tools may take for one error; checks don't count.",
        examples=[120],
    )
    cluster_minutes: int = Field(
        default=30,
        ge=1,
        le=240,
        description="Minutes that a cluster may take, with all that it waits for.",
        examples=[15],
    )

    dollars: float | None = Field(
        default=None,
        ge=0,
        le=1_000,
        description="US dollars that models may cost for one run here, with all its attempts. The operator's own "
        "limits hold where they are lower. `0`: no model is asked.",
        examples=[2.5],
    )
    models: Annotated[tuple[ModelName, ...], BeforeValidator(_tuple, json_schema_input_type=ModelNames)] = Field(
        default=(),
        max_length=20,
        description="The operator's models that may be asked here, by their full names; a model that the operator "
        "doesn't name is never asked. Empty: all of them.",
        examples=[["claude-haiku-5-5"]],
    )

    overnight: bool = Field(
        default=False,
        description="Whether Heal first asks for all fixes of a phase in one Message Batch, at half the price, in runs "
        "that no pull request waits for (a default branch that fails after a push or on a schedule). Such a run may "
        "take hours and counts among the worker's runs meanwhile. It needs one of Anthropic's models as the first "
        "one; with another, this setting does nothing.",
        examples=[True],
    )

    def limits(self) -> AgentLimits:
        """The limits of one agent."""
        return AgentLimits(seconds=self.error_seconds, cluster_seconds=self.cluster_minutes * 60)

    def strategy_of(self, chosen: Sequence[str]) -> Strategy:
        """The strategy for those specialists, the best one first. A plausible fix of a security finding or between
        components can do harm that no check shows, so two agents have to find it independently."""
        return "consensus" if chosen[0] in DELICATE else self.strategy

    def allowed(self) -> tuple[Command, ...]:
        """The allowed beginnings of commands: Heal's own list and the repository's."""
        return tuple(dict.fromkeys((*DEFAULTS, *(listed(text) for text in self.commands))))
