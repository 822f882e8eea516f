"""A narrowed check is asked for all that its tool knows of a failure."""

import pytest

from healing.checks.check import command_check
from healing.checks.in_full import in_full
from healing.model import Category, CIError
from healing.pipeline.agent_work.full_runs import lacks_details


# AG-12
@pytest.mark.parametrize(
    ("run", "full"),
    [
        (
            "uv run pytest -q --tb=no t.py",
            "uv run pytest -q --tb=no t.py --maxfail=0 --verbosity=1 --tb=long --showlocals",
        ),
        (
            "npx jest --silent -t '^adds$'",
            "npx jest --silent -t '^adds$' --silent=false --verbose --noStackTrace=false --reporters=default",
        ),
        ("vitest run --silent --reporter=dot -t adds", "vitest run -t adds --silent=false --reporter=verbose"),
        ("cargo test -q -- --exact adds", "cargo test -q -- --exact adds"),
        ("go test -run '^TestAdds$' ./shop", None),
        ("ruff check .", None),
    ],
)
def test_each_runner_is_asked_for_the_whole_traceback_in_its_own_words(run: str, full: str | None) -> None:
    asked = in_full(command_check(run))
    assert (asked.step.run if asked else None) == full
    assert asked is None or asked.step.env == ({"RUST_BACKTRACE": "1"} if run.startswith("cargo") else {})


# AG-12
def test_a_failure_without_a_place_or_with_an_offer_of_a_backtrace_is_thin() -> None:
    words = "one\ntwo\nthree\nfour"
    whole = CIError(id="E1", tool="jest", category=Category.TEST, message="m", test="t", line=3, excerpt=words)
    assert not lacks_details(whole)
    assert lacks_details(whole.model_copy(update={"line": None}))
    note = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"
    assert lacks_details(whole.model_copy(update={"excerpt": f"{words}\n{note}"}))
    assert not lacks_details(whole.model_copy(update={"line": None, "test": None})), "no test, nothing to run"
