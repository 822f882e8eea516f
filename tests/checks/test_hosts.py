"""Which hosts have to stand under `network:` for a set-up step to work."""

import pytest

from healing.checks.check import Script
from healing.checks.hosts import DEFAULT, USUAL, hosts_of_entries, requested_hosts

PYTHON = ("pypi.org", "files.pythonhosted.org")
OWN = "packages.example.com"


# CK-8
@pytest.mark.parametrize(
    ("run", "env", "hosts"),
    [
        ("pip install -r requirements.txt", {}, PYTHON),
        ("uv sync --locked", {}, PYTHON),
        ("python -m pip install -e .", {}, PYTHON),
        ("npm ci", {}, ("registry.npmjs.org",)),
        ("cd web && yarn install\npip install x", {}, ("registry.npmjs.org", "registry.yarnpkg.com", *PYTHON)),
        ("go mod download", {}, ("proxy.golang.org", "sum.golang.org")),
        (f"pip install -i https://{OWN}/simple x", {}, (OWN,)),
        ("pip install x", {"PIP_INDEX_URL": f"https://{OWN}:8443/simple"}, (OWN,)),
        (f"pip install --extra-index-url https://u:p@{OWN}/simple x", {}, (*PYTHON, OWN)),
        ("pip install https://[bad/x.whl https://localhost/x", {}, PYTHON),
        ("make build", {}, ()),
    ],
)
def test_the_hosts_of_a_set_up_step_are_told_by_its_text(run: str, env: dict[str, str], hosts: tuple[str, ...]) -> None:
    assert requested_hosts([Script(name="", run=run, env=env)]) == hosts


# ENV-2
def test_default_stands_for_the_usual_indexes_and_the_operators_own() -> None:
    assert set(PYTHON) < set(USUAL)
    assert hosts_of_entries((DEFAULT,), [OWN]) == (*USUAL, OWN)
    assert hosts_of_entries((DEFAULT, "a.example")) == (*USUAL, "a.example")
    assert hosts_of_entries(("a.example",), [OWN]) == ("a.example",)
    assert hosts_of_entries(()) == ()
