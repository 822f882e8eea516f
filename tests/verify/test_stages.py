"""What a compiler's earlier pass hides is revealed by a fix, not broken by it."""

import pytest

from healing.checks.check import CheckResult
from healing.model import Category, CIError
from healing.verify.judging import hidden_by, judge


def error(tool: str, code: str = "", file: str = "a", category: Category = Category.COMPILE, test: str = "") -> CIError:
    ident = f"{tool}{code}{file}{test}"
    return CIError(
        id=ident, tool=tool, code=code or None, category=category, file=file, message=ident, test=test or None
    )


RESOLVE, TYPES = error("rustc", "E0425"), error("rustc", "E0308")
BORROW, LINT = error("rustc", "E0382"), error("clippy", "clippy::len_zero", category=Category.LINT)


# CK-3
@pytest.mark.parametrize(("first", "later"), [(RESOLVE, TYPES), (TYPES, BORROW), (BORROW, LINT), (TYPES, LINT)])
def test_rust_looks_at_names_then_types_then_borrows_then_lints(first: CIError, later: CIError) -> None:
    assert hidden_by(later, [first])
    assert not hidden_by(first, [later])
    assert not hidden_by(later, [later])


# CK-3
def test_a_go_package_that_does_not_build_hides_those_that_import_it_and_its_tests() -> None:
    broken = error("go", file="util/u.go")
    assert hidden_by(error("go", file="main.go"), [broken])
    assert not hidden_by(error("go", file="util/v.go"), [broken])
    assert hidden_by(error("go vet", file="util/u.go"), [broken])
    assert hidden_by(error("go-test", file="util/u_test.go", test="TestU"), [broken])


# CK-3
def test_a_lint_that_shows_when_the_crate_compiles_again_is_no_harm() -> None:
    before = {"k": CheckResult(check_key="k", tree="t", exit_code=101, errors=(TYPES,))}
    after = {"k": CheckResult(check_key="k", tree="u", exit_code=101, errors=(LINT,))}
    judged = judge(before, after, (TYPES,))
    assert (judged.fixed_errors((TYPES,)), judged.harmless, judged.revealed) == ([TYPES], True, (LINT,))
    again = {"k": after["k"].model_copy(update={"errors": (error("rustc", "E0599"),)})}
    assert not judge(before, again, (TYPES,)).harmless


def test_a_panic_hides_the_later_tests_of_its_go_package_and_no_other() -> None:
    panic = error("go-test", test="example.com/a.TestOne").model_copy(update={"message": "panic: sunk"})
    before = {"k": CheckResult(check_key="k", tree="t", exit_code=2, errors=(panic,))}
    later, other = error("go-test", test="example.com/a.TestTwo"), error("go-test", test="example.com/b.TestTwo")
    after = {"k": CheckResult(check_key="k", tree="u", exit_code=1, errors=(later, other))}
    judgement = judge(before, after, [panic])
    assert (judgement.revealed, judgement.new) == ((later,), (other,))
