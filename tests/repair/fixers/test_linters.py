"""What linters of Python find is repaired where the repository has no tool of its own that does so."""

# ruff: noqa: E501  (files in a line each)

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.causes import find_causes
from healing.edits.exact import apply_edits
from healing.graph import import_graph
from healing.graph.names import NameIndex
from healing.model import Candidate, Category, CIError
from healing.repair.fixers.fixer import Repo
from healing.repair.fixers.python import PYTHON
from healing.repair.fixers.python.long_line import in_layout
from healing.view import DictView


def error(code: str, line: int, message: str = "", tool: str = "flake8", file: str = "a.py") -> CIError:
    return CIError(
        id=f"{code}{line}", tool=tool, code=code, category=Category.LINT, message=message or code, file=file, line=line
    )


def proposals(text: str, *errors: CIError, file: str = "a.py") -> list[tuple[Candidate, str]]:
    """What the fixers for linters propose, with the text that it makes."""
    view = DictView({file: text.encode()})
    repo = Repo(view, NameIndex(view), import_graph(view))
    found = [c for f in PYTHON for cause in find_causes(errors) for c in f.propose(cause, errors, repo)]
    return [(c, (apply_edits(c.edits, view.read)[file] or b"").decode()) for c in found]


def texts(text: str, *errors: CIError) -> list[str]:
    return [new for _, new in proposals(text, *errors)]


# AF-3
@pytest.mark.parametrize(
    ("code", "tool", "line", "text", "new"),
    [
        ("F541", "flake8", 1, 'a = f"b"\nb = f"c"\n', 'a = "b"\nb = f"c"\n'),  # the other line stays
        ("W605", "pycodestyle", 1, 'a = "\\d"\n', 'a = r"\\d"\n'),
        ("F632", "pyflakes", 1, 'a = b is "c"\n', 'a = b == "c"\n'),
        ("W1309", "pylint", 1, 'a = f"b"\n', 'a = "b"\n'),
    ],
)
def test_what_ruff_repairs_safely_is_repaired_at_its_line(code: str, tool: str, line: int, text: str, new: str) -> None:
    candidate, made = proposals(text, error(code, line, tool=tool))[0]
    assert (made, candidate.flags) == (new, ())


# AF-3
@pytest.mark.parametrize(
    ("code", "tool", "line", "text", "new", "mark"),
    [
        ("F841", "flake8", 2, "def f(n):\n    a = n()\n", "def f(n):\n    n()\n", "Ruff calls this repair of F841 unsafe"),
        ("E711", "flake8", 1, "a = b == None\n", "a = b is None\n", "Ruff calls this repair of E711 unsafe"),
        ("W0612", "pylint", 2, "def f(n):\n    a = n()\n", "def f(n):\n    n()\n", "Ruff calls this repair of F841 unsafe"),
        ("E722", "flake8", 3, "try:\n    a()\nexcept:\n    b()\n", "try:\n    a()\nexcept Exception:\n    b()\n", "catches less than before: no longer what ends the program"),
    ],
)  # fmt: skip
def test_what_may_change_what_the_code_does_is_marked(
    code: str, tool: str, line: int, text: str, new: str, mark: str
) -> None:
    candidate, made = proposals(text, error(code, line, tool=tool))[0]
    assert (made, candidate.flags) == (new, (mark,))


# AF-3
@pytest.mark.parametrize(
    "reported",
    [error("F401", 1), error("C901", 1), error("E741", 1), error("F541", 1, tool="other"), error("F541", 9)],
)
def test_what_ruff_has_no_repair_for_is_left_alone(reported: CIError) -> None:
    assert texts('l = f"a"\n', reported) == []


LONG = error("E501", 2, "line too long (95 > 60 characters)")


# AF-3
@pytest.mark.parametrize(
    ("text", "new"),
    [
        (
            "def f(first_number, second_number):\n    return first_number + second_number + first_number * second_number\n",
            "def f(first_number, second_number):\n    return (\n        first_number\n        + second_number\n        + first_number * second_number\n    )\n",
        ),
        (
            "def f():\n    # what follows is here because of something that was long ago\n    return 1\n",
            "def f():\n    # what follows is here because of something that was\n    # long ago\n    return 1\n",
        ),
        (
            "def f():\n    return 1  # because of something that was there a long time ago\n",
            "def f():\n    # because of something that was there a long time ago\n    return 1\n",
        ),
        (
            'def f():\n    raise ValueError("what follows is here because of something old")\n',
            'def f():\n    raise ValueError(\n        "what follows is here because of something old"\n    )\n',
        ),
        (
            'def f(a):\n    raise ValueError("what follows is here because of something that was long ago")\n',
            'def f(a):\n    raise ValueError(\n        "what follows is here because of something that "\n        "was long ago"\n    )\n',
        ),
    ],
)
def test_a_long_line_becomes_several_that_do_the_same(text: str, new: str) -> None:
    assert texts(text, LONG) == [new]


# AF-3
def test_prose_of_a_docstring_is_wrapped_but_no_example_and_no_table() -> None:
    prose = 'def f():\n    """Gives it.\n\n    {}\n    """\n'
    long = "What follows is here because of something that was long ago."
    reported = error("E501", 4, "line too long (64 > 60 characters)")
    assert texts(prose.format(long), reported) == [prose.format(long.replace("long ago", "long\n    ago"))]
    for kept in (f">>> f('{long}')", f"- {long}", f"| {long} |", f":param a: {long}"):
        assert texts(prose.format(kept), reported) == []


# AF-3
@pytest.mark.parametrize(
    "line",
    [
        "    return 1  # type: ignore[return-value, arg-type, attr-defined, misc]",
        "    # noqa: E501 E502 E503 E504 E505 E506 E507 E508 E509 E510 E511",
        "    # https://example.org/a/very/long/address/that/no/line/can/hold",
        "    return 'a_string_that_is_all_one_word_and_so_can_not_be_split_up'",
    ],
)
def test_a_long_line_that_can_not_be_shorter_stays(line: str) -> None:
    assert all(max(map(len, new.splitlines())) > 60 for new in texts(f"def f():\n{line}\n", LONG))


# AF-3
@given(
    st.text("ab {}\"'\\\n#%f", max_size=90),
    st.sampled_from(["", "f", "r", "b", "rb"]),
    st.sampled_from(["a = ({0})\n", "print({0}, 1)\n", "a = [{0}, {0}]\n", "a = {0}\n", "a = ({0} % b)  # {1}\n"]),
)
def test_whatever_stands_on_a_long_line_the_code_stays_the_same(text: str, prefix: str, frame: str) -> None:
    source = frame.format(f'{prefix}"{text}"', text.replace("\n", " "))
    try:
        before = ast.dump(ast.parse(source))
    except (SyntaxError, ValueError):
        return
    new = in_layout(source.encode(), [error("E501", 1, "line too long (90 > 40 characters)")])
    assert new is None or ast.dump(ast.parse(new)) == before


# AF-3
def test_continuation_lines_are_laid_out_anew() -> None:
    text = "a = f(1,\n  2)\n"
    assert texts(text, error("E128", 2, "continuation line under-indented")) == ["a = f(1, 2)\n"]


# AF-3
@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("    except KeyError:\n        raise ValueError(1)\n", "    except KeyError as error:\n        raise ValueError(1) from error\n"),
        ("    except KeyError as e:\n        raise ValueError(e)\n", "    except KeyError as e:\n        raise ValueError(e) from e\n"),
        ("    except (KeyError):\n        raise ValueError\n", "    except (KeyError) as error:\n        raise ValueError from error\n"),
        ("    except (KeyError, OSError):\n        raise ValueError(\n            1\n        )\n", "    except (KeyError, OSError) as error:\n        raise ValueError(\n            1\n        ) from error\n"),
        ("    except KeyError:\n        raise ValueError(error)\n", None),  # the name means something else
        ("    except:\n        raise ValueError(1)\n", None),
    ],
)  # fmt: skip
def test_an_exception_says_which_one_it_comes_from(text: str, new: str | None) -> None:
    head = "try:\n    a()\n"
    shown, lines = text.replace("    except", "except").replace("        ", "    "), 4
    wanted = new and head + new.replace("    except", "except").replace("        ", "    ")
    assert texts(head + shown, error("B904", lines)) == ([wanted] if wanted else [])


# AF-3
@pytest.mark.parametrize(
    ("text", "line", "new"),
    [
        ("import os\n\nA = 1\nimport sys\n\nB = 2\n", 4, "import sys\nimport os\n\nA = 1\n\nB = 2\n"),
        ("A = 1\nfrom b import (\n    c,\n)\n", 2, "from b import (\n    c,\n)\nA = 1\n"),
        ("import sys\nsys.path.insert(0, 'a')\nimport b\n", 3, None),  # it prepares for the import
        ("import os\nimport sys\n", 2, None),  # it stands with the others
    ],
)
def test_an_import_moves_up_to_the_others(text: str, line: int, new: str | None) -> None:
    assert texts(text, error("E402", line, "module level import not at top of file")) == ([new] if new else [])


# AF-3
@pytest.mark.parametrize("code", ["I100", "I201"])
def test_imports_in_another_order_than_flake8_wants_are_sorted(code: str) -> None:
    text = "import sys\nimport os\n\nprint(os, sys)\n"
    assert texts(text, error(code, 2))[0] == "import os\nimport sys\n\nprint(os, sys)\n"


# AF-3
def test_only_the_handler_around_a_raise_is_named_as_its_cause() -> None:
    text = "try:\n    a()\nexcept KeyError:\n    try:\n        b()\n    except OSError:\n        raise ValueError(1)\n    c(lambda: 1)\n"
    new = text.replace("OSError:", "OSError as error:").replace("ValueError(1)", "ValueError(1) from error")
    assert texts(text, error("B904", 7)) == [new]
    inner = "try:\n    a()\nexcept KeyError:\n    def f():\n        raise ValueError(1)\n"
    assert texts(inner, error("B904", 5)) == []
