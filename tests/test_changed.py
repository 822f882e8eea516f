"""Which tests a change reaches."""

import grimp
import pytest

from tests.changed import WRITTEN, import_graph, reached


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return import_graph()


def test_the_tests_that_import_a_changed_module_come_first(graph: grimp.ImportGraph) -> None:
    files = reached(["healing/logs/secrets/manifests.py"], graph)
    assert files.index("tests/logs/test_secret_places.py") < files.index("tests/logs/test_reading.py")


def test_a_leaf_reaches_the_tests_of_its_folder_and_not_every_test_that_runs_the_whole_pipeline(
    graph: grimp.ImportGraph,
) -> None:
    files = reached(["healing/repair/fixers/python/renamed_symbol.py"], graph)
    assert {file.rpartition("/")[0] for file in files} == {"tests/repair/fixers", "tests/repair/fixers/suggested"}
    pages = reached(["bot/web/dashboard/flaky.py"], graph)
    assert {file.partition("/test_")[0] for file in pages} == {"tests/web"}, "they reach it through their conftest"


def test_a_module_that_is_found_by_its_place_is_reached_through_its_package(graph: grimp.ImportGraph) -> None:
    assert not graph.find_modules_that_directly_import("healing.logs.formats.python.uv")
    assert "tests/logs/test_formats.py" in reached(["healing/logs/formats/python/uv.py"], graph)


def test_a_changed_test_reaches_itself_and_what_a_folder_of_tests_shares_reaches_that_folder(
    graph: grimp.ImportGraph,
) -> None:
    assert reached(["tests/edits/test_presence.py"], graph)[0] == "tests/edits/test_presence.py"
    shared = reached(["tests/environment/conftest.py"], graph)
    assert "tests/environment/test_own_shell.py" in shared
    assert not any(file.startswith("tests/edits/") for file in shared)
    assert "tests/logs/test_secret_places.py" in reached(["tests/logs/secret_lookalikes.txt"], graph)


def test_a_file_that_is_no_module_reaches_what_uses_its_package(graph: grimp.ImportGraph) -> None:
    assert "tests/testruns/test_runners.py" in reached(["healing/testruns/inside/preload.cjs"], graph)


def test_pages_reach_the_tests_of_what_is_written(graph: grimp.ImportGraph) -> None:
    assert reached(["docs/offers.md", "README.md"], graph) == sorted(WRITTEN)


def test_what_is_in_no_package_reaches_nothing(graph: grimp.ImportGraph) -> None:
    assert reached(["Makefile", "compose.yml"], graph) == []
