"""Go's formatters: gofmt, and goimports, which also handles imports."""

from dataclasses import dataclass

from healing.model import CIError
from healing.repair.tools.call import Call
from healing.repair.tools.runner import reported_by
from healing.repair.tools.settings import ToolConfig, with_ending

GOFMT_HOOKS = ("gofmt", "go-fmt", "go-fmt-repo")
GOIMPORTS_HOOKS = ("goimports", "go-imports", "go-imports-repo")
GOLANGCI = (".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")


@dataclass(frozen=True)
class Gofmt:
    """`-s` only where the repo's own call has it: it rewrites more than white space."""

    name: str = "gofmt"

    def used(self, tool_config: ToolConfig) -> bool:
        called = tool_config.called("gofmt") or any(rest.startswith("fmt") for rest in tool_config.called("go"))
        return bool(called or tool_config.hooks & set(GOFMT_HOOKS)) or in_golangci(tool_config, "gofmt")

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        return reported_by(errors, ("gofmt",), GOFMT_HOOKS, rule="gofmt")

    def calls(
        self, files: tuple[str, ...], _errors: tuple[CIError, ...], tool_config: ToolConfig, /
    ) -> tuple[Call, ...]:
        chosen = go_files(files)
        simplify = tool_config.options("gofmt", frozenset(), frozenset({"-s"}))
        return (Call(("gofmt", "-w", *simplify, *chosen)),) if chosen else ()


@dataclass(frozen=True)
class Goimports:
    """`-local`, the prefix of the repo's own packages, is taken from the repo's own call."""

    name: str = "goimports"

    def used(self, tool_config: ToolConfig) -> bool:
        called = tool_config.called("goimports") or tool_config.hooks & set(GOIMPORTS_HOOKS)
        return bool(called) or in_golangci(tool_config, "goimports")

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        return reported_by(errors, ("goimports",), GOIMPORTS_HOOKS, rule="goimports")

    def calls(
        self, files: tuple[str, ...], _errors: tuple[CIError, ...], tool_config: ToolConfig, /
    ) -> tuple[Call, ...]:
        chosen = go_files(files)
        local = tool_config.options("goimports", frozenset({"-local", "--local"}))
        return (Call(("goimports", "-w", *local, *chosen)),) if chosen else ()


def go_files(files: tuple[str, ...]) -> tuple[str, ...]:
    """The Go files, as paths that no program takes for an option."""
    return tuple(f"./{file}" for file in with_ending(files, (".go",)))


def in_golangci(tool_config: ToolConfig, linter: str) -> bool:
    """Whether golangci-lint's settings name this linter."""
    return any(linter.encode() in (tool_config.view.read(path) or b"") for path in GOLANGCI)
