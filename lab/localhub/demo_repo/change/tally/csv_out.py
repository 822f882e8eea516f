"""Sales as comma-separated values."""

from tally.sales import Sale

HEADER = ['product', 'pieces', 'price']


def to_csv(sales: list[Sale]) -> str:
    """A header and one line a sale."""
    rows = [HEADER] + [[sale.product, str(sale.pieces), str(sale.price)] for sale in sales]
    return "\n".join(",".join(row) for row in rows)
