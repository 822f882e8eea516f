from tally.csv_out import to_csv
from tally.sales import Sale


def test_header_and_rows() -> None:
    assert to_csv([Sale("tea", 2, 350)]) == "product,pieces,price\ntea,2,350"
