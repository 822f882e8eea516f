"""What was sold."""

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Sale:
    """One line of a receipt: `price` is in cents, for one piece."""

    product: str
    pieces: int
    price: int
    discount: int = 0

    def amount(self) -> int:
        """Cents for all pieces, less the discount in percent."""
        full = self.pieces * self.price
        return full - full * self.discount // 10


def total(sales: list[Sale]) -> int:
    """Cents for all sales together."""
    return sum(sale.amount() for sale in sales)
