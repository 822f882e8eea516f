"""Every sentence for people is in one folder; the rest of the conversation only chooses among them."""

import ast
from collections.abc import Iterator
from pathlib import Path

import handlers

ROOT = Path(handlers.__file__).parent
# Commands say themselves what they do, for the help; a bad payload is answered to a machine; patches are git's; a
# refusal is told by GitHub's words.
OWN_WORDS = (
    "comments/",
    "slash/",
    "intake.py",
    "payloads.py",
    "model/skip_rules.py",
    "model/refusal.py",
)


def sentences(file: Path) -> Iterator[str]:
    """Strings of four words or more that are no docstring, no assertion's, and not for the log."""
    tree = ast.parse(file.read_text())
    ignored = {id(node.msg) for node in ast.walk(tree) if isinstance(node, ast.Assert)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            ignored.add(id(node.value))
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("log."):
            ignored |= {id(argument) for argument in node.args}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in ignored else None
        if isinstance(text, str) and len(text.split()) >= 4:
            yield f"{file.relative_to(ROOT)}:{node.lineno}: {text}"


def test_what_people_read_is_written_in_one_folder() -> None:
    outside = [file for file in ROOT.rglob("*.py") if not file.relative_to(ROOT).as_posix().startswith(OWN_WORDS)]
    assert [found for file in sorted(outside) for found in sentences(file)] == []


def test_each_command_says_one_sentence_about_itself() -> None:
    for file in sorted((ROOT / "slash").glob("*.py")):
        output = [text for text in sentences(file) if "/heal " not in text.partition(": ")[2][:7]]
        assert len(output) <= 1, output
