"""Which errors the repository's tools are kept from, because their cure would hide a slip."""

from healing.model import Category, CIError
from healing.pipeline.free import fixable_by_tools

DOUBLE = CIError(
    id="E1", tool="eslint", category=Category.LINT, file="index.js", message="Redundant", code="no-extra-boolean-cast"
)
RED = CIError(id="E2", tool="jest", category=Category.TEST, file="test.js", message="expected true", test="it holds")
OTHER = CIError(id="E3", tool="eslint", category=Category.LINT, file="other.js", message="Missing", code="semi")


# AF-1
def test_a_double_negation_waits_while_tests_are_red_for_it_may_be_what_turned_them_red() -> None:
    assert fixable_by_tools((DOUBLE, RED, OTHER)) == (RED, OTHER)
    assert fixable_by_tools((DOUBLE, OTHER)) == (DOUBLE, OTHER)
