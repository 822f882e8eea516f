from tally.sales import Sale, total


def test_total_of_all_pieces() -> None:
    assert total([Sale("tea", 2, 350), Sale("bun", 1, 120)]) == 820


def test_a_discount_in_percent() -> None:
    assert Sale("tea", 2, 350, discount=10).amount() == 630
