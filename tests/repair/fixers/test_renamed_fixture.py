"""Tests follow a fixture of pytest that the pull request renamed."""

import pytest

from healing.model import Category
from tests.repair.fixers.repos import Broken

WAS = "import pytest\n\n\n@pytest.fixture\ndef city():\n    return [1]\n"
TEST = "def test_a(city):\n    assert city\n\n\nclass TestB:\n    def test_b(self, other, city):\n        assert city\n"
BY_NAME = "def test_c(request):\n    assert request.getfixturevalue('city') == [1]\n"


def followed(now: str, test: str = TEST) -> list[dict[str, str]]:
    files = {"tests/conftest.py": now, "tests/test_a.py": test}
    broken = Broken(files, {"tests/conftest.py": WAS, "tests/test_a.py": test})
    broken.said("fixture 'city' not found", ("tests/test_a.py", 1), category=Category.TEST)
    return [broken.after(one) for one in broken.candidates() if one.source == "fixer:renamed_fixture"]


# AF-3
def test_every_test_that_asks_for_it_follows() -> None:
    assert followed(WAS.replace("city", "table")) == [{"tests/test_a.py": TEST.replace("city", "table")}]


def test_a_name_in_a_string_follows_first_and_stays_in_a_second_try() -> None:
    found = followed(WAS.replace("city", "table"), TEST + BY_NAME)
    both, params = (TEST + BY_NAME).replace("city", "table"), TEST.replace("city", "table") + BY_NAME
    assert found == [{"tests/test_a.py": both}, {"tests/test_a.py": params}]


@pytest.mark.parametrize(
    "now",
    [
        WAS,
        WAS.replace("city", "table").replace("[1]", "[2]"),
        WAS.replace("def city", "def table") + WAS.partition("\n\n\n")[2].replace("city", "map"),
        WAS.replace("@pytest.fixture\ndef city", "def table"),
    ],
)
def test_only_one_new_fixture_that_does_the_same_is_taken_for_it(now: str) -> None:
    assert followed(now) == []
