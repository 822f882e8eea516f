"""docs/requirements.md says what holds and which tests show it, kept in step with the tests' `# ID` lines.

`python -m tests.test_requirements` writes the last column anew.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "requirements.md"
ROW = re.compile(r"^\| ([A-Z]{2,3}-\d+) \| (.+?) \| (.*?) \|$", re.M)
_ID = r"[A-Z]{2,3}-\d+"
SHOWN = re.compile(rf"^\s*# ({_ID}(?:,? {_ID})*)$\n(?:\s*@[\s\S]*?)?\s*(?:async )?def (test_\w+)", re.M)
NAMED = 2  # tests that a row names


def shown() -> dict[str, list[str]]:
    """Id → `folder/file.py::test` that show it, sorted."""
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for ids, test in SHOWN.findall(path.read_text("utf-8")):
            for ident in ids.replace(",", "").split():
                found.setdefault(ident, set()).add(f"{path.relative_to(ROOT / 'tests').as_posix()}::{test}")
    return {ident: sorted(tests) for ident, tests in found.items()}


def column(tests: list[str]) -> str:
    """The last column of a row."""
    return ", ".join(f"`{test}`" for test in tests[:NAMED]) + (" and more" if len(tests) > NAMED else "")


def test_every_id_that_a_test_names_is_explained_in_the_requirements() -> None:
    assert set(shown()) - {ident for ident, _, _ in ROW.findall(PAGE.read_text("utf-8"))} == set()


def test_every_requirement_names_tests_that_show_it() -> None:
    known = shown()
    for ident, _, tests in ROW.findall(PAGE.read_text("utf-8")):
        named = re.findall(r"`([^`]+)`", tests)
        assert named, f"{ident} names no test"
        assert set(named) <= set(known.get(ident, [])), f"{ident} names a test that does not show it"


if __name__ == "__main__":
    every = shown()
    PAGE.write_text(
        ROW.sub(lambda m: f"| {m[1]} | {m[2]} | {column(every.get(m[1], []))} |", PAGE.read_text("utf-8")), "utf-8"
    )
