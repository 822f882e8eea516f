"""The purpose of a file, derived from its path by the usual conventions."""

import re

TEST_FILE = re.compile(
    r"(^|/)(tests?|testing|spec|specs|__tests__|__mocks__|e2e|cypress)/|(^|/)(test_[^/]*|[^/]*_test|tests?)\.[a-z]+$"
    r"|\.(test|spec|cy|e2e)\.[cm]?[jt]sx?$|_spec\.rb$"
)
CODE = re.compile(r"\.(py|pyi|[cm]?[jt]sx?|go|rs|rb|java|kt|kts|scala|cs|php|swift|c|cc|cpp|h|hpp|sh)$")
DATA = re.compile(
    r"(^|/)(__snapshots__|testdata|test_data|test-data|__fixtures__|fixtures|snapshots|goldens?|cassettes|expected)/"
    r"|\.(snap|ambr|golden|approved\.\w{1,8})$"
)

ONLY_BY_NAME = re.compile(r"(^|/)tests?\.\w+$")


def may_be_no_test(path: str) -> bool:
    """Whether only a file's own name, such as `tests.py`, marks it as a test: it may be a module about tests."""
    return bool(ONLY_BY_NAME.search(path)) and not TEST_FILE.search(path.rpartition("/")[0] + "/")


def is_test_file(path: str) -> bool:
    """Whether a path is a test, or a test helper, written as code."""
    return bool(TEST_FILE.search(path)) and not is_test_data(path)


def is_test_data(path: str) -> bool:
    """Whether a path is what tests compare with: snapshots, golden files, fixtures, anything in their folders that is
    not code."""
    if CODE.search(path):
        return path.endswith((".snap", ".ambr")) or bool(re.search(r"(^|/)(__snapshots__|testdata|goldens?)/", path))
    return bool(DATA.search(path) or TEST_FILE.search(path))
