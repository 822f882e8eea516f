"""`heal doctor`: what is missing is named, with what mends it; GitHub is asked only where an App is named."""

import asyncio
import json
import re
from pathlib import Path

import pytest

from lab.localhub import apps, repos
from lab.localhub.hub import Hub
from lab.localhub.server import serve
from tests.cli.conftest import Heal, make_clone


def doctor_rows(heal: Heal, room: Path, **env: str) -> tuple[int, dict[str, dict[str, object]]]:
    result = heal("doctor", "--json", cwd=room, **env)
    found = [json.loads(line) for line in result.out.splitlines()]
    assert found, result.err
    return result.code, {one["name"]: one for one in found}


# UX-3
def test_without_an_app_it_says_what_one_is_for_and_that_no_database_is_made(heal: Heal, room: Path) -> None:
    _, found = doctor_rows(heal, room, HEAL_DATA=str(room / "fresh"))
    assert "only needed for heal serve" in str(found["GitHub App"]["detail"])
    assert str(found["database"]["detail"]).endswith("heal.db (will be made)")
    assert (found["database"]["ok"], found["database"]["here"]) == (True, False)


# UX-3
def test_ok_is_said_only_of_what_is_there(heal: Heal, room: Path) -> None:
    result = heal("doctor", cwd=room, HEAL_DATA=str(room / "fresh"), ANTHROPIC_API_KEY="")
    lines = result.out.splitlines()
    assert "--  GitHub App: none: only needed for heal serve, which makes one" in lines
    key = next(number for number, line in enumerate(lines) if "model key: not set" in line)
    assert lines[key].startswith("--  ")
    assert lines[key + 1] == "      if you need it: export ANTHROPIC_API_KEY=…"
    assert not [line for line in lines if line.startswith("ok") and re.search("does not work|: not |will be", line)]


# UX-3
@pytest.mark.parametrize(
    ("env", "name", "mend"),
    [
        ({"HEAL_APP_ID": "1"}, "GitHub App", "set HEAL_PRIVATE_KEY, HEAL_WEBHOOK_SECRET too; or unset HEAL_APP_ID"),
        ({"DATABASE_URL": "postgresql://heal@127.0.0.1:9/heal"}, "database", "does PostgreSQL run?"),
        ({"HEAL_MODEL": "no-such-model", "ANTHROPIC_API_KEY": "k"}, "model key", "HEAL_PRICES"),
    ],
)
def test_what_is_missing_is_named_with_what_fixes_it(
    heal: Heal, room: Path, env: dict[str, str], name: str, mend: str
) -> None:
    result = heal("doctor", "--json", cwd=room, **env)
    found = {one["name"]: one for one in map(json.loads, result.out.splitlines())}
    assert (result.code, found[name]["ok"]) == (2, False)
    assert mend in str(found[name]["fix"])


# OP-11
@pytest.mark.parametrize(
    ("secret", "told_of_it"),
    [({}, "unsigned (HEAL_CHAT_SECRET)"), ({"HEAL_CHAT_SECRET": "between us"}, "go to HEAL_CHAT_URL, signed")],
)
def test_a_chat_is_named_without_its_address(heal: Heal, room: Path, secret: dict[str, str], told_of_it: str) -> None:
    _, without = doctor_rows(heal, room)
    assert (without["chat"]["ok"], without["chat"]["here"]) == (True, False)
    result = heal("doctor", cwd=room, HEAL_CHAT_URL="https://hooks.example.com/T0/s3cr3t", **secret)
    assert told_of_it in result.out
    assert not [word for word in ("hooks.example.com", "s3cr3t", "between us") if word in result.out + result.err]


# OP-12
def test_an_unsafe_sandbox_and_a_misspelt_setting_are_named(heal: Heal, room: Path) -> None:
    code, found = doctor_rows(heal, room, HEAL_SANDBOX="unsafe", HEAL_SANBOX="bubblewrap")
    assert code == 2
    assert "there is no sandbox" in str(found["sandbox"]["detail"])
    assert "unset HEAL_SANDBOX" in str(found["sandbox"]["fix"])
    assert "did you mean HEAL_SANDBOX?" in str(found["setting HEAL_SANBOX"]["detail"])


# OP-12
def test_other_variables_of_the_machine_change_nothing(heal: Heal, room: Path) -> None:
    others = {"SANDBOX": "unsafe", "MODEL": "no-such-model", "HOST": "0.0.0.0", "DATA": "/nowhere", "APP_ID": "1"}
    lower = {name.lower(): value for name, value in others.items()}
    plain, beside, small = (doctor_rows(heal, room, **more)[1] for more in ({}, others, lower))
    for found in (plain, beside, small):  # how much is free changes with whatever else writes to the disk
        found["disk"]["detail"] = re.sub(r"^\d+ MiB free in ", "", str(found["disk"]["detail"]))
    assert plain == beside == small


# OP-1
async def test_what_an_installation_does_not_grant_is_named_with_its_use(
    heal: Heal, room: Path, tmp_path: Path
) -> None:
    hub = Hub(tmp_path / "hub")
    repo = repos.create_repo(hub, "corner-shop", "tally", {"a.txt": "a\n"})
    app = apps.register(hub, "heal", "corner-shop")
    apps.install(hub, app, "corner-shop", [repo])
    async with serve(hub) as github:
        env = {
            "HEAL_APP_ID": str(app.id),
            "HEAL_PRIVATE_KEY": app.private_key,
            "HEAL_WEBHOOK_SECRET": "s",
            "HEAL_GITHUB_URL": github.api,
        }
        _, found = await asyncio.to_thread(doctor_rows, heal, room, **env)
        assert "installed 1 times" in str(found["GitHub App"]["detail"])
        assert found["installation corner-shop"]["ok"], found["installation corner-shop"]
        for installation in hub.installations.values():
            installation.permissions.pop("checks", None)
        code, found = await asyncio.to_thread(doctor_rows, heal, room, **env)
        assert (code, found["installation corner-shop"]["ok"]) == (2, False)
        assert "checks: write is wanted, nothing is granted" in str(found["installation corner-shop"]["detail"])
        code, found = await asyncio.to_thread(doctor_rows, heal, room, **{**env, "HEAL_APP_ID": "424242"})
        assert (code, found["GitHub App"]["ok"]) == (2, False)
        assert "HEAL_APP_ID" in str(found["GitHub App"]["fix"])


# ENV-7 UX-3
def test_in_a_clone_it_names_the_tools_of_its_own_checks_and_the_line_that_installs_what_is_missing(
    heal: Heal, room: Path
) -> None:
    files = {"a.py": "x = 1\n", "pyproject.toml": "", "Makefile": "look:\n\ttrue\n"}
    config = {".github/heal.yml": "checks: [make look, flake8 .]\n"}
    clone = make_clone(room / "tools", {**files, **config}, {})
    code, found = doctor_rows(heal, clone, PATH="/usr/bin:/bin")
    assert code == 2
    assert "used by the check “make look”" in str(found["make"]["detail"])
    missing = found["flake8"]
    assert missing["ok"] is False
    assert str(missing["fix"]).endswith("pip install flake8")  # tests/environment/test_pip_lines.py types such lines
    stdlib = list(Path("/usr/lib").glob("python3.*/EXTERNALLY-MANAGED"))
    assert not stdlib or "python3 -m venv .venv && .venv/bin/pip" in str(missing["fix"]), "pip refuses it there"
    assert "the check “flake8 .” uses it" in str(missing["detail"])
    assert "hatch" not in found, "what no check uses is not asked for"
    assert "your shell's own variables" in str(found["not for checks"]["detail"])
