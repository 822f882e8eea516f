"""A small shop in two commits: a good base, and pull requests that break it among changes that break nothing."""

from dataclasses import dataclass, field

from tests.pipeline.bench import Files

MONEY = '''"""Amounts in cents."""


def to_cents(text):
    """`12.30` as 1230."""
    whole, _, part = text.partition(".")
    return int(whole) * 100 + int((part + "00")[:2])


def share(cents, percent, rounding="down"):
    """A part of an amount."""
    exact = cents * percent
    return exact // 100 if rounding == "down" else -(-exact // 100)


def shown(cents, currency="EUR"):
    """For people."""
    return f"{cents // 100}.{cents % 100:02d} {currency}"
'''
CART = '''"""What somebody wants to buy."""

from shop.money import share, shown


class Cart:
    """Items by name."""

    def __init__(self, owner, discount=0):
        self.owner = owner
        self.discount = discount
        self.items = {}

    def add(self, name, price, count=1):
        """Puts some of one thing in."""
        self.items[name] = (price, self.count_of(name) + count)

    def count_of(self, name):
        """How many there are."""
        return self.items.get(name, (0, 0))[1]

    def total(self):
        """In cents, less the discount."""
        full = sum(price * count for price, count in self.items.values())
        return full - share(full, self.discount)

    def label(self):
        """One line."""
        return f"{self.owner}: {shown(self.total(), 'EUR')}"
'''
STOCK = '''"""What there is."""

LOW = 3


class Stock:
    """Counts by name."""

    def __init__(self, counts):
        self.counts = dict(counts)

    def take(self, name, count):
        """Takes some out. Raises ValueError where there is not enough."""
        if self.counts.get(name, 0) < count:
            raise ValueError(name)
        self.counts[name] -= count

    def low(self):
        """What has to be ordered."""
        return sorted(name for name, count in self.counts.items() if count < LOW)
'''
ORDER = '''"""Buying."""

from shop.cart import Cart
from shop.money import share, to_cents
from shop.stock import Stock


def cart_of(owner, wishes, discount=0):
    """A cart from (name, price, count)."""
    cart = Cart(owner, discount=discount)
    for name, price, count in wishes:
        cart.add(name, to_cents(price), count)
    return cart


def buy(stock, cart):
    """Takes everything out of the stock; gives the price."""
    for name in cart.items:
        stock.take(name, cart.count_of(name))
    return cart.total()


def tip(cart, percent):
    """What is usual."""
    return share(cart.total(), percent, rounding="up")


def fresh_stock():
    """For tries."""
    return Stock({"pen": 5, "ink": 2})
'''
TESTS = """from shop.cart import Cart
from shop.money import share, shown, to_cents
from shop.order import buy, cart_of, fresh_stock, tip


def test_cents():
    assert to_cents("12.3") == 1230
    assert shown(1230) == "12.30 EUR"


def test_share():
    assert share(1000, 15) == 150


def test_total():
    assert cart_of("Eve", [("pen", "2.00", 3)], discount=10).total() == 540


def test_label():
    assert cart_of("Eve", [("pen", "2.00", 3)]).label() == "Eve: 6.00 EUR"


def test_buying():
    stock = fresh_stock()
    assert buy(stock, cart_of("Eve", [("pen", "1.50", 3)])) == 450
    assert stock.low() == ["ink", "pen"]


def test_tip():
    cart = Cart("Eve")
    cart.add("pen", 333)
    assert tip(cart, 10) == 34
"""
SHOP: Files = {
    "shop/__init__.py": "",
    "shop/money.py": MONEY,
    "shop/cart.py": CART,
    "shop/stock.py": STOCK,
    "shop/order.py": ORDER,
    "tests/test_shop.py": TESTS,
}
# What every one of the pull requests does besides: nothing of it breaks anything.
BESIDES: dict[str, list[tuple[str, str]]] = {
    "shop/money.py": [('"""Amounts in cents."""', '"""Amounts, always in cents."""')],
    "shop/cart.py": [('"""How many there are."""', '"""How many there are; none: 0."""')],
    "shop/stock.py": [
        ("    def low(self):", "    def has(self, name):\n        return name in self.counts\n\n    def low(self):")
    ],
    "shop/order.py": [('"""For tries."""', '"""For trying things out."""')],
}


@dataclass(frozen=True)
class Break:
    """`cure` is the fixer that mends it, empty where none can know; `at` is a line that the pull request broke."""

    name: str
    edits: dict[str, list[tuple[str, str]]]
    cure: str = ""
    at: tuple[str, str] = ("", "")
    holds: dict[str, str] = field(default_factory=dict)  # file → what stands there when it is cured

    @property
    def change(self) -> Files:
        """The files of the pull request that differ from the base."""
        files: Files = {}
        for part in (BESIDES, self.edits):
            for path, pairs in part.items():
                for old, new in pairs:
                    text = files.get(path, SHOP.get(path, ""))
                    assert text.count(old) == 1 or not text, (self.name, path, old)
                    files[path] = text.replace(old, new) if text else new
        return files


def _one(name: str, path: str, old: str, new: str, cure: str = "", **holds: str) -> Break:
    at = ("", "") if cure else (path, new.strip().splitlines()[0])
    return Break(name, {path: [(old, new)]}, cure, at, {f"shop/{file}.py": text for file, text in holds.items()})


SIGNATURE, RENAMED = "fixer:changed_signature", "fixer:renamed_symbol"
BREAKS = (
    Break(
        "keyword renamed",
        {
            "shop/money.py": [
                ('percent, rounding="down"', 'percent, mode="down"'),
                ('100 if rounding == "down"', '100 if mode == "down"'),
            ]
        },
        SIGNATURE,
        holds={"shop/order.py": 'mode="up"'},
    ),
    _one(
        "parameters swapped",
        "shop/stock.py",
        "def take(self, name, count):",
        "def take(self, count, name):",
        SIGNATURE,
        order="stock.take(cart.count_of(name), name)",
    ),
    _one(
        "parameter removed",
        "shop/money.py",
        'currency="EUR"):\n    """For people."""\n    return f"{cents // 100}.{cents % 100:02d} {currency}"',
        '*, short=False):\n    """For people."""\n    return f"{cents // 100}.{cents % 100:02d} EUR"',
        SIGNATURE,
        cart="shown(self.total())",
    ),
    _one(
        "parameter made keyword-only",
        "shop/cart.py",
        "def add(self, name, price, count=1):",
        "def add(self, name, price, *, count=1):",
        SIGNATURE,
        order="to_cents(price), count=count)",
    ),
    _one("function renamed", "shop/money.py", "def to_cents(text):", "def cents_of(text):", RENAMED),
    _one("method renamed", "shop/cart.py", "def count_of(self, name):", "def amount_of(self, name):", RENAMED),
    _one("class renamed", "shop/stock.py", "class Stock:", "class Store:", RENAMED),
    _one(
        "import taken away",
        "shop/cart.py",
        "from shop.money import share, shown",
        "from shop.money import share",
        "fixer:missing_import",
    ),
    _one("colon lost", "shop/stock.py", "< count:\n", "< count\n", "fixer:syntax_slip"),
    _one(
        "attribute misspelt",
        "shop/cart.py",
        "share(full, self.discount)",
        "share(full, self.discuont)",
        "fixer:misspelt_name",
    ),
    _one("name misspelt", "shop/order.py", "    return cart\n", "    return catr\n", "fixer:misspelt_name"),
    _one("self forgotten", "shop/cart.py", "    def label(self):", "    def label():", "fixer:missing_self"),
    _one(
        "return forgotten",
        "shop/cart.py",
        "        return full - share",
        "        full - share",
        "fixer:missing_return",
    ),
    _one(
        "arguments swapped",
        "shop/order.py",
        "stock.take(name, cart.count_of(name))",
        "stock.take(cart.count_of(name), name)",
        "fixer:swapped_arguments",
    ),
    _one("constant changed", "shop/stock.py", "LOW = 3", "LOW = 2"),
    _one("rounding the other way", "shop/order.py", 'rounding="up"', 'rounding="down"'),
    _one("other currency", "shop/money.py", 'currency="EUR"', 'currency="USD"'),
    _one("comparison turned round", "shop/stock.py", "0) < count:", "0) <= count - 1 or count:"),
    _one("formula rewritten", "shop/cart.py", "price * count for price", "price + count for price"),
    _one("format changed", "shop/cart.py", "{self.owner}: {shown", "{self.owner} - {shown"),
    _one("rule added", "shop/order.py", "    return cart.total()", "    return cart.total() + 50"),
    Break(
        "two slips that hide each other",
        {
            "shop/money.py": [("int(whole) * 100", "int(whole) * 10")],
            "shop/order.py": [("to_cents(price), count)", "to_cents(price) + 1, count)")],
        },
        at=("shop/money.py", 'return int(whole) * 10 + int((part + "00")[:2])'),
    ),
)
