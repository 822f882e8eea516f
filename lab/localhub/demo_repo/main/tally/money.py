"""Money as whole cents: no fractions that can be lost."""


def parse_amount(text: str) -> int:
    """Cents in a text like `12.34` or `7`. Raises ValueError for anything else."""
    whole, _, fraction = text.strip().partition(".")
    if len(fraction) > 2:
        raise ValueError(f"more than two decimals: {text!r}")
    return int(whole) * 100 + int(fraction.ljust(2, "0") or 0)


def format_cents(cents: int) -> str:
    """`1234` as `12.34`."""
    return f"{cents // 100}.{cents % 100:02d}"
