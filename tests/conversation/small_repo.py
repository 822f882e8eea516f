"""The small repository of the conversations: one module, one test, ruff and pytest; and what a pull request breaks."""

CI = """\
name: CI
on: [pull_request]
jobs:
  checks:
    runs-on: self-hosted
    steps:
      - uses: actions/checkout@v4
      - name: Ruff
        run: ruff check .
      - name: Pytest
        run: python -m pytest -q
"""
SETTINGS = """\
[tool.ruff]
line-length = 100

[tool.pytest.ini_options]
testpaths = ["."]
"""
SHOP = '''\
"""What a shop reckons."""


def total(prices):
    """The sum of all prices."""
    return sum(prices)
'''
TEST = """\
from shop import total


def test_total():
    assert total([1, 2]) == 3
"""
GREEN = {
    ".github/workflows/ci.yml": CI,
    "pyproject.toml": SETTINGS,
    "shop.py": SHOP,
    "test_shop.py": TEST,
}

# Three slips that have nothing to do with each other, each far enough from the next to be a suggestion of its own.
SLIPS = '''\
"""What a shop reckons."""


def total(prices):
    """The sum of all prices."""
    return sum(prices)


def discounted(price, percent):
    """The price after a discount."""
    return price - pirce * percent / 100


def boxes(count, size):
    """How many boxes are needed."""
    return -(-count // szie)


def label(name, price):
    """What stands on the shelf."""
    return f"{nmae}: {price}"
'''
HEALED = SLIPS.replace("pirce", "price").replace("szie", "size").replace("nmae", "name")
THREE_SLIPS = {"shop.py": SLIPS}
ONE_SLIP = {"shop.py": HEALED.replace("price * percent", "pirce * percent")}
ON_PUSH = {  # CI runs for the default branch too
    **GREEN,
    ".github/workflows/ci.yml": GREEN[".github/workflows/ci.yml"].replace("[pull_request]", "[pull_request, push]"),
}
