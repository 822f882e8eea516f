"""Marks, indentation and closing lines that a change lost, in files that no parser of Heal's reads."""

import pytest

from healing.model import Category
from tests.repair.fixers.repos import Broken

LOST = "fixer:lost_mark"
MAKE = "test:\n\t@echo started\n\t@echo done\n"
YAML = "jobs:\n  build: first\n  deploy: second\n"
RUBY = "def add(left, right)\n  if left\n    left + right\n  end\nend\n"


def restored(file: str, was: str, now: str, message: str, line: int, named: bool = True) -> list[str]:
    broken = Broken({file: now}, {file: was})
    broken.said(message, (file if named else "build.log", line), category=Category.SYNTAX)
    return [broken.after(one)[file] for one in broken.candidates() if one.source == LOST]


# AF-3
@pytest.mark.parametrize(
    ("file", "was", "now", "message", "line"),
    [
        ("Main.java", "int total = first;\nreturn total;\n", "int total = first\nreturn total;\n", "';' expected", 1),
        ("a.c", "int total = 1;\nprint(total);\n", "int total = 1\nprint(total);\n", "expected ';' before 'print'", 2),
        ("Makefile", MAKE, MAKE.replace("\t@echo started", "    @echo started"), "missing separator", 2),
        ("ci.yaml", YAML, YAML.replace("  deploy", " deploy"), "expected <block end>", 3),
        ("a.json", '{"first": "a",\n"second": "b"}\n', '{"first": "a"\n"second": "b"}\n', "Expecting ',' delimiter", 2),
        ("calc.rb", RUBY, RUBY.replace("  end\nend", "end"), "syntax error, unexpected end-of-input", 4),
        ("a.c", "if (n) {\n    go();\n}\nstop();\n", "if (n) {\n    go();\nstop();\n", "expected declaration", 3),
        ("a.sh", "if true; then\n  echo a\nfi\n", "if true; then\n  echo a\n", "unexpected end of file", 3),
    ],
)
def test_what_a_change_lost_comes_back_where_the_file_cannot_be_read_since(
    file: str, was: str, now: str, message: str, line: int
) -> None:
    assert was in restored(file, was, now, f"syntax error: {message}", line)


# AF-3
def test_where_the_error_names_no_file_the_changed_data_files_are_tried() -> None:
    was = 'name = "shop"\nversion = "1.0"\n'
    assert restored("pyproject.toml", was, was.replace('"1.0"', '"1.0'), "Illegal character", 2, named=False) == [was]


@pytest.mark.parametrize(
    ("now", "message"),
    [
        (RUBY.replace("left + right", "left * right"), "syntax error, unexpected end-of-input"),
        (RUBY.replace("    left + right\n", ""), "syntax error, unexpected end-of-input"),
        (RUBY.replace("  end\nend", "end"), "undefined method `add'"),
    ],
    ids=["other words", "a line with words", "no error of syntax"],
)
def test_what_is_more_than_a_mark_or_no_error_of_syntax_stays(now: str, message: str) -> None:
    broken = Broken({"calc.rb": now}, {"calc.rb": RUBY}).said(message, ("calc.rb", 4))
    assert [one for one in broken.candidates() if one.source == LOST] == []


def test_a_mark_that_a_test_expects_may_be_changed_on_purpose() -> None:
    was = 'puts "Hello, world"\n'
    broken = Broken({"hello.rb": was.replace(",", "")}, {"hello.rb": was})
    broken.said('Expected: "Hello, world" Actual: "Hello world"', ("hello.rb", 1))
    broken.errors = [broken.errors[0].model_copy(update={"test": "TestHello#test_hello"})]
    assert [one for one in broken.candidates() if one.source == LOST] == []
