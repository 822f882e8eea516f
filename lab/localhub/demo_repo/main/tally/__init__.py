"""Adds up what a shop sold."""

from tally.money import format_cents, parse_amount
from tally.sales import Sale, total

__all__ = ["Sale", "format_cents", "parse_amount", "total"]
