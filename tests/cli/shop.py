"""A small repository whose checks take a moment: green as committed, red as it lies there."""

WORKFLOW = """\
name: CI
on: [push]
jobs:
  lint:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Ruff
        run: ruff check .
  tests:
    runs-on: ubuntu-latest
    steps:
      - name: Unit tests
        run: python -m unittest -q
"""

PRICES = '''\
"""What things cost."""


def format_cents(cents: int) -> str:
    return f"{cents / 100:.2f}"


def total(prices: list[int]) -> int:
    return sum(prices)
'''

TEST = """\
import unittest

from shop.prices import format_cents, total


class PricesTest(unittest.TestCase):
    def test_total(self) -> None:
        self.assertEqual(total([1, 2]), 3)

    def test_format(self) -> None:
        self.assertEqual(format_cents(250), "2.50")
"""

LABEL = '''\
"""Prints a label."""

import json
import sys


def label(name: str) -> str:
    return name.upper()


if __name__ == "__main__":
    sys.stdout.write(label("tea"))
'''

GREEN = {
    ".github/workflows/ci.yml": WORKFLOW,
    "ruff.toml": '[lint]\nselect = ["E", "F"]\n',
    ".gitignore": "__pycache__/\n",
    "shop/__init__.py": "",
    "shop/prices.py": PRICES,
    "shop/label.py": LABEL.replace("import json\n", ""),
    "tests/__init__.py": "",
    "tests/test_prices.py": TEST,
    "notes.txt": "nothing yet\n",
}
BROKEN = {
    "shop/label.py": LABEL,  # an unused import, which ruff takes out itself
    "shop/bill.py": '"""A bill."""\n\nfrom shop.prices import format_cents\n\nLINE = fromat_cents(100)\n',  # a slip
    "shop/till.py": '"""A till."""\n\nOPEN = drawer_of("left")\n',  # nobody knows what that is
}
