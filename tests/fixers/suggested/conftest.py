"""A bench whose sandbox can read npm's packages."""

from tests.autofix.conftest import node_bench, packages

__all__ = ["node_bench", "packages"]
