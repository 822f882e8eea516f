"""Search: repairs of failing tests found by trying small changes where the failing tests ran.

Off unless `.github/heal.yml` says `search: true`. Nothing is offered unless exactly one change survives all tests.
"""

from healing.repair.search.searching import search

__all__ = ["search"]
