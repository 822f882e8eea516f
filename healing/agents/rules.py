"""What a repository says about its agents, in `agents:` of `.github/heal.yml`."""

from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, StringConstraints

from healing.agents.tools.commands import DEFAULTS, Command, listed
from healing.model import Frozen


def _text(value: str) -> str:
    listed(value)
    return value


def _tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


Prefix = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True), AfterValidator(_text)]
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

    def allowed(self) -> tuple[Command, ...]:
        """How a command may begin: Heal's own list and the repository's."""
        return tuple(dict.fromkeys((*DEFAULTS, *(listed(text) for text in self.commands))))
