"""Suggested fixes: what compilers, linters and language servers themselves name as a fix."""

from healing.fixers.suggested.biome import BiomeSuggestions
from healing.fixers.suggested.eslint import EslintSuggestions
from healing.fixers.suggested.go_declaring import GoDeclaring
from healing.fixers.suggested.go_vet import GoVet
from healing.fixers.suggested.goimports import GoimportsSuggester
from healing.fixers.suggested.gopls import Gopls
from healing.fixers.suggested.mypy import Mypy
from healing.fixers.suggested.mypy_returns import MypyReturns
from healing.fixers.suggested.near_name import NearName
from healing.fixers.suggested.printed import PrintedName
from healing.fixers.suggested.ruff import RuffSuggestions
from healing.fixers.suggested.rustc import Rustc
from healing.fixers.suggested.short_return import ShortReturn
from healing.fixers.suggested.suggester import Suggester
from healing.fixers.suggested.typescript import TypeScript

# In order of certainty: compilers know more than linters, and both more than a name that is printed.
SUGGESTERS: tuple[Suggester, ...] = (
    *(TypeScript(), Rustc()),
    *(GoimportsSuggester(), ShortReturn(), GoDeclaring(), Gopls(), GoVet()),
    *(Mypy(), MypyReturns(), EslintSuggestions(), BiomeSuggestions(), RuffSuggestions()),
    *(PrintedName(), NearName()),
)

__all__ = ["SUGGESTERS", "Suggester"]
