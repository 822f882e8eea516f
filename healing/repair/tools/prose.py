"""Fixers of what isn't code: codespell, stylelint and markdownlint, which repair most of what they report."""

from dataclasses import dataclass

from healing.model import CIError
from healing.repair.tools.call import Call
from healing.repair.tools.node import node_calls
from healing.repair.tools.runner import reported_by
from healing.repair.tools.settings import ToolConfig, with_ending

SPELLING = frozenset({
    "-I", "--ignore-words", "-L", "--ignore-words-list", "-D", "--dictionary", "--builtin", "--config", "--toml",
    "-x", "--exclude-file", "--ignore-regex", "--uri-ignore-words-list", "-S", "--skip",
})  # fmt: skip
STYLES = frozenset({"--config", "--config-basedir", "--ignore-path", "--custom-syntax"})
MARKDOWN = frozenset({"-c", "--config", "-p", "--ignore-path", "-i", "--ignore", "-r", "--rules"})
SHEETS = (".css", ".scss", ".sass", ".less", ".pcss", ".vue", ".svelte", ".html")


@dataclass(frozen=True)
class Codespell:
    """Words with one correction are replaced; exit code 65 means that words with several are left."""

    name: str = "codespell"

    def used(self, tool_config: ToolConfig) -> bool:
        settings = tool_config.table("codespell") is not None or tool_config.has(".codespellrc")
        return settings or bool(tool_config.called("codespell") or "codespell" in tool_config.hooks)

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        return reported_by(errors, ("codespell",), ("codespell",))

    def calls(
        self, files: tuple[str, ...], _errors: tuple[CIError, ...], tool_config: ToolConfig, /
    ) -> tuple[Call, ...]:
        options = tool_config.options("codespell", SPELLING, frozenset({"--enable-colors", "-H", "--check-hidden"}))
        argv = ("codespell", "--write-changes", "--quiet-level=3", *options, "--", *sorted(set(files)))
        return (Call(argv, codes=(0, 65)),) if files else ()


@dataclass(frozen=True)
class Stylelint:
    """Exit code 2 means that problems are left; 1 is a crash, 78 a broken configuration."""

    name: str = "stylelint"

    def used(self, tool_config: ToolConfig) -> bool:
        return bool(
            tool_config.depends_on("stylelint") or tool_config.called("stylelint") or "stylelint" in tool_config.hooks
        )

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        return reported_by(errors, ("stylelint",), ("stylelint",))

    def calls(
        self, files: tuple[str, ...], _errors: tuple[CIError, ...], tool_config: ToolConfig, /
    ) -> tuple[Call, ...]:
        argv = ("stylelint", "--fix", "--allow-empty-input", *tool_config.options("stylelint", STYLES))
        return node_calls(with_ending(files, SHEETS), tool_config, argv, codes=(0, 2))


@dataclass(frozen=True)
class Markdownlint:
    """One of the two command lines of markdownlint: `name` is its program's. Exit code 1 means that problems are
    left."""

    name: str

    def used(self, tool_config: ToolConfig) -> bool:
        package = "markdownlint-cli" if self.name == "markdownlint" else self.name
        return bool(
            tool_config.depends_on(package) or tool_config.called(self.name) or tool_config.hooks & set(self._hooks())
        )

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        return reported_by(errors, ("markdownlint",), self._hooks())

    def calls(
        self, files: tuple[str, ...], _errors: tuple[CIError, ...], tool_config: ToolConfig, /
    ) -> tuple[Call, ...]:
        argv = (self.name, "--fix", *tool_config.options(self.name, MARKDOWN))
        chosen = with_ending(files, (".md", ".markdown", ".mdx"))
        return node_calls(chosen, tool_config, argv, codes=(0, 1))

    def _hooks(self) -> tuple[str, ...]:
        return (self.name, f"{self.name}-fix")


MARKDOWNLINT, MARKDOWNLINT_CLI2 = Markdownlint("markdownlint"), Markdownlint("markdownlint-cli2")
