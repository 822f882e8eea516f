"""What is reported where there is no model to ask."""

import pytest

from healing.model import Category, CIError
from healing.pipeline.agent_work.keyless import missing_key
from healing.view import DictView


def unused(file: str) -> CIError:
    return CIError(
        id=file, tool="ruff", code="F401", category=Category.LINT, file=file, line=1, message="`os` imported but unused"
    )


@pytest.mark.parametrize(("files", "explained"), [
    (("shop/__init__.py", "__init__.py"), True),
    (("shop/__init__.py", "shop/prices.py"), False),
])  # fmt: skip
def test_an_unused_import_that_may_be_a_re_export_is_left_with_the_reason(
    files: tuple[str, ...], explained: bool
) -> None:
    why = missing_key().report(tuple(unused(file) for file in files), 0.07, DictView({})).why
    assert ("may be a re-export" in why) is explained
    assert "no AI key is configured" in why


CONFLICT = "<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> topic\n"


@pytest.mark.parametrize(("text", "said"), [
    (f"x = 1\n{CONFLICT}", "an unresolved merge conflict (`<<<<<<<`), and no rule decides which side is right"),
    (CONFLICT * 2, "a.py has 2 unresolved merge conflicts (`<<<<<<<`)"),
    (CONFLICT.replace("\n", "\r\n"), "an unresolved merge conflict"),
    ("x = 1\n>>>>>>> main\n", "a.py has a line that a merge left behind (`>>>>>>> main`), and no AI key is configured"),
    ("x = '''\n=======\n'''\n", "no rule-based fix worked"),
    ("Title\n=======\n<<<<<<< HEAD\n", "no rule-based fix worked"),
    ("x = '>>>>>>> '\n", "no rule-based fix worked"),
])  # fmt: skip
def test_an_unresolved_merge_conflict_is_named(text: str, said: str) -> None:
    error = CIError(id="E", tool="python", category=Category.SYNTAX, file="a.py", line=1, message="invalid syntax")
    why = missing_key().report((error,), 0.07, DictView({"a.py": text.encode()})).why
    assert said in why
    assert why.endswith(", and no AI key is configured")
