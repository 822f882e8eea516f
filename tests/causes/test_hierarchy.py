"""Causes that are behind others, names at fault in every language, and the ways to batch."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.causes import find_causes, read_message, shape_of
from healing.causes.hierarchy import explain, independent
from healing.clusters import ClusterLimits, make_clusters, remark
from healing.clusters.batching import Batching
from healing.graph import import_graph
from healing.model import Category, CIError, Related
from healing.view import DictView
from tests.causes.test_causes import ERRORS, error

REPO = {
    "pkg/broken.py": b"class Money:\n  def f(:\n",
    "pkg/user.py": b"from pkg.broken import Money\n",
    "pkg/apart.py": b"x = 1\n",
    "tests/test_user.py": b"from pkg.user import total\n",
    "model.ts": b"export interface Cart { a: Nothing }\n",
    "view.ts": b"import {Cart} from './model'\n",
}
VIEW = DictView(REPO)
GRAPH = import_graph(VIEW)


def syntax(number: int) -> CIError:
    return error(number, "SyntaxError: invalid syntax", Category.SYNTAX, file="pkg/broken.py", line=2)


def collection(number: int) -> CIError:
    frames = (Related(file="tests/test_user.py", line=1), Related(file="pkg/broken.py", line=2))
    message = f"ImportError: cannot import name 'total{number}' from 'pkg.user'"
    return error(number, message, Category.IMPORT, file="tests/test_user.py", related=frames)


# CL-1
def test_a_file_that_does_not_parse_is_behind_the_import_errors_of_those_that_need_it() -> None:
    user = error(2, 'Module "pkg.broken" has no attribute "Money"', Category.TYPE, file="pkg/user.py")
    apart = error(3, 'Name "Money" is not defined', Category.TYPE, file="pkg/apart.py")
    errors = [syntax(1), user, apart, *(collection(n) for n in range(10, 60))]
    causes = explain(find_causes(errors, VIEW), errors, GRAPH)
    assert [cause.message for cause in independent(causes)] == [apart.message, "SyntaxError: invalid syntax"]
    clusters = make_clusters(causes, errors, GRAPH)
    assert sorted(len(cluster.error_ids) for cluster in clusters) == [53], "what shares Money goes to one agent"


# CL-1
def test_an_error_of_a_type_itself_is_behind_those_of_its_users() -> None:
    errors = [
        error(1, "Interface 'Cart' incorrectly extends 'Basket'.", Category.TYPE, file="model.ts", code="TS2430"),
        error(2, "Property 'b' does not exist on type 'Cart'.", Category.TYPE, file="view.ts", code="TS2339"),
        error(3, "Property 'c' does not exist on type 'Other'.", Category.TYPE, file="view.ts", code="TS2339"),
    ]
    causes = explain(find_causes(errors, VIEW), errors, GRAPH)
    assert {c.error_ids: bool(c.explained_by) for c in causes} == {("E1",): False, ("E2",): True, ("E3",): False}


# CL-1
@pytest.mark.parametrize(
    ("message", "family", "symbols"),
    [
        ("Property 'x' does not exist on type 'Cart'. Did you mean 'y'?", "missing-attribute", ("x", "Cart")),
        ("Cannot find name 'Foo'. Did you mean 'Fob'?", "undefined-name", ("Foo",)),
        ("Cannot find module './nowhere' or its corresponding type declarations.", "no-module", ("./nowhere",)),
        ("Module '\"./names\"' has no exported member 'x'.", "missing-member", ("x", "./names")),
        ("undefined: Foo", "undefined-name", ("Foo",)),
        ("c.Foo undefined (type *Cart has no field or method Foo)", "missing-attribute", ("Foo", "*Cart")),
        ("no required module provides package example.org/x", "no-module", ("example.org/x",)),
        ("cannot find function `opne` in this scope: not found in this scope", "undefined-name", ("opne",)),
        ("failed to resolve: use of undeclared type `HashMap`", "undefined-name", ("HashMap",)),
        ("unresolved import `shop::cart::Cart`", "missing-member", ("Cart", "shop::cart")),
        (
            "no method named `totl` found for struct `Cart` in the current scope",
            "missing-attribute",
            ("totl", "Cart"),
        ),
        ("no field `x` on type `&Cart`", "missing-attribute", ("x", "Cart")),
        ("package nowhere does not exist", "no-module", ("nowhere",)),
        ("Unresolved reference: totl", "undefined-name", ("totl",)),
        ("use of undeclared identifier 'x'", "undefined-name", ("x",)),
        ("no member named 'cuont' in 'struct item'", "missing-attribute", ("cuont", "struct item")),
        ("'nowhere.h' file not found", "no-module", ("nowhere.h",)),
    ],
)
def test_compilers_of_all_languages_tell_what_they_miss(message: str, family: str, symbols: tuple[str, ...]) -> None:
    reading = read_message(error(1, message))
    assert (reading.family, reading.symbols) == (family, symbols)


# CL-1
def test_javac_says_in_its_notes_which_symbol_it_misses() -> None:
    notes = (Related(message="symbol: method totl()"), Related(message="location: class Cart"))
    assert read_message(error(1, "cannot find symbol", related=notes)).symbols == ("totl", "Cart")


# CL-1
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("refused: localhost:43211 after 1.2s", "refused: localhost:80 after 950ms"),
        ("[gw3] worker-12 lost tmpab12cd9", "[gw0] worker-4 lost tmpx9_k2l1"),
        ("no blob 1f3a9c0d77 in C:\\Users\\a\\x.txt", "no blob ab91c3e in /home/b/y.txt"),
        ("at 2026-01-02T10:11:12Z https://a.example/1", "at 2025-11-22T01:02:03Z https://b.example/2"),
        ("job 550e8400-e29b-41d4-a716-446655440000 died", "job 123e4567-e89b-12d3-a456-426614174000 died"),
    ],
)
def test_shapes_forget_what_another_machine_or_run_says_otherwise(left: str, right: str) -> None:
    assert shape_of(left) == shape_of(right)


def test_a_relative_module_is_another_one_in_each_folder() -> None:
    message = "Cannot find module './x' or its corresponding type declarations."
    errors = [error(n, message, Category.IMPORT, file=file) for n, file in enumerate(["a/m.ts", "a/n.ts", "b/m.ts"])]
    assert [len(cause.error_ids) for cause in find_causes(errors)] == [2, 1]


MANY = [
    error(1, "E501", file="pkg/apart.py", code="E501"),
    error(2, "E501", file="pkg/user.py", code="E501"),
    error(3, 'Incompatible types "x"', Category.TYPE, file="pkg/apart.py", code="assignment"),
    error(4, "assert 1 == 2", Category.TEST, file="tests/test_user.py", test="tests/test_user.py::t"),
]


# CL-4
@pytest.mark.parametrize(
    ("batching", "expected"),
    [
        ("dependency", [("E1", "E3"), ("E2",), ("E4",)]),
        ("file", [("E1", "E3"), ("E2",), ("E4",)]),
        ("type", [("E1", "E2"), ("E3",), ("E4",)]),
        ("agent", [("E1", "E2", "E3"), ("E4",)]),
    ],
)
def test_four_ways_to_batch(batching: Batching, expected: list[tuple[str, ...]]) -> None:
    def agent(*_: object) -> str:
        return "anyone"

    clusters = make_clusters(find_causes(MANY), MANY, GRAPH, batching=batching, agent_of=agent)
    assert sorted(tuple(sorted(cluster.error_ids)) for cluster in clusters) == sorted(expected)


# CL-4, CL-5
@given(ERRORS, st.randoms(), st.sampled_from(["dependency", "file", "type", "agent"]))
def test_explained_or_not_every_error_is_in_one_cluster_and_their_order_changes_nothing(
    errors: list[CIError],
    random: Random,
    batching: Batching,
) -> None:
    causes = explain(find_causes(errors), errors, GRAPH)
    known = {cause.fingerprint: cause for cause in causes}
    assert all(not cause.explained_by or not known[cause.explained_by].explained_by for cause in causes)
    limits = ClusterLimits(errors=4, files=2)
    clusters = make_clusters(causes, errors, GRAPH, limits, batching)
    assert sorted(i for cluster in clusters for i in cluster.error_ids) == sorted(e.id for e in errors)
    if len(errors) >= limits.parallel_from:
        for cluster in clusters:
            heads = independent(cluster.causes)
            assert len(heads) <= 1 or sum(len(cause.error_ids) for cause in heads) <= limits.errors
    random.shuffle(errors)
    assert explain(find_causes(errors), errors, GRAPH) == causes
    assert make_clusters(causes, errors, GRAPH, limits, batching) == clusters


# CL-3
def test_a_repo_of_unknown_languages_is_clustered_by_file_with_a_word_about_it() -> None:
    errors = [
        error(n, f"broken {n}", Category.COMPILE, file=file) for n, file in enumerate(["a.zig", "a.zig", "b.zig"])
    ]
    graph = import_graph(DictView({"a.zig": b"", "b.zig": b""}))
    clusters = make_clusters(find_causes(errors), errors, graph)
    assert [cluster.zone for cluster in clusters] == [("a.zig",), ("b.zig",)]
    assert remark(graph, clusters) == "grouped by file alone: Heal reads no imports in files like a.zig"
    assert remark(GRAPH, make_clusters(find_causes(MANY), MANY, GRAPH)) == ""
    documents = [error(n, f"broken {n}", Category.LINT, file=file) for n, file in enumerate(["a.rst", "b.yml"])]
    assert remark(graph, make_clusters(find_causes(documents), documents, graph)) == ""
