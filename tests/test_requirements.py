"""docs/requirements.md lists each id that holds and what shows it; the tests' `# ID` comments keep it in step."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROW = re.compile(r"^\| ([A-Z]{2,3}-\d+) \|", re.M)
SHOWN = re.compile(r"^\s*# ([A-Z]{2,3}-\d+(?:, [A-Z]{2,3}-\d+)*)$\n(?:\s*@[\s\S]*?)?\s*(?:async )?def (test_\w+)", re.M)


def listed() -> set[str]:
    return set(ROW.findall((ROOT / "docs" / "requirements.md").read_text()))


def shown() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for ids, test in SHOWN.findall(path.read_text()):
            for ident in ids.split(", "):
                found.setdefault(ident, set()).add(test)
    return found


def test_every_id_that_a_test_names_is_explained_in_the_requirements() -> None:
    assert set(shown()) - listed() == set()


def test_every_listed_requirement_is_shown_by_a_test() -> None:
    assert listed() - set(shown()) == set()
