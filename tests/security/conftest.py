"""The fixtures of the machine's parts and of the pages."""

from tests.bot.conftest import clock, database, store, url

__all__ = ["clock", "database", "store", "url"]
