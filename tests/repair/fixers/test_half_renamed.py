"""Locals and parameters of Python that a change renamed in one part of their function only."""

import pytest

from tests.repair.fixers.repos import Broken

HALF = "fixer:half_renamed_local"
LIB = "def total(items):\n    result = 0\n    for item in items:\n        result += item\n    return result\n"
UNBOUND = "UnboundLocalError: cannot access local variable '{}' where it is not associated with a value"
OLDER = "UnboundLocalError: local variable '{}' referenced before assignment"


# AF-3
@pytest.mark.parametrize("message", [UNBOUND, OLDER])
@pytest.mark.parametrize(
    ("wrong", "name", "line"),
    [
        (LIB.replace("result +=", "resutl +="), "resutl", 4),
        (LIB.replace("result = 0", "resutl = 0"), "result", 4),
    ],
)
def test_a_slip_in_one_place_of_a_local_gets_the_word_of_the_others(
    message: str, wrong: str, name: str, line: int
) -> None:
    broken = Broken({"lib.py": wrong}, {"lib.py": LIB}).said(message.format(name), ("lib.py", line))
    assert broken.top() == (HALF, {"lib.py": LIB})


# AF-3
def test_a_renaming_that_left_a_place_behind_is_finished() -> None:
    moved = LIB.replace("items", "numbers")
    broken = Broken({"lib.py": moved.replace("in numbers", "in items")}, {"lib.py": LIB})
    broken.said("NameError: name 'items' is not defined", ("lib.py", 3))
    assert broken.top() == (HALF, {"lib.py": moved})


def test_a_word_of_another_function_stays() -> None:
    other = LIB.replace("total", "other")
    wrong, right = LIB.replace("result +=", "resutl +="), LIB
    broken = Broken({"lib.py": other + wrong}, {"lib.py": other + right}).said(UNBOUND.format("resutl"), ("lib.py", 9))
    assert broken.top() == (HALF, {"lib.py": other + right})


def test_a_variable_that_is_set_on_one_way_only_is_no_renaming() -> None:
    text = "def pick(flag):\n    values = []\n    if flag:\n        value = 1\n    return value\n"
    before = text.replace("    if flag:\n        value = 1\n", "    value = 1\n")
    broken = Broken({"lib.py": text}, {"lib.py": before}).said(UNBOUND.format("value"), ("lib.py", 5))
    assert not broken.candidates()
