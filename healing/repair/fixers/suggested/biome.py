"""Biome's fixes, including unsafe ones, from its language server: its reports don't contain them."""

from collections.abc import Iterator
from dataclasses import dataclass

from healing.model import CIError
from healing.repair.fixers.suggested.quick_fixes import asking, quick_fixes
from healing.repair.fixers.suggested.suggestion import Suggestion
from healing.repair.tools.biome import ENDINGS, HOOKS
from healing.repair.tools.call import Call
from healing.repair.tools.node import bins_of
from healing.repair.tools.runner import reported_by
from healing.repair.tools.settings import ToolConfig, with_ending
from healing.view import TreeView

LANGUAGES = {".ts": "typescript", ".tsx": "typescriptreact", ".jsx": "javascriptreact", ".json": "json", ".css": "css"}


@dataclass(frozen=True)
class BiomeSuggestions:
    """Fixes that only suppress the rule are left out."""

    name: str = "biome"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in reported_by(errors, ("biome",), HOOKS) if e.file and e.line)

    def calls(self, files: tuple[str, ...], _errors: tuple[CIError, ...], tool_config: ToolConfig) -> tuple[Call, ...]:
        by_language: dict[str, list[str]] = {}
        for file in with_ending(files, ENDINGS):
            ending = next((ending for ending in LANGUAGES if file.endswith(ending)), "")
            by_language.setdefault(LANGUAGES.get(ending, "javascript"), []).append(file)
        bins = tuple(dict.fromkeys(b for file in files for b in bins_of(tool_config.package_of(file))))
        return tuple(
            Call(asking(("biome", "lsp-proxy"), language, names), bins=bins) for language, names in by_language.items()
        )

    def read(self, answer: str, _errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        for fix, _ in quick_fixes(answer, view):
            if not fix.title.lower().startswith("suppress"):
                yield fix
