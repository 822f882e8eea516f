"""Search: finds repairs of failing tests by trying small changes in the code that the failing tests ran.

Off unless `.github/heal.yml` says `search: true`. A fix is offered only if exactly one change survives all tests.
"""

from healing.repair.search.searching import search

__all__ = ["search"]
