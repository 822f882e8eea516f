"""`heal check --run CMD` is hardly slower than CMD: the second call loads and starts only what the check needs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from healing.sandbox import remembered
from healing.sandbox.bubblewrap import bwrap_commands
from healing.sandbox.probe import Probe
from healing.sandbox.remembered import probe_of_person, works_as_before
from tests.cli.conftest import write
from tests.environment.conftest import SHOP, TEST, Shell

# What heals, reads logs and workflows, talks to others, or migrates a store.
HEAVY = (
    *(
        "healing.pipeline.pipeline",
        "healing.repair.agents.strategies",
        "healing.repair.tools",
        "healing.graph",
        "healing.verify.guard",
    ),
    *("healing.logs.reading", "healing.checks.workflow", "bot.repo_config", "bot.store.repo"),
    *("handlers.model", "jinja2", "tree_sitter", "alembic", "urllib3", "packaging.requirements"),
    *("anthropic", "openai", "mcp", "httpx", "githubkit", "starlette"),
)
OF_THE_STORE = {"bot.store.repo", "handlers.model"}
# Says at its end which of them were loaded, and how many programs Heal itself started.
TELLING = f"""
import atexit, json, sys
started = []
sys.addaudithook(lambda event, args: event in ("subprocess.Popen", "os.posix_spawn") and started.append(str(args[0])))
@atexit.register
def tell():
    print(json.dumps([[name for name in {HEAVY!r} if name in sys.modules], started]), file=sys.stderr)
sys.argv[0] = "heal"
from bot.__main__ import main
main()
"""


# ENV-9
def test_a_second_check_loads_nothing_that_heals_and_starts_the_command_and_git_alone(shell: Shell) -> None:
    clone = shell.clone("quick", {"shop.py": SHOP, "test_shop.py": TEST})
    argv = [sys.executable, "-c", TELLING, "check", "--quiet", "--fresh", "--run", "python -m unittest -q"]
    for _ in range(2):
        done = subprocess.run(
            argv, cwd=clone, env=shell.environment(clone), capture_output=True, text=True, check=True, timeout=120
        )
    loaded, started = json.loads(done.stderr.splitlines()[-1])
    assert loaded == []
    wanted = [one for one in started if not one.endswith("sleep")]  # that finds control groups
    assert [Path(one).name for one in wanted[:1]] == ["git"], started  # for its settings
    assert len(wanted) == 2, started  # and the sandbox with the command


# CLI-3
@pytest.mark.parametrize("words", [("list",), ("unfixable",), ("apply", "all"), ("rollback", "all"), ("reject", "abc")])
def test_a_command_that_only_shows_or_applies_fixes_loads_nothing_that_looks_for_them(
    shell: Shell, words: tuple[str, ...]
) -> None:
    clone = shell.clone("quick", {"shop.py": SHOP, "test_shop.py": TEST})
    shell.heal(clone, "list")  # makes the store
    argv = [sys.executable, "-c", TELLING, *words]
    done = subprocess.run(
        argv, cwd=clone, env=shell.environment(clone), capture_output=True, text=True, check=False, timeout=120
    )
    loaded, _started = json.loads(done.stderr.splitlines()[-1])
    assert sorted({*loaded} - OF_THE_STORE) == []


def as_before(probed: Probe) -> bool:
    return probed.sandbox is not None and probed.tried[-1].why == "as before"


# WT-5
async def test_a_probe_is_kept_until_something_changes_that_it_depends_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    assert not works_as_before(data)
    first = await probe_of_person(data)
    assert not as_before(first)
    second = await probe_of_person(data)
    assert as_before(second)
    assert second.sandbox == first.sandbox
    programs = tmp_path / "programs"
    programs.mkdir()
    packaged = Path(bwrap_commands()[-1])  # beside its library
    (programs / "bwrap").symlink_to(packaged)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    assert not works_as_before(data)
    assert not as_before(await probe_of_person(data))
    assert as_before(await probe_of_person(data))
    (programs / "bwrap").unlink()
    assert not works_as_before(data)


# WT-5
async def test_a_probe_of_another_boot_or_a_spoilt_file_counts_for_nothing(tmp_path: Path) -> None:
    await probe_of_person(tmp_path)
    file = tmp_path / remembered.FILE
    kept = json.loads(file.read_text())
    for spoilt in ({**kept, "key": "of another boot"}, [], {"key": kept["key"]}, {**kept, "readable": 3}):
        write(tmp_path, {remembered.FILE: json.dumps(spoilt)})
        assert not works_as_before(tmp_path), spoilt
    file.write_text("{")
    assert not works_as_before(tmp_path)
