"""Who imports whom, in the layouts that people use."""

from hypothesis import given
from hypothesis import strategies as st

from healing.graph import Cache, import_graph, is_test
from healing.view import DictView

SRC = {
    "src/shop/__init__.py": b"from .cart import Cart\n",
    "src/shop/cart.py": b"from shop import prices\nfrom .money import Money as M\nimport json\n",
    "src/shop/prices.py": b"def price(): ...\n",
    "src/shop/money.py": b"class Money: ...\n",
    "src/shop/lonely.py": b"",
    "tests/conftest.py": b"import pytest\n",
    "tests/test_cart.py": b"from shop.cart import Cart\n",
    "tests/test_lonely.py": b"def test():\n    import shop.lonely\n",
    "tests/unit/test_nothing.py": b"",
}


# CL-2
def test_imports_lead_to_submodules_first_and_else_to_the_module() -> None:
    graph = import_graph(DictView(SRC))
    assert graph.imports("src/shop/cart.py") == {"src/shop/prices.py", "src/shop/money.py"}
    assert graph.imports("src/shop/__init__.py") == {"src/shop/cart.py"}
    assert graph.imports("tests/test_lonely.py") == {"src/shop/lonely.py"}


# CL-2
def test_a_change_reaches_the_tests_of_everything_that_needs_it() -> None:
    graph = import_graph(DictView(SRC))
    assert "tests/test_cart.py" in graph.with_dependents(["src/shop/money.py"])
    assert graph.with_dependents(["src/shop/lonely.py"]) == {"src/shop/lonely.py", "tests/test_lonely.py"}


# CL-2
def test_a_packages_init_reaches_all_its_modules_and_a_conftest_the_tests_below() -> None:
    graph = import_graph(DictView(SRC))
    assert "tests/test_lonely.py" in graph.with_dependents(["src/shop/__init__.py"])
    assert graph.with_dependents(["tests/conftest.py"]) == {
        "tests/conftest.py",
        "tests/test_cart.py",
        "tests/test_lonely.py",
        "tests/unit/test_nothing.py",
    }


# CL-2
def test_a_file_that_does_not_parse_is_read_line_by_line() -> None:
    files = {
        "a.py": b"from b import (x,\nimport c, d as e\n  from .. import nowhere\ndef f(\n",
        "b.py": b"",
        "c.py": b"",
        "d.py": b"",
    }
    assert import_graph(DictView(files)).imports("a.py") == {"b.py", "c.py", "d.py"}


def test_the_nearest_of_several_scripts_with_one_name_is_meant() -> None:
    files = {"one/run.py": b"import tools\n", "one/tools.py": b"", "two/run.py": b"import tools\n", "two/tools.py": b""}
    graph = import_graph(DictView(files))
    assert graph.imports("one/run.py") == {"one/tools.py"}
    assert graph.imports("two/run.py") == {"two/tools.py"}


# CL-2
def test_only_new_blobs_are_read_again() -> None:
    class Counting(DictView):
        reads = 0

        def read(self, path: str) -> bytes | None:
            self.reads += 1
            return super().read(path)

    cache = Cache()
    import_graph(Counting(SRC), cache)
    view = Counting({**SRC, "src/shop/prices.py": b"from shop import money\n"})
    assert import_graph(view, cache).imports("src/shop/prices.py") == {"src/shop/money.py"}
    assert view.reads == 1


def test_definitions_are_known_by_name() -> None:
    assert import_graph(DictView(SRC)).defining("Money") == ("src/shop/money.py",)


def test_tests_are_known_by_their_names_and_folders() -> None:
    assert all(map(is_test, ["tests/helpers.py", "pkg/test_a.py", "a_test.py", "conftest.py"]))
    assert not any(map(is_test, ["testing_tools.py", "src/contest.py", "attest/a.py"]))


@given(st.dictionaries(st.from_regex(r"([a-c]/){0,2}(__init__|[a-c])\.py", fullmatch=True), st.binary(max_size=60)))
def test_whatever_the_files_hold_there_is_a_graph(files: dict[str, bytes]) -> None:
    graph = import_graph(DictView(files))
    assert graph.with_dependents(files) == set(files)


def test_deep_nesting_and_null_bytes_do_no_harm() -> None:
    files = {"a.py": b"x = " + b"(" * 5000, "b.py": b"import a\x00\n", "c.py": b"-" * 100_000 + b"1\nimport a\n"}
    assert import_graph(DictView(files)).files == ("a.py", "b.py", "c.py")
