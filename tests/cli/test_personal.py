"""A person's own settings: `~/.config/heal/config.toml`, for what is typed and not for services."""

import json
import os
from pathlib import Path

import pytest

from bot.cli.personal import personal_settings
from handlers.errors import UserError
from tests.cli.conftest import Heal, make_clone
from tests.cli.shop import BROKEN, GREEN


def written(folder: Path, text: str, mode: int = 0o600) -> dict[str, str]:
    """The environment of a person with that file."""
    file = folder / "heal/config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    return {"XDG_CONFIG_HOME": str(folder)}


# CLI-1
def test_the_environment_goes_before_the_file(tmp_path: Path) -> None:
    person = written(tmp_path, 'HEAL_MODEL = "claude-haiku-5-5"\nHEAL_BUDGET_DOLLARS = 2.5\nGROQ_API_KEY = "k"\n')
    assert personal_settings(person | {"HEAL_BUDGET_DOLLARS": "9"}) == {
        "HEAL_MODEL": "claude-haiku-5-5",
        "GROQ_API_KEY": "k",
    }
    assert personal_settings({"HOME": str(tmp_path)}) == {}
    assert personal_settings({}) == {}


# CLI-1, UX-3
@pytest.mark.parametrize(
    ("text", "mode", "why"),
    [
        ('HEAL_MODLE = "x"\n', 0o600, "did you mean HEAL_MODEL?"),
        ('PATH = "/tmp"\n', 0o600, "PATH is set, but Heal has no such setting"),
        ("HEAL_MODEL = [1]\n", 0o600, "must be a text, a number or true and false"),
        ("HEAL_MODEL\n", 0o600, "is not readable as TOML"),
        ('ANTHROPIC_API_KEY = "k"\n', 0o644, "holds a key and may be read by others: close it with `chmod 600 "),
        ('HEAL_MODEL = "x"\n', 0o666, "may be changed by others: close it with `chmod 600 "),
    ],
)
def test_a_file_that_can_not_be_used_is_a_clear_error(tmp_path: Path, text: str, mode: int, why: str) -> None:
    with pytest.raises(UserError) as output:
        personal_settings(written(tmp_path, text, mode))
    assert why in str(output.value)


# CLI-1, WT-5
def test_a_file_of_somebody_else_counts_for_nothing(tmp_path: Path) -> None:
    person = written(tmp_path, 'HEAL_MODEL = "x"\n')
    assert personal_settings(person)
    with pytest.raises(UserError, match="belongs to somebody else"):
        personal_settings(person, user=os.getuid() + 1)


# CLI-1
def test_commands_obey_the_file_and_a_run_may_name_another_model(heal: Heal, room: Path, tmp_path: Path) -> None:
    clone = make_clone(room / "personal", GREEN, BROKEN)
    person = written(tmp_path, 'HEAL_MODEL = "openai/gpt-6-sol"\n')
    planned = heal("plan", "--json", cwd=clone, **person)
    assert json.loads(planned.out)["model"] == "openai/gpt-6-sol", planned.err
    wrong = heal("run", "--model", "claude-9", cwd=clone, **person, ANTHROPIC_API_KEY="sk-none")
    assert (wrong.code, "no price for the model 'claude-9'" in wrong.err) == (2, True), wrong.err


# CLI-1
def test_agents_are_listed_by_what_they_can_do_with_the_clones_own(heal: Heal, room: Path) -> None:
    own = (
        'purpose = "Knows our ledger."\ncategories = ["test"]\ntools = ["read_file"]\ninstructions = "Be exact."\n'
        '[effort]\nfast = "low"\nslow = "low"\n'
    )
    folder = ".github/heal/specialists"
    clone = make_clone(room / "agents", {**GREEN, f"{folder}/ledger.toml": own, f"{folder}/bad.toml": "x = 1\n"}, {})
    result = heal("agents", cwd=clone)
    assert result.code == 0, result.err
    assert "ledger (of this repository): Knows our ledger.\n  errors:   test\n" in result.out
    assert "security: Removes security findings" in result.out
    assert f"{folder}/bad.toml is not used: " in result.err
    rows = [json.loads(line) for line in heal("agents", "--json", cwd=clone).out.splitlines()]
    assert [row["name"] for row in rows if row["own"]] == ["ledger"]
    assert rows[-1]["name"] == "generalist"
