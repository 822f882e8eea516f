from tally.report import by_product, report
from tally.sales import Sale

SALES = [Sale("tea", 2, 350), Sale("bun", 1, 120), Sale("tea", 1, 350)]


def test_by_product() -> None:
    assert by_product(SALES) == {"tea": 1050, "bun": 120}


def test_report_has_the_best_first() -> None:
    assert report(SALES) == "tea: 10.50\nbun: 1.20"
