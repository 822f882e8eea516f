"""Which errors the repository's tools are kept from, because their cure would hide a slip."""

from healing.model import Category, CIError
from healing.pipeline.tool_errors import fixable_by_tools
from healing.view import DictView

DOUBLE = CIError(
    id="E1", tool="eslint", category=Category.LINT, file="index.js", message="Redundant", code="no-extra-boolean-cast"
)
RED = CIError(id="E2", tool="jest", category=Category.TEST, file="test.js", message="expected true", test="it holds")
OTHER = CIError(id="E3", tool="eslint", category=Category.LINT, file="other.js", message="Missing", code="semi")


# AF-1
def test_a_double_negation_waits_while_tests_are_red_for_it_may_be_what_turned_them_red() -> None:
    assert fixable_by_tools((DOUBLE, RED, OTHER), DictView({})) == (RED, OTHER)
    assert fixable_by_tools((DOUBLE, OTHER), DictView({})) == (DOUBLE, OTHER)


def python_error(id_: str, message: str, code: str = "", tool: str = "ruff", file: str = "shop/use.py") -> CIError:
    return CIError(id=id_, tool=tool, category=Category.LINT, file=file, message=message, code=code)


UNSORTED = python_error("E4", "Import block is un-sorted or un-formatted", "I001")


# AF-1
def test_imports_are_not_sorted_while_a_module_of_the_repository_is_lost() -> None:
    view = DictView({"shop/_process.py": b"", "shop/use.py": b"from shop._utils import x\nimport requests\n"})
    lost = python_error("E5", "No module named 'shop._utils'", tool="pytest")
    foreign = python_error("E6", "No module named 'requests'", tool="pytest")
    assert fixable_by_tools((UNSORTED, lost), view) == (lost,)
    assert fixable_by_tools((UNSORTED, foreign), view) == (UNSORTED, foreign)
    elsewhere = UNSORTED.model_copy(update={"file": "other.py"})
    assert fixable_by_tools((elsewhere, lost), view) == (elsewhere, lost)


# AF-1
def test_an_unused_name_stays_while_its_file_has_a_misspelling_of_it() -> None:
    unused = python_error("E7", "Local variable `amount` is assigned to but never used", "F841")
    misspelt = python_error("E8", "Undefined name `amuont`", "F821")
    other = python_error("E9", "Undefined name `prices`", "F821")
    assert fixable_by_tools((unused, misspelt), DictView({})) == (misspelt,)
    assert fixable_by_tools((unused, other), DictView({})) == (unused, other)
