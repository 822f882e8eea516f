"""What was sold."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sale:
    """One line of a receipt: `price` is in cents, for one piece."""

    product: str
    pieces: int
    price: int

    def amount(self) -> int:
        """Cents for all pieces."""
        return self.pieces * self.price


def total(sales: list[Sale]) -> int:
    """Cents for all sales together."""
    return sum(sale.amount() for sale in sales)
