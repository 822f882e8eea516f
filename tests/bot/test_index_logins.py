"""The operator's logins for package indexes: read at start, used for the repository's own code alone."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.runs.engine import Engine
from bot.settings import Settings, read_settings
from handlers.errors import UserError
from healing.checks.rules import CheckRules

HOST = "packages.example.com"
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
    for told in (LINE, str(file)):
        settings = Settings.model_validate({"HEAL_DATA": str(place / "data"), "HEAL_INDEX_LOGINS": told})
        assert "s3cret" not in repr(settings)
        engine = Engine(settings)
        ours = engine.network(CheckRules((HOST,)))
        theirs = engine.network(CheckRules((HOST,), prebuilt_only=True))
        assert ours
        assert theirs
        assert [(one.host, one.path) for one in ours.logins] == [(HOST, "/pypi/")]
        assert theirs.logins == ()
        assert engine.network(CheckRules()) is None
        engine.worktrees.close()


@pytest.mark.parametrize("told", ["https://packages.example.com/s3cret-canary", "/nowhere/s3cret", "s3cret-canary"])
def test_what_is_no_login_ends_the_start_with_words_that_do_not_tell_it(
    told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEAL_DATA", str(tmp_path))
    monkeypatch.setenv("HEAL_INDEX_LOGINS", told)
    with pytest.raises(UserError, match="HEAL_INDEX_LOGINS") as refused:
        read_settings()
    assert "s3cret" not in str(refused.value)
