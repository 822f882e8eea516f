"""Suggested fixes: those that compilers, linters and language servers themselves suggest."""

from healing.repair.fixers.suggested.advised_name import AdvisedName
from healing.repair.fixers.suggested.biome import BiomeSuggestions
from healing.repair.fixers.suggested.c_const import CConst
from healing.repair.fixers.suggested.c_declaring import CDeclaring
from healing.repair.fixers.suggested.c_unused import CUnused
from healing.repair.fixers.suggested.eslint import EslintSuggestions
from healing.repair.fixers.suggested.gcc import Gcc
from healing.repair.fixers.suggested.go_declaring import GoDeclaring
from healing.repair.fixers.suggested.go_format import GoFormat
from healing.repair.fixers.suggested.go_vet import GoVet
from healing.repair.fixers.suggested.goimports import GoimportsSuggester
from healing.repair.fixers.suggested.gopls import Gopls
from healing.repair.fixers.suggested.mypy import Mypy
from healing.repair.fixers.suggested.mypy_returns import MypyReturns
from healing.repair.fixers.suggested.near_name import NearName
from healing.repair.fixers.suggested.printed import PrintedName
from healing.repair.fixers.suggested.ruff import RuffSuggestions
from healing.repair.fixers.suggested.rustc import Rustc
from healing.repair.fixers.suggested.shellcheck import Shellcheck
from healing.repair.fixers.suggested.short_return import ShortReturn
from healing.repair.fixers.suggested.suggester import Suggester
from healing.repair.fixers.suggested.typescript import TypeScript

# In order of certainty: compilers before linters, and both before a name that is printed.
SUGGESTERS: tuple[Suggester, ...] = (
    *(TypeScript(), Rustc()),
    *(GoimportsSuggester(), ShortReturn(), GoDeclaring(), GoFormat(), Gopls(), GoVet()),
    *(Gcc(), CDeclaring(), CConst(), CUnused(), Shellcheck()),
    *(Mypy(), MypyReturns(), EslintSuggestions(), BiomeSuggestions(), RuffSuggestions()),
    *(PrintedName(), AdvisedName(), NearName()),
)

__all__ = ["SUGGESTERS", "Suggester"]
