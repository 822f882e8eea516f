"""A pull request whose fix lies outside of its diff: it renames a function that another module still calls."""

from tests.conversation.small_repo import GREEN, SHOP, TEST

REPORT = """\
from shop import total


def report(prices):
    return f"Total: {total(prices)}"
"""
TEST_REPORT = """\
from report import report


def test_report():
    assert report([1, 2]) == "Total: 3"
"""
WITH_REPORT = {**GREEN, "report.py": REPORT, "test_report.py": TEST_REPORT}
RENAMED = {
    "shop.py": SHOP.replace("total", "total_price"),
    "test_shop.py": TEST.replace("import total", "import total_price").replace("assert total(", "assert total_price("),
}
