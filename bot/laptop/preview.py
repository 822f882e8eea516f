"""Describes what Heal would do for a repository by its heal.yml, without running anything (`heal config check`)."""

from dataclasses import dataclass

from bot.repo_config import RepoConfig
from bot.runs.models import Models
from handlers.errors import UserError
from healing.checks.hosts import DEFAULT
from healing.repair.tools import RUNNERS
from healing.repair.tools.settings import ToolConfig
from healing.view import TreeView

CI = {
    "auto": "; what the sandbox can't reproduce is tested by your own CI",
    "ci": " and then by your own CI",
    "local": "",
}


@dataclass(frozen=True)
class Preview:
    """`autofix` are the tools that would fix files; `agents` says which models would be called, or why none; `given`
    are the keys that the file sets."""

    commands: tuple[str, ...]
    autofix: tuple[str, ...]
    agents: str
    search: bool
    verify: str
    reruns: bool
    network: tuple[str, ...]  # hosts, or `default`
    given: tuple[str, ...]

    def lines(self) -> tuple[str, ...]:
        """Returns the preview as lines of text."""
        count = "1 command" if len(self.commands) == 1 else f"{len(self.commands)} commands"
        tools = f"run {', '.join(self.autofix)}, then" if self.autofix else "run"
        search = ", then search for small fixes of failing tests" if self.search else ""
        return (
            f"check this repository with {count}; if one fails:",
            f"  {tools} Heal's rules{search}",
            f"  {self.agents}",
            f"  test each fix in the sandbox{CI[self.verify]}",
            f"  {_reach(self.network)}",
            f"  {'re-run CI once' if self.reruns else 'leave CI alone'} when a failure turns out to be flaky",
        )


def preview(config: RepoConfig, view: TreeView, commands: tuple[str, ...], models: Models) -> Preview:
    """Returns the preview for a repository's files and the operator's models."""
    tool_config = ToolConfig(view, commands)
    named = tuple(tool.name for tool in config.autofix)
    return Preview(
        commands=commands,
        autofix=(*named, *(runner.name for runner in RUNNERS if runner.used(tool_config))),
        agents=_agents(models.under(config.agents)),
        search=config.search,
        verify=config.verify,
        reruns=config.rerun_flaky,
        network=config.network,
        given=tuple(sorted(config.model_fields_set)),
    )


def _reach(network: tuple[str, ...]) -> str:
    names = ("the usual package indexes" if host == DEFAULT else host for host in network)
    return f"allow set-up steps to reach {', '.join(names)}" if network else "allow no network access"


def _agents(models: Models) -> str:
    try:
        fallback_chain = models.fallback_chain()
    except UserError as error:
        return f"ask no AI agent: {error}"
    if fallback_chain is None:
        why = f"{models.missing_key} is not set" if models.missing_key else models.missing.why
        return f"ask no AI agent ({why}), but report what asking would cost"
    return f"ask AI agents about the rest: {', then '.join(tier.model.name for tier in fallback_chain.tiers)}"
