"""What is reported where there is no model to ask."""

import pytest

from healing.model import Category, CIError
from healing.pipeline.agent_work.keyless import missing_key


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
    why = missing_key().report(tuple(unused(file) for file in files), 0.07).why
    assert ("may be a re-export" in why) is explained
    assert "no AI key is configured" in why
