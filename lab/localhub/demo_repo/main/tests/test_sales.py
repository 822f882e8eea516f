from tally.sales import Sale, total


def test_total_of_all_pieces() -> None:
    assert total([Sale("tea", 2, 350), Sale("bun", 1, 120)]) == 820
