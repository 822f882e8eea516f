"""Recognizes test files by the conventions of their languages, and what a test is named after."""

import re

PYTHON = re.compile(
    r"(^|/)(?:test_[^/]*|[^/]*_tests?|tests|conftest)\.pyi?$"  # by name
    r"|(^|/)(?:tests?|testing)/"  # by folder
)
SCRIPT = re.compile(
    r"\.(?:test|spec|cy|e2e|test-d|tst)\.[cm]?[jt]sx?$|(^|/)(?:__tests__|__mocks__|tests?|specs?|e2e|cypress)/"
)
GO = re.compile(r"_test\.go$")
RUST = re.compile(r"(^|/)(?:tests|benches)/|(^|/)(?:tests?|[^/]+_tests?|test_[^/]+)\.rs$")
JVM = re.compile(
    r"(^|/)(?:tests?|[a-z]+Test|testFixtures)/"  # a Gradle or Maven source set
    r"|(?:Tests?|IT|Spec)\.(?:java|kts?)$"
)
OTHER = re.compile(r"(^|/)(?:tests?|testing)/")
BY_ENDING = (
    ((".py", ".pyi"), PYTHON),
    ((".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"), SCRIPT),
    ((".go",), GO),
    ((".rs",), RUST),
    ((".java", ".kt", ".kts"), JVM),
)
AFFIX = re.compile(r"^test_|^Test(?=[A-Z])|(?:[._-](?:tests?|spec|cy|e2e|test-d|tst)|_tests?|Tests?|IT|Spec)$")


def is_test(path: str) -> bool:
    """Whether `path` is a test or in a folder for tests, by the conventions of its language."""
    for endings, known in BY_ENDING:
        if path.endswith(endings):
            return bool(known.search(path))
    return bool(OTHER.search(path))


def tested_name(path: str) -> str:
    """The name that a test file is named after: `cart` of `tests/test_cart.py`, `cart.test.ts`, `cart_test.go`; `Cart`
    of `CartTest.java`."""
    return AFFIX.sub("", path.rpartition("/")[2].rpartition(".")[0])
