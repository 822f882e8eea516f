"""A word that a change misspelt: a key, a value, an option, a rule."""

# ruff: noqa: E501  (files in a line each)

import pytest

from healing.model import Category, CIError
from healing.verify.faults import Before, faults
from healing.verify.guard import refusals
from healing.verify.guard.patch import Follows
from healing.verify.roles import FileRole, Role
from healing.view import DictView
from tests.repair.fixers.repos import Broken

WAS = "export default [{\n  rules: {\n    'no-restricted-syntax': ['error', 'With'],\n    '@ts/no-unused': 'warn',\n  },\n}];\n"
FLAT = 'Key "rules": Key "{0}": Could not find "{1}" in plugin "@".'


def spelt(file: str, now: str, message: str) -> list[str]:
    broken = Broken({file: now}, {file: WAS}).said(message, (file, 1), category=Category.CONFIG)
    return [broken.after(one)[file] for one in broken.candidates() if one.source == "fixer:misspelt_word"]


# AF-3
@pytest.mark.parametrize("file", ["eslint.config.mjs", "web/eslint.config.js", ".eslintrc.cjs", ".eslintrc"])
@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("no-restricted-syntax", "no-restricted-sintax", FLAT.format("no-restricted-sintax", "no-restricted-sintax")),
        ("no-unused", "no-unusd", FLAT.format("@ts/no-unusd", "no-unusd")),
        ("no-unused", "no-unusd", "Definition for rule '@ts/no-unusd' not found."),
    ],
)
def test_the_base_spells_a_rule_that_is_unknown(file: str, right: str, wrong: str, message: str) -> None:
    assert spelt(file, WAS.replace(right, wrong), message) == [WAS]


# AF-3
@pytest.mark.parametrize(
    ("now", "wrong"),
    [
        (WAS.replace("no-restricted-syntax", "no-magic-words"), "no-magic-words"),  # another rule
        (WAS.replace("no-restricted-syntax': ['error'", "no-restricted-sintax': ['warn'"), "no-restricted-sintax"),
    ],
)
def test_what_is_more_than_a_slip_of_the_pen_stays(now: str, wrong: str) -> None:
    assert spelt("eslint.config.mjs", now, FLAT.format(wrong, wrong)) == []


# JD-1
@pytest.mark.parametrize(
    ("new", "known", "at_fault"),
    [
        (WAS, True, True),
        (WAS, False, False),  # the tree before isn't known
        (WAS.replace("no-restricted-syntax", "no-other"), True, False),  # it was not so before
        (WAS.replace("    'no-restricted-syntax': ['error', 'With'],\n", ""), True, False),
        (WAS.replace("'warn'", "'off'"), True, False),  # another line changes too
    ],
)
def test_settings_are_at_fault_where_only_the_spelling_of_the_base_comes_back(
    new: str, known: bool, at_fault: bool
) -> None:
    path, wrong = "eslint.config.mjs", WAS.replace("no-restricted-syntax", "no-restricted-sintax")
    error = CIError(
        id="E", tool="eslint", category=Category.CONFIG,
        message=FLAT.format("no-restricted-sintax", "no-restricted-sintax"),
    )  # fmt: skip
    before = Before(DictView({path: wrong.encode()}), DictView({path: WAS.encode()}) if known else None)
    found = faults({path: (wrong.encode(), new.encode())}, {path: FileRole(Role.JUDGE, "")}, (error,), before)
    assert [fault.why for fault in found.values()] == (
        ["nothing knows no-restricted-sintax, which this pull request wrote"] if at_fault else []
    )


RUN = "def run():\n    return check('auto')\n"
NEW = RUN + "\n\ndef strict():\n    return check('strct')\n"
MODES = "MODES = {'auto': 1, 'strict': 2}\n"


def words(files: dict[str, str], before: dict[str, str], message: str) -> list[tuple[str, str]]:
    """(file, text) of what is proposed for a word."""
    broken = Broken(files, {**files, **before}).said(message, (next(iter(files)), 1))
    found = [broken.after(one) for one in broken.candidates() if one.source == "fixer:misspelt_word"]
    return [pair for changes in found for pair in changes.items()]


# AF-3
@pytest.mark.parametrize(
    ("now", "before", "message"),
    [
        ({"run.py": RUN.replace("auto", "atuo")}, RUN, "ValueError: 'atuo' is no mode"),
        ({"run.py": RUN.replace("auto", "atuo")}, RUN, "SystemExit: 2"),  # said nowhere, and a slip all the same
        ({"conf.json": '{\n  "timout": 10\n}\n', "run.py": "CONF['timeout']\n"}, '{\n  "timeout": 10\n}\n', "KeyError: 'timeout'"),
        ({"app.yml": "languge: go\n"}, "language: go\n", "unknown field `languge`"),
        ({"Dockerfile": "RUN tool --strict-makers\n"}, "RUN tool --strict-markers\n", "unrecognized arguments: --strict-makers"),
        ({"a.ts": "pick('strcit');\n"}, "pick('strict');\n", "Argument of type '\"strcit\"' is not assignable to parameter of type 'Mode'"),
    ],
)  # fmt: skip
def test_the_base_has_the_word_on_the_same_line(now: dict[str, str], before: str, message: str) -> None:
    file = next(iter(now))
    assert words(now, {file: before}, message) == [(file, before)]


# AF-3
@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({}, "ValueError: 'strct' is no mode. Valid modes: auto, strict"),
        ({}, "error: argument --mode: invalid choice: 'strct' (choose from 'auto', 'strict')"),
        ({}, "Input should be 'auto' or 'strict' [type=literal_error, input_value='strct', input_type=str]"),
        ({"modes.py": MODES}, "KeyError: 'strct'"),
        ({"modes.py": MODES}, "ValueError: 'strct' is not a valid Mode"),
    ],
)
def test_of_a_new_line_the_error_or_another_string_says_what_was_meant(others: dict[str, str], message: str) -> None:
    assert words({"run.py": NEW, **others}, {"run.py": RUN}, message) == [("run.py", NEW.replace("strct", "strict"))]


# AF-3
def test_a_file_that_the_pull_request_adds_is_read_too() -> None:
    now = {"run.py": NEW, "modes.py": MODES}
    broken = Broken(now, {"modes.py": MODES}).said("KeyError: 'strct'", ("run.py", 6))
    found = [broken.after(one) for one in broken.candidates() if one.source == "fixer:misspelt_word"]
    assert found == [{"run.py": NEW.replace("strct", "strict")}]


# AF-3
def test_a_key_that_is_missing_shows_the_near_one_in_its_place() -> None:
    now = {"conf.json": '{\n  "name": "a",\n  "timout": 10\n}\n', "run.py": "CONF['timeout']\n"}
    before = {"conf.json": '{\n  "name": "a"\n}\n'}
    assert words(now, before, "KeyError: 'timeout'") == [("conf.json", now["conf.json"].replace("timout", "timeout"))]


# AF-3
@pytest.mark.parametrize(
    ("files", "before", "message"),
    [
        ({"run.py": RUN.replace("auto", "atuo"), "b.py": "MODE = 'atuo'\n"}, RUN, "'atuo' is no mode"),  # said twice
        ({"run.py": RUN.replace("auto", "manual")}, RUN, "'manual' is no mode"),  # another word
        ({"run.py": NEW}, RUN, "KeyError: 'strct'"),  # nothing near
        ({"run.py": NEW}, RUN, "'strct' is no mode. Valid modes: street, strict, struct"),  # more than one is near
        ({"tests/test_run.py": RUN.replace("auto", "atuo")}, RUN, "AssertionError: assert 'atuo' == 'auto'"),  # may be meant
        ({"run.py": RUN.replace("auto", "atuo")}, None, "'atuo' is no mode"),  # the base isn't known
    ],
)  # fmt: skip
def test_what_may_be_meant_stays(files: dict[str, str], before: str | None, message: str) -> None:
    file = next(iter(files))
    broken = Broken(files, {**files, file: before} if before else None).said(message, (file, 1))
    assert not [one for one in broken.candidates() if one.source == "fixer:misspelt_word"]


# AF-3
def test_a_word_that_is_not_known_is_mended_on_all_lines_of_its_file() -> None:
    before = "def test_a(child):\n    assert child.name\n"
    now = {"tests/test_a.py": before.replace("child", "chlid"), "tests/conftest.py": "def child(): pass\n"}
    message = "fixture 'chlid' not found\n> available fixtures: capsys, child"
    assert words(now, {"tests/test_a.py": before}, message) == [("tests/test_a.py", before)]
    assert words(now, {"tests/test_a.py": before}, "assert chlid.name") == []


# JD-1
@pytest.mark.parametrize(
    ("path", "role", "was", "now", "message", "mended"),
    [
        ("pytest.ini", Role.JUDGE, "adopts = -x", "addopts = -x", "Unknown config option: adopts", True),
        ("pytest.ini", Role.JUDGE, "adopts = -x", "addopts = -x", "Unknown config option: markers", False),
        ("pytest.ini", Role.JUDGE, "adopts = -x", "addopts = -v", "Unknown config option: adopts", False),
        ("tests/test_a.py", Role.TESTS, "pick('atuo')", "pick('auto')", "KeyError: 'atuo'", True),
        ("tests/test_a.py", Role.TESTS, "pick('atuo')", "pick('auto')", "assert 'atuo' == 'auto'", False),
        ("tests/test_a.py", Role.TESTS, "pick('first')", "pick('auto')", "KeyError: 'first'", False),
    ],
)
def test_what_mends_a_word_outside_the_product_may_do_nothing_else(
    path: str, role: Role, was: str, now: str, message: str, mended: bool
) -> None:
    error = CIError(id="E", tool="pytest", category=Category.TEST, message=message)
    base = now if now != "addopts = -v" else "addopts = -x"
    before = Before(DictView({path: was.encode()}), DictView({path: base.encode()}))
    found = faults({path: (was.encode(), now.encode())}, {path: FileRole(role, "")}, (error,), before)
    assert bool(found) is mended


# JD-1
def test_a_demand_of_the_base_that_comes_back_with_its_name_is_no_weaker_one() -> None:
    was, now = b"[pytest]\nadopts = --strict-markers\n", b"[pytest]\naddopts = --strict-markers\n"
    error = CIError(
        id="E", tool="pytest", category=Category.CONFIG, message="pytest.ini: Unknown config option: adopts"
    )
    changes = {"pytest.ini": (was, now)}
    assert refusals(changes, (error,), {"pytest.ini": was}.get, at_fault={"pytest.ini": None})
    assert not refusals(
        changes, (error,), {"pytest.ini": was}.get, at_fault={"pytest.ini": Follows("adopts", "addopts")}
    )
