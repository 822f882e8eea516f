"""What a change broke is told apart from what it only brought to light."""

from healing.checks.check import CheckResult
from healing.model import Category, CIError
from healing.verify.judging import judge, unread_errors


def uncollected(module: str, category: Category = Category.IMPORT) -> CIError:
    return CIError(id=f"E{module}", tool="pytest", category=category, file=module, message="cannot import", test=module)


def red(*errors: CIError, output: str = "1 error in 0.1s\n") -> dict[str, CheckResult]:
    return {"k": CheckResult(check_key="k", tree="t", exit_code=2, errors=errors, output=output)}


# CK-3
def test_a_file_that_can_no_longer_be_collected_is_broken_not_revealed() -> None:
    before, after = red(uncollected("test_a.py")), red(uncollected("test_b.py"))
    assert [e.file for e in judge(before, after, ()).new] == ["test_b.py"]


# CK-3
def test_what_a_broken_conftest_or_an_early_stop_kept_from_being_seen_is_only_revealed() -> None:
    after = red(uncollected("test_b.py"))
    for before in (
        red(uncollected("tests/conftest.py")),
        red(uncollected("test_a.py"), output="!!! stopping after 1 failures !!!\n1 error in 0.1s\n"),
    ):
        judged = judge(before, after, ())
        assert judged.harmless
        assert [e.file for e in judged.revealed] == ["test_b.py"]


# CK-3
def test_a_test_that_fails_once_its_module_can_be_imported_is_only_revealed() -> None:
    failing = CIError(id="E1", tool="pytest", category=Category.TEST, message="1 != 2", test="test_a.py::test_x")
    assert judge(red(uncollected("test_a.py")), red(failing), ()).harmless


# CK-3
def test_whatever_kept_a_module_from_being_imported_hid_its_tests() -> None:
    failing = CIError(id="E1", tool="pytest", category=Category.TEST, message="1 != 2", test="test_a.py::test_x")
    undefined = uncollected("test_a.py", Category.RUNTIME)  # a NameError in a class's bases
    assert judge(red(undefined), red(failing), ()).harmless
    ran = red(undefined, output="3 passed, 1 error in 0.1s\n")
    assert not judge(ran, red(failing, output="3 passed, 1 failed in 0.1s\n"), ()).harmless


# CK-3
def test_a_test_that_fails_beside_others_hides_nothing() -> None:
    failing = CIError(id="E1", tool="pytest", category=Category.TEST, message="1 != 2", test="test_a.py::test_x")
    other = failing.model_copy(update={"id": "E2", "test": "test_a.py::test_y"})
    assert not judge(red(failing, output="1 failed in 0.1s\n"), red(other, output="1 failed in 0.1s\n"), ()).harmless


# AG-12
def test_what_is_still_there_is_told_in_the_words_that_it_has_after_the_change() -> None:
    failing = CIError(id="E1", tool="pytest", category=Category.TEST, message="1 != 2", test="test_a.py::test_x")
    now = failing.model_copy(update={"id": "E9", "message": "3 != 2", "line": 7})
    judged = judge(red(failing), red(now), (failing,))
    assert [(error.id, error.message) for error in judged.missing] == [("E1", "3 != 2")]
    assert judged.text() == "still there: test_a.py::test_x: 3 != 2"
    assert not judged.fixed_errors((failing,))


# JD-3
def test_a_red_check_that_printed_more_than_is_read_settles_nothing_that_it_showed() -> None:
    gone, other = uncollected("test_a.py"), uncollected("test_b.py")

    def cut(results: dict[str, CheckResult]) -> dict[str, CheckResult]:
        return {key: result.model_copy(update={"truncated": True}) for key, result in results.items()}

    before, after = red(gone, other), red(other)
    assert judge(before, after, (gone,)).harmless
    assert not judge(before, cut(after), (gone,)).harmless
    assert not judge(before, cut(after), ()).harmless
    assert not judge(cut(before), cut(after), (gone,)).harmless
    assert judge(cut(before), cut(after), ()).harmless, "it was as long before: nothing says that the change did that"
    green = {"k": CheckResult(check_key="k", tree="t", exit_code=0, truncated=True)}
    assert judge(before, green, (gone,)).harmless, "an exit code of 0 needs no output"
    assert unread_errors(cut(after), {"k": frozenset({"E1"})}) == {"E1"}
    assert unread_errors(after, {"k": frozenset({"E1"})}) == frozenset()
    assert (after["k"].usable, cut(after)["k"].usable, green["k"].usable) == (True, False, True)
