"""How long a targeted run of tests may take."""

from bot.repo_config import read_repo_config
from healing.checks.check import Check, Script
from healing.checks.narrow import narrow
from healing.checks.rules import TimeLimits
from healing.model import Category, CIError

ERROR = CIError(id="E1", tool="pytest", category=Category.TEST, message="1 != 2", test="test_a.py::test_x")


def narrowed(seconds: float | None = None, setup: tuple[Script, ...] = ()) -> float | None:
    check = Check(workflow="", job="", step=Script(name="", run="pytest -q"), setup=setup, seconds=seconds)
    found = narrow(check, [ERROR])
    assert found
    return found.seconds


# WT-6
def test_a_targeted_run_of_pytest_has_90_seconds_and_of_jest_60() -> None:
    assert narrowed() == 90
    assert TimeLimits().targeted("jest", None, setup=False) == 60
    assert TimeLimits().targeted("syntax", None, setup=False) == 10
    assert TimeLimits().targeted("ruff", None, setup=False) is None


# WT-6
def test_a_repository_says_otherwise() -> None:
    limits = TimeLimits(pytest=5, setup=7)
    assert limits.targeted("pytest", None, setup=True) == 12
    assert limits.targeted("jest", 30, setup=False) == 30


# WT-6
def test_set_up_steps_have_time_of_their_own_and_ci_s_limit_is_the_last_word() -> None:
    assert narrowed(setup=(Script(name="", run="pip install -e ."),)) == 1890
    assert narrowed(seconds=30) == 30


# WT-5, WT-6, CK-3
def test_heal_yml_says_how_checks_are_run() -> None:
    reported = b"network: [packages.example.com]\ntime_limits: {pytest: 30, step: 900}\ncheck_minutes: 5\n"
    rules = read_repo_config(reported).check_rules(of_fork=True)
    assert (rules.network, rules.minutes, rules.prebuilt_only) == (("packages.example.com",), 5, True)
    assert (rules.limits.pytest, rules.limits.step, rules.limits.jest) == (30, 900, 60)
    assert read_repo_config(None).check_rules().network == ("default",)
