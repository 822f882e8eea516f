"""What is stored: nothing of it can run when it is read, and secrets in it are sealed (OP-9)."""

import ast
from pathlib import Path

from bot.keys.sealing import sealer
from bot.settings import Settings
from bot.store.database import Database
from bot.store.registered_app import load_app, save_app
from bot.store.sessions import SessionRows

ROOT = Path(__file__).parents[2]
RUNS_WHEN_READ = {"pickle", "cPickle", "dill", "cloudpickle", "shelve", "marshal", "jsonpickle", "joblib"}
# The program behind Landlock's walls gets its orders, and itself, through a pipe from Heal: nothing is stored.
THROUGH_A_PIPE = {"healing/sandbox/confine.py", "healing/sandbox/landlock.py"}
CANARY = "canary4thieves"


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


def test_nothing_unpickles() -> None:
    files = [path for storey in ("bot", "handlers", "healing", "lab") for path in (ROOT / storey).rglob("*.py")]
    assert len(files) > 300
    guilty = {str(path.relative_to(ROOT)) for path in files if _imports(path) & RUNS_WHEN_READ}
    assert guilty == THROUGH_A_PIPE


# OP-9
async def test_a_copy_of_the_database_holds_no_secret_that_was_sealed(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    database = await Database.open(settings.store_url)
    await save_app(database, sealer(settings, "app").seal(f"key {CANARY}"), 1.0)
    await SessionRows(database).open(f"cookie-{CANARY}", sealer(settings, "sessions").seal(CANARY), 9e9, 1.0)
    stored, found = await load_app(database), await SessionRows(database).find(f"cookie-{CANARY}", 2.0)
    assert stored is not None
    assert sealer(settings, "app").open(stored) == f"key {CANARY}"
    assert found is not None
    assert sealer(settings, "sessions").open(found) == CANARY
    await database.close()
    copies = [path for path in tmp_path.rglob("heal.db*") if path.is_file()]
    assert copies
    assert not any(CANARY.encode() in path.read_bytes() for path in copies)
