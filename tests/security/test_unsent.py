"""`.healignore`: what it names is in no prompt, whichever way an agent asks for it (OP-9)."""

import pytest

from healing.model import Category, CIError, Cluster
from healing.pipeline.agent_work.agent_space import AgentSpace
from healing.policy.unsent import UNSENT_PATH, UnsentFiles
from healing.repair.agents.contexts import excerpts
from healing.repair.agents.scratch import Scratch
from healing.repair.agents.tool_arguments import Glob, Grep, ReadFile
from healing.repair.agents.tools.looking import CopyReader
from healing.repair.agents.workspace import PathNotAllowed
from healing.view import DictView
from tests.pipeline.bench import Bench

CANARY = "canary4models"
CLOSED = "secret/prices.py"
FILES = {
    UNSENT_PATH: "# ours alone\nsecret/\n*.key\n!open.key\n",
    CLOSED: f"PRICE = {CANARY}\n",
    "shop.py": "from secret.prices import PRICE\n",
    "a.key": f"{CANARY}\n",
    "test_shop.py": "def test_shop():\n    import shop\n",
}


@pytest.mark.parametrize(
    ("path", "closed"),
    [
        (CLOSED, True), ("secret/deep/er.py", True), ("x/secret/y.py", True), ("secrets.py", False), ("a.key", True),
        ("deep/b.key", True), ("open.key", False), ("secret/open.key", True), ("shop.py", False), ("", False),
    ],
)  # fmt: skip
def test_patterns_mean_what_they_mean_in_a_gitignore(path: str, closed: bool) -> None:
    unsent = UnsentFiles.of(DictView({UNSENT_PATH: FILES[UNSENT_PATH].encode()}).read)
    assert (path in unsent) == closed
    assert path not in UnsentFiles.of(DictView({}).read)


# OP-9
def test_the_first_message_shows_nothing_of_them() -> None:
    view = DictView({name: text.encode() for name, text in FILES.items()})
    error = CIError(id="E1", tool="pytest", category=Category.TEST, message="m", file=CLOSED, line=1)
    cluster = Cluster(id="K1", causes=(), error_ids=("E1",), zone=(CLOSED, "a.key", "shop.py"), phase="slow")
    assert CANARY in repr(excerpts(cluster, [error], view.read))
    shown = excerpts(cluster, [error], UnsentFiles.of(view.read).hide(view))
    assert [one.file for one in shown] == ["shop.py"]


# OP-9
@pytest.mark.parametrize("path", [".env", "deploy/.env.production", ".env/token"])
def test_the_first_message_shows_no_env_file_that_an_error_names(path: str) -> None:
    view = DictView({path: CANARY.encode(), "shop.py": b"x\n"})
    error = CIError(id="E1", tool="pytest", category=Category.TEST, message="m", file=path, line=1)
    cluster = Cluster(id="K1", causes=(), error_ids=("E1",), zone=(path, "shop.py"), phase="slow")
    assert [one.file for one in excerpts(cluster, [error], UnsentFiles().hide(view))] == ["shop.py"]


# OP-9
async def test_an_agent_neither_reads_finds_nor_edits_them_and_checks_still_have_them(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, "python -m pytest -q")
    checker = verifier.checker
    verifier.unsent = UnsentFiles.of(verifier.git.view(verifier.integration).read)
    async with checker.worktrees.worktree(
        checker.run_id, "agent", checker.git, verifier.integration, layered=checker.sandbox.layered
    ) as worktree:
        scratch = Scratch(AgentSpace(verifier, worktree, verifier.errors))
        look = CopyReader(scratch)
        for path in (CLOSED, "a.key"):
            for act in (
                look.read_file(ReadFile(file=path, first_line=1, last_line=0)),
                scratch.read_base(path),
                scratch.edit(path, "PRICE", "x"),
            ):
                with pytest.raises(PathNotAllowed, match="closed to models by the repository"):
                    await act
        output = [await look.grep(Grep(expression=CANARY, files="*", context=0)), await look.glob(Glob(pattern="*"))]
        assert CLOSED not in repr(output)
        assert "a.key" not in repr(output)
        assert "shop.py" in output[1].data
        assert CANARY.encode() in (worktree.read(CLOSED) or b"")
