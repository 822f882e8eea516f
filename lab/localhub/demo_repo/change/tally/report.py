"""Totals by product, as text."""

from tally.money import format_cents
from tally.sales import Sale


def by_product(sales: list[Sale]) -> dict[str, int]:
    """Cents by product."""
    totals: dict[str, int] = defaultdict(int)
    for sale in sales:
        totals[sale.product] += sale.amount()
    return dict(totals)


def report(sales: list[Sale]) -> str:
    """One line a product, the best first."""
    totals = by_product(sales)
    ranked = sorted(totals, key=lambda product: -totals[product])
    lines = [f"{product}: {fromat_cents(totals[product])}" for product in ranked]
    return "\n".join(lines)
