"""The operator's logins for package indexes: read at start, used for the repository's own code alone."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.runs.engine import Engine
from bot.settings import Settings, read_settings
from handlers.errors import UserError
from healing.checks.hosts import USUAL
from healing.checks.rules import CheckRules
from healing.sandbox.bubblewrap import Bubblewrap
from healing.sandbox.none import Unsafe

HOST = "packages.example.com"
WALLED = Bubblewrap("bwrap", None)
LINE = f"https://heal:s3cret-canary@{HOST}/pypi/"


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that the sandbox's user can pass through."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)


# WT-5
def test_a_login_is_used_for_the_repository_s_own_code_and_not_for_a_fork(place: Path) -> None:
    file = place / "logins"
    file.write_text(f"# ours\n{LINE}\n")
    for reported in (LINE, str(file)):
        settings = Settings.model_validate({"HEAL_DATA": str(place / "data"), "HEAL_INDEX_LOGINS": reported})
        assert "s3cret" not in repr(settings)
        engine = Engine(settings)
        ours = engine.network(CheckRules((HOST,)), WALLED)
        theirs = engine.network(CheckRules((HOST,), prebuilt_only=True), WALLED)
        assert ours
        assert theirs
        assert [(one.host, one.path) for one in ours.logins] == [(HOST, "/pypi/")]
        assert theirs.logins == ()
        assert engine.network(CheckRules(network=()), WALLED) is None
        engine.worktrees.close()


# ENV-2
def test_without_a_word_set_up_reaches_the_usual_indexes_and_those_of_the_operators_environment(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", f"https://heal:s3cret-canary@{HOST}/pypi/simple")
    engine = Engine(Settings.model_validate({"HEAL_DATA": str(place / "data")}))
    ours, theirs = (engine.network(CheckRules(prebuilt_only=fork), WALLED) for fork in (False, True))
    assert ours
    assert theirs
    assert {*USUAL, HOST} <= set(ours.allowed)
    assert [(one.host, one.path) for one in ours.logins] == [(HOST, "/pypi/")]
    assert ours.company.variables["PIP_INDEX_URL"] == f"https://{HOST}/pypi/simple"
    assert set(USUAL) <= set(theirs.allowed)
    assert HOST not in theirs.allowed
    assert (theirs.logins, theirs.company.variables.get("PIP_INDEX_URL")) == ((), None)
    assert "s3cret" not in repr(ours) + repr(theirs)
    named = engine.network(CheckRules(network=("pypi.org",)), WALLED)
    assert named
    assert named.allowed == ("pypi.org",)
    engine.worktrees.close()


# ENV-2
def test_where_the_sandbox_has_no_network_to_give_set_up_is_run_without_one(place: Path) -> None:
    engine = Engine(Settings.model_validate({"HEAL_DATA": str(place / "data")}))
    assert engine.network(CheckRules(), Unsafe(None)) is None
    assert engine.network(CheckRules(network=(HOST,)), Unsafe(None))  # refused then, with the reason
    engine.worktrees.close()


@pytest.mark.parametrize("reported", ["https://packages.example.com/s3cret-canary", "/nowhere/s3cret", "s3cret-canary"])
def test_what_is_no_login_ends_the_start_with_words_that_do_not_tell_it(
    reported: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEAL_DATA", str(tmp_path))
    monkeypatch.setenv("HEAL_INDEX_LOGINS", reported)
    with pytest.raises(UserError, match="HEAL_INDEX_LOGINS") as refused:
        read_settings()
    assert "s3cret" not in str(refused.value)
