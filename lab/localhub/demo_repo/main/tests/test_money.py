from tally.money import format_cents, parse_amount


def test_whole_and_fraction() -> None:
    assert parse_amount("12.34") == 1234


def test_one_decimal() -> None:
    assert parse_amount("7.5") == 750


def test_there_and_back() -> None:
    assert format_cents(parse_amount("3.07")) == "3.07"
