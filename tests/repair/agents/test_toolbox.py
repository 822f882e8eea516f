"""What each tool answers: bounded, confined, and with the way out."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.llm.budget import Budget
from healing.llm.protocol import ToolCall
from healing.repair.agents.agent_context import AgentContext
from healing.repair.agents.ledger import ClusterLedger
from healing.repair.agents.scratch import Scratch
from healing.repair.agents.tool_arguments import schemas
from healing.repair.agents.tools.toolbox import Toolbox
from healing.repair.agents.workspace import PathNotAllowed, confined
from healing.steps import MemorySteps
from healing.verify.verdict import Verdict
from tests.repair.agents.folder import FolderWorkspace, LintVerifier, fill, task_of
from tests.repair.agents.mute import Mute
from tests.repair.agents.scene import ERRORS, FILES, IDS


@pytest.fixture
def root(tmp_path: Path) -> Path:
    fill(tmp_path / "tree", FILES)
    return tmp_path / "tree"


@pytest.fixture
def box(root: Path) -> Toolbox:
    verifier = LintVerifier(FILES, ERRORS)
    agent_context = AgentContext(Mute(), MemorySteps(), Budget(0.0))
    return Toolbox(
        Scratch(FolderWorkspace(root)), verifier, ClusterLedger(task_of(ERRORS)), "0123456789abcdef", agent_context
    )


async def observation(box: Toolbox, name: str, **arguments: Any) -> str:
    """The result's text, with its failure marked."""
    block = await box.run(ToolCall(id="t1", name=name, arguments=arguments))
    return ("FAILED " if block["is_error"] else "") + str(block["content"])


# AG-2
@pytest.mark.parametrize(
    "path",
    ["../x", "/etc/passwd", "a/../../b", "", ".", "a//b", "a\\b", "a\0b", ".git/config", "sub/.GIT/HEAD", ".env",
     "deploy/.env.production", "x" * 300, "/".join("abc" for _ in range(999)), ".git./hooks/x", "a/GIT~1/config",
     ".g\u200cit/config", ".git ", ".Git::$INDEX_ALLOCATION/config"],
)  # fmt: skip
async def test_a_path_that_leaves_the_repository_or_holds_secrets_is_refused(box: Toolbox, path: str) -> None:
    for name, more in (
        ("read_file", {"first_line": 1, "last_line": 0}),
        ("edit_file", {"old_string": "", "new_string": "x"}),
    ):
        answer = await observation(box, name, file=path, **more)
        assert answer.startswith("FAILED Nothing was done."), answer


# AG-2
@given(st.text(max_size=40))
def test_a_confined_path_never_points_outside(path: str) -> None:
    try:
        place = Path("/root/of/repo") / confined(path)
    except PathNotAllowed:
        return
    assert place.is_relative_to("/root/of/repo")
    assert ".." not in place.parts


# AG-2
async def test_links_are_not_followed_neither_to_read_nor_to_write(box: Toolbox, root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hidden words")
    (root / "link.py").symlink_to(tmp_path / "secret")
    (root / "folder").symlink_to(tmp_path)
    for path in ("link.py", "folder/secret"):
        assert (await observation(box, "read_file", file=path, first_line=1, last_line=0)).startswith("FAILED")
        assert (await observation(box, "edit_file", file=path, old_string="", new_string="mine")).startswith("FAILED")
        assert (await observation(box, "edit_file", file=path, old_string="hidden", new_string="x")).startswith(
            "FAILED"
        )
    assert "hidden" not in await observation(box, "grep", expression="hidden", files="*", context=0)
    assert (tmp_path / "secret").read_text() == "hidden words"


# AG-2
async def test_reading_shows_numbered_lines_of_the_part_asked_for(box: Toolbox) -> None:
    answer = await observation(box, "read_file", file="src/alpha.py", first_line=4, last_line=5)
    assert "Lines 4 to 5 of 5." in answer
    assert "4\tdef alpha_path():\n5\t    return alpha(os)\ndata" in answer


# AG-2
async def test_a_long_observation_is_cut_in_the_middle_and_says_so(box: Toolbox, root: Path) -> None:
    (root / "big.txt").write_text("start\n" + "x" * 99_000 + "\nend")
    answer = await observation(box, "read_file", file="big.txt", first_line=1, last_line=0)
    assert len(answer) < 10_500
    assert "characters cut here" in answer
    assert "1\tstart" in answer
    assert "3\tend" in answer


# AG-2
async def test_an_edit_needs_its_text_exactly_once_and_says_how_to_get_there(box: Toolbox) -> None:
    file = "src/alpha.py"
    absent = await observation(box, "edit_file", file=file, old_string="return alfa(os)", new_string="x")
    assert "not there verbatim" in absent
    assert "Did you mean these lines?\n5\t    return alpha(os)" in absent
    assert "2 times (lines 1, 5)" in await observation(box, "edit_file", file=file, old_string="os", new_string="x")
    assert "nothing would change" in await observation(
        box, "edit_file", file=file, old_string="import", new_string="import"
    )
    assert "no such file" in await observation(box, "edit_file", file="nope.py", old_string="a", new_string="b")
    assert "exists already" in await observation(box, "edit_file", file=file, old_string="", new_string="b")
    assert await box.scratch.edits() == ()


async def test_an_edit_keeps_the_files_line_ends(box: Toolbox, root: Path) -> None:
    (root / "dos.txt").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    await observation(box, "edit_file", file="dos.txt", old_string="one\ntwo", new_string="one\n2")
    assert (root / "dos.txt").read_bytes() == b"one\r\n2\r\nthree\r\n"


# AG-10
async def test_invisible_characters_are_shown_and_can_be_copied_back(box: Toolbox, root: Path) -> None:
    (root / "odd.html").write_text("<!-- a\u200bb \u202e-->\n")
    answer = await observation(box, "read_file", file="odd.html", first_line=1, last_line=0)
    assert "⟦<!--⟧ a⟦U+200B⟧b ⟦U+202E⟧-->" in answer
    await observation(box, "edit_file", file="odd.html", old_string="⟦<!--⟧ a⟦U+200B⟧b", new_string="⟦<!--⟧ ab")
    assert (root / "odd.html").read_text() == "<!-- ab \u202e-->\n"


async def test_a_new_file_can_be_made_and_the_base_put_back(box: Toolbox, root: Path) -> None:
    await observation(box, "edit_file", file="new/made.py", old_string="", new_string="x = 1\n")
    await observation(box, "edit_file", file="src/beta.py", old_string="beta(os)", new_string="str(os)")
    edits = await box.scratch.edits()
    assert [(edit.file, edit.kind) for edit in edits] == [("new/made.py", "create"), ("src/beta.py", "replace")]
    await box.scratch.reset()
    assert not (root / "new/made.py").exists()
    assert (root / "src/beta.py").read_bytes() == FILES["src/beta.py"]


# AG-2
async def test_searches_give_counts_and_lines_not_dumps(box: Toolbox) -> None:
    assert "4 files." in await observation(box, "glob", pattern="src/*.py")
    found = await observation(box, "grep", expression="import os", files="src/*", context=0)
    assert "Found in 4 files" in found
    assert "1\tsrc/alpha.py" in found
    assert "src/delta.py:1:import os" in found
    assert "Not found in 5 files." in await observation(box, "grep", expression="a.{3}b", files="*", context=0)
    assert (await observation(box, "glob", pattern="*.rs")).startswith("No file matches")


# AG-12
async def test_grep_takes_a_regular_expression_and_keeps_indentation_with_lines_around(
    box: Toolbox, root: Path
) -> None:
    (root / "shop.py").write_text(
        "class Shop:\n    def total(self):\n        return 1\n\n\n\ndef total_of():\n    pass\n"
    )
    found = await observation(box, "grep", expression=r"def total\w*\(", files="shop.py", context=1)
    wanted = "shop.py-1-class Shop:\nshop.py:2:    def total(self):\nshop.py-3-        return 1\n--\nshop.py-6-\n"
    assert f"2\tshop.py\n\n{wanted}shop.py:7:def total_of():\nshop.py-8-    pass\n" in found
    close = await observation(box, "grep", expression="def|return", files="shop.py", context=99)
    assert close.count("shop.py:2:") == 1, "no line twice"
    assert "--\n" not in close
    assert (await observation(box, "grep", expression="total(", files="*", context=0)).startswith(
        "FAILED Nothing was searched.\n<<data"
    )
    assert (await observation(box, "grep", expression="", files="*", context=0)).startswith("FAILED")


# AG-12
async def test_grep_answers_at_once_whatever_the_expression_and_the_line(box: Toolbox, root: Path) -> None:
    (root / "long.txt").write_text("a" * 100_000 + "!\rx\n" + "b\n" * 10_000)
    async with asyncio.timeout(5):
        assert "Not found" in await observation(box, "grep", expression=r"(a+)+$", files="long.txt", context=0)
        many = await observation(box, "grep", expression="b|!", files="long.txt", context=5)
    assert "10001\tlong.txt" in many
    assert len(many) < 10_500


DEFINED = {
    "shop/core.py": "RATE = 2\n\n\nclass Shop:\n    @property\n    def total(self):\n        return RATE\n\n\n"
    "try:\n    import x\nexcept ImportError:\n    def fallback():\n        return 1\n",
    "shop/__init__.py": "from shop.core import Shop\n",
    "tests/test_core.py": "def total():\n    return 0\n",
    "web/app.ts": "export const LIMIT = 3;\nexport class Cart {\n  total(): number {\n    return LIMIT;\n  }\n}\n",
    "go/shop.go": "package shop\n\nconst Rate = 2\n\nfunc (s Shop) Total() int {\n\treturn Rate\n}\n",
    "src/lib.rs": "pub struct Till;\n\nimpl Till {\n    pub fn total(&self) -> u8 {\n        1\n    }\n}\n",
    "broken.py": "def total(:\n",
}


# AG-12
@pytest.mark.parametrize(
    ("name", "wanted", "absent"),
    [
        ("Shop.total", "shop/core.py\n5\t    @property\n6\t    def total(self):\n7\t        return RATE\n", "tests/"),
        ("RATE", "shop/core.py\n1\tRATE = 2\n", "go/"),
        ("fallback", "shop/core.py\n13\t    def fallback():\n14\t        return 1\n", "also"),
        ("shop.core.fallback()", "No definition of that name", "data"),
        ("LIMIT", "web/app.ts\n1\texport const LIMIT = 3;\n", "also"),
        ("Cart.total", "web/app.ts\n3\t  total(): number {\n4\t    return LIMIT;\n5\t  }\n", "core.py"),
        ("Total", "go/shop.go\n5\tfunc (s Shop) Total() int {\n6\t\treturn Rate\n7\t}\n", "core.py"),
        ("Rate", "go/shop.go\n3\tconst Rate = 2\n", "core.py"),
        ("Till::total", "src/lib.rs\n4\t    pub fn total(&self) -> u8 {\n", "core.py"),
        ("nothing_like_it", "No definition of that name", "data"),
        ("../etc", "No definition of that name", "data"),
        ("", "FAILED Nothing was done.", "core.py"),
        ("(", "FAILED Nothing was done.", "core.py"),
    ],
)
async def test_a_definition_is_found_by_its_name_in_every_language_of_the_graph(
    box: Toolbox, root: Path, name: str, wanted: str, absent: str
) -> None:
    fill(root, {path: text.encode() for path, text in DEFINED.items()})
    answer = await observation(box, "definition", symbol=name)
    assert wanted in answer
    assert absent not in answer.partition("<<data")[2]


# AG-12
async def test_definitions_of_the_product_come_first_and_are_bounded(box: Toolbox, root: Path) -> None:
    fill(root, {path: text.encode() for path, text in DEFINED.items()})
    fill(root, {f"more/{n}.py": b"def total():\n" + b"    x = 1\n" * 500 for n in range(10)})
    answer = await observation(box, "definition", symbol="total")
    assert "Defined in 14 places." in answer
    assert len(answer) < 10_500
    assert "also tests/test_core.py:1" in answer
    assert answer.index("more/1.py") < answer.index("tests/test_core.py")


async def test_a_pattern_made_to_burn_time_does_not(box: Toolbox, root: Path) -> None:
    (root / ("a" * 200)).write_text("")
    assert "No file matches" in await observation(box, "glob", pattern="*a" * 99 + "b")


# AG-2
async def test_the_check_runs_on_the_scratch_copy(box: Toolbox) -> None:
    red = await observation(box, "run_check", error_ids=[IDS[0]])
    assert "exit code 1" in red
    assert "Undefined name `alpha`" in red
    for name in ("alpha", "beta", "gamma", "delta"):
        await observation(box, "edit_file", file=f"src/{name}.py", old_string=f"{name}(os)", new_string="str(os)")
    assert "exit code 0" in await observation(box, "run_check", error_ids=[IDS[0]])


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("bash", {"command": "env"}, "there is no tool 'bash'"),
        ("read_file", {"file": "a"}, "first_line: Field required"),
        ("read_file", {"file": "a", "first_line": 1, "last_line": 0, "as_root": True}, "as_root: Extra inputs"),
        ("run_check", {"error_ids": ["E-of-others"]}, "must be of this cluster"),
        ("run_check", {"error_ids": []}, "must be of this cluster"),
        (
            "report_unfixable",
            {"error_ids": ["rm -rf"], "tried": "", "why": "", "advice": ""},
            "must be of this cluster",
        ),
        ("suggest_fix", {"error_ids": [IDS[0]], "title": "", "explanation": "", "confidence": 101, "edits": []}, "100"),
        (
            "suggest_fix",
            {"error_ids": [IDS[0]], "title": "", "explanation": "", "confidence": 1, "edits": []},
            "No edits",
        ),
    ],
)
async def test_wrong_arguments_are_named_and_nothing_is_done(
    box: Toolbox, name: str, arguments: dict[str, Any], words: str
) -> None:
    answer = await observation(box, name, **arguments)
    assert answer.startswith("FAILED")
    assert words in answer
    assert box.ledger.settled() == ()


async def test_a_settled_error_is_not_settled_again(box: Toolbox) -> None:
    once = {"error_ids": [IDS[0]], "tried": "t", "why": "w", "advice": "a"}
    assert "Noted" in await observation(box, "report_unfixable", **once)
    assert "settled already" in await observation(box, "report_unfixable", **once)
    assert len(box.ledger.unfixables) == 1


# AG-2
def test_the_schemas_are_strict_sorted_and_always_the_same_bytes() -> None:
    made = schemas(("read_file", "edit_file"))
    assert [tool["name"] for tool in made] == ["edit_file", "read_file", "report_unfixable", "suggest_fix"]
    assert made == schemas(("edit_file", "read_file"))
    for tool in made:
        schema = tool["input_schema"]
        assert tool["strict"] is True
        assert schema["additionalProperties"] is False
        assert sorted(schema["required"]) == sorted(schema["properties"])
        assert not {"$ref", "minimum", "maximum", "'title': '"} & set(str(schema).split())


def test_a_verdict_can_not_be_accepted_without_its_proof() -> None:
    with pytest.raises(ValueError, match="with its proposal"):
        Verdict(accepted=True, message="trust me")
