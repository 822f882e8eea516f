"""Settings are read once, strictly, and every problem is named in one text."""

import ast
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr, ValidationError

from bot.environment import OF_OTHERS, PREFIX, SETTINGS, known_settings, unknown_settings
from bot.secrets import hide_tokens, read_private_key
from bot.settings import Settings, default_data, read_settings
from bot.tracing import PLACES
from handlers.errors import UserError


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for field in Settings.model_fields.values():
        monkeypatch.delenv(str(field.alias), raising=False)


def test_without_anything_set_the_defaults_are_a_laptops() -> None:
    settings = read_settings()
    assert settings.data == default_data()
    assert settings.store_url == f"sqlite+aiosqlite:///{settings.data}/heal.db"
    assert settings.git_url == "https://github.com"
    assert (settings.quiet_seconds, settings.budget_dollars) == (20, 10)


@pytest.mark.skipif(os.geteuid() != 0, reason="root's own default")
def test_as_root_the_data_lie_where_the_sandboxs_user_can_reach_them() -> None:
    assert default_data() == Path("/var/lib/heal")


@pytest.mark.skipif(os.geteuid() == 0, reason="a person's own default")
def test_a_persons_data_lie_in_their_own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", "relative/does/not/count")
    assert default_data() == tmp_path / ".local" / "share" / "heal"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    assert default_data() == tmp_path / "xdg" / "heal"


NAMES = st.sampled_from([*Settings.model_fields, *(name.upper() for name in Settings.model_fields)])
VALUES = st.sampled_from(["unsafe", "1", "0.0.0.0", "https://elsewhere.example", "on", "sqlite:///elsewhere", "/tmp"])


# OP-12
@given(st.dictionaries(NAMES.filter(lambda name: name not in OF_OTHERS), VALUES))
def test_no_variable_without_the_prefix_changes_a_setting(environ: dict[str, str]) -> None:
    assert read_settings(environ=environ) == read_settings(environ={})


# OP-12
def test_the_machines_own_variables_change_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = read_settings()
    values = {"SANDBOX": "unsafe", "HOST": "0.0.0.0", "MODEL": "x", "SECRET_KEY": "x" * 40, "PORT": "1", "DATA": "/tmp"}
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    assert read_settings() == plain


# OP-12
def test_a_setting_is_read_from_its_own_name_and_only_from_that() -> None:
    for name, field in Settings.model_fields.items():
        alias = str(field.alias)
        assert alias == f"HEAL_{name.upper()}" or alias in SETTINGS
    assert set(SETTINGS) == {
        str(f.alias) for f in Settings.model_fields.values() if not str(f.alias).startswith(PREFIX)
    }
    assert read_settings(environ={"HEAL_SANDBOX": "unsafe"}).sandbox == "unsafe"


OUTSIDE = (
    "lab/localhub/",
    "healing/repair/search/sandboxed/",
    "healing/testruns/inside/",
    "healing/repair/fixers/suggested/language_server.py",
)
BY_A_VARIABLE = {"name", "key", "OWN", "named.provider.key", "f'{named.provider.name.upper()}_BASE_URL'"}


def names_read(code: str) -> set[str]:
    """What the code looks up in an environment, as expressions."""
    read: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("environ"):
            read.add(ast.unparse(node.slice))
        if isinstance(node, ast.Call) and re.search(r"environ\.get$|\bgetenv$", ast.unparse(node.func)):
            read.add(ast.unparse(node.args[0]))
    return read


# OP-12
def test_every_name_that_the_code_reads_is_a_setting_or_listed_as_anothers() -> None:
    """What runs inside a sandbox, and the local GitHub, have environments of their own."""
    root = Path(__file__).parents[2]
    files = (path for top in ("bot", "handlers", "healing", "lab") for path in (root / top).rglob("*.py"))
    ours = (path for path in files if not str(path.relative_to(root)).startswith(OUTSIDE))
    read = {name for path in ours for name in names_read(path.read_text())}
    literal = {name.strip("'") for name in read if name.startswith("'")}
    assert literal >= {"DYNO", "NO_PROXY", "HEAL_SANDBOX_UID"}
    assert literal - {*OF_OTHERS, *known_settings()} == set()
    assert {name for name in read if not name.startswith("'")} == BY_A_VARIABLE
    assert set(PLACES) <= set(OF_OTHERS)


# OP-12
def test_the_documents_list_exactly_the_names_of_others_that_heal_reads() -> None:
    page = (Path(__file__).parents[2] / "docs" / "operating.md").read_text()
    section = page.partition("## Names of other tools")[2].partition("\n## ")[0]
    rows = "\n".join(line for line in section.splitlines() if line.startswith("|"))
    assert set(re.findall(r"`([A-Z][A-Z_]+)`", rows)) == set(OF_OTHERS)
    assert set(known_settings()) <= set(re.findall(r"`([A-Z][A-Z_]+)`", page))


# OP-12
@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("HEAL_SANBOX", "HEAL_SANDBOX"), ("HEAL_BUDGET", "HEAL_BUDGET_DOLLARS"), ("heal_model", "HEAL_MODEL"),
        ("HEAL_WEBHOOK_SECERT", "HEAL_WEBHOOK_SECRET"), ("HEAL_XYZZY", ""),
    ],
)  # fmt: skip
def test_a_variable_that_is_no_setting_is_named_with_the_nearest_one(name: str, near: str) -> None:
    right = dict.fromkeys(known_settings(), "x")
    assert unknown_settings({**right, "HEALTH": "x", name: "x"}) == {name: near}


def test_a_named_data_folder_is_made_absolute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEAL_DATA", "here")
    assert read_settings().data == Path.cwd() / "here"
    monkeypatch.setenv("HEAL_DATA", "~/there")
    assert read_settings().data == Path.home() / "there"


def test_every_missing_and_every_bad_one_is_named_in_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEAL_PORT", "eighty")
    monkeypatch.setenv("HEAL_GITHUB_URL", "github.example.com")
    monkeypatch.setenv("HEAL_PRIVATE_KEY", "-----BEGIN RSA PRIVATE KEY-----\nhush\n-----END RSA PRIVATE KEY-----")
    with pytest.raises(UserError) as caught:
        read_settings(need_app=True)
    text = str(caught.value)
    for name in ("HEAL_PORT", "HEAL_GITHUB_URL", "HEAL_PRIVATE_KEY", "HEAL_APP_ID", "HEAL_WEBHOOK_SECRET"):
        assert text.count(f"- {name} ") == 1, text
    assert "hush" not in text


@pytest.mark.parametrize("form", ["as it is", "with escaped line ends", "as a path", "in quotes"])
def test_the_private_key_is_taken_in_every_form_that_people_paste(
    pem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    (tmp_path / "key.pem").write_text(pem)
    escaped = pem.replace("\n", "\\n")
    value = {
        "as it is": pem,
        "with escaped line ends": escaped,
        "as a path": str(tmp_path / "key.pem"),
        "in quotes": f'"{escaped}"',
    }
    monkeypatch.setenv("HEAL_PRIVATE_KEY", value[form])
    assert read_settings().private_key.get_secret_value() == pem


def test_a_key_that_is_none_is_refused_without_being_repeated() -> None:
    with pytest.raises(ValueError, match="neither a PEM key nor the path") as caught:
        read_private_key("s3cret/nowhere")
    assert "s3cret" not in str(caught.value)


def test_no_secret_shows_in_a_repr_and_nothing_can_be_changed(pem: str) -> None:
    settings = Settings(
        app_id="1",
        private_key=SecretStr(pem),
        webhook_secret=SecretStr("hush-hook"),
        anthropic_api_key=SecretStr("hush-key"),
    )
    assert "hush" not in repr(settings)
    assert "BEGIN" not in repr(settings)
    with pytest.raises(ValidationError):
        settings.port = 1


@pytest.mark.parametrize(
    "token",
    [
        "ghs_" + "a" * 36,
        "ghs_12345_eyJhbGciOi.eyJzdWIiOjF9." + "x" * 480,
        "ghp_abcdefghijklmnop",
        "github_pat_11AAAA_bbbb",
        "Bearer eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.sig",
    ],
)
def test_tokens_of_every_form_are_masked(token: str) -> None:
    assert hide_tokens(f"fatal: {token} was refused") == "fatal: *** was refused"


def test_githubs_own_clouds_have_git_beside_their_api() -> None:
    assert Settings(github_url="https://api.github.com/").git_url == "https://github.com"
    assert Settings(github_url="https://api.octocorp.ghe.com").git_url == "https://octocorp.ghe.com"
    assert Settings(github_url="http://127.0.0.1:8080").git_url == "http://127.0.0.1:8080"


def test_an_enterprise_servers_addresses_are_derived_from_its_api() -> None:
    settings = Settings(github_url="https://ghe.example.com/api/v3/", database_url="postgresql://u:p@db/heal")
    assert settings.git_url == "https://ghe.example.com"
    assert settings.store_url == "postgresql+psycopg://u:p@db/heal"


# OP-6
@pytest.mark.parametrize(
    ("host", "opened"),
    [("0.0.0.0", "http://127.0.0.1:5123"), ("::", "http://127.0.0.1:5123"), ("::1", "http://[::1]:5123")],
)
def test_the_address_that_is_printed_can_be_opened_also_where_heal_listens_everywhere(host: str, opened: str) -> None:
    assert read_settings(environ={"HEAL_HOST": host, "HEAL_PORT": "5123"}).site_url == opened
    named = {"HEAL_HOST": host, "HEAL_PUBLIC_URL": "https://heal.example"}
    assert read_settings(environ=named).site_url == "https://heal.example"


# OP-6
def test_a_worker_without_an_app_is_told_how_to_make_one_and_one_with_half_an_app_what_is_missing() -> None:
    with pytest.raises(UserError, match="`heal serve` prints the address of a page that makes one"):
        read_settings(need_app=True, environ={})
    with pytest.raises(UserError) as half:
        read_settings(need_app=True, environ={"HEAL_APP_ID": "1"})
    assert "HEAL_PRIVATE_KEY is missing" in str(half.value)
    assert "heal serve" not in str(half.value)
