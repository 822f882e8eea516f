"""Causes become clusters: what may need the same files goes to one agent, within limits."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from healing.causes import find_causes
from healing.clusters import ClusterLimits, make_clusters, subject_of
from healing.graph import import_graph
from healing.model import Category, CIError, Cluster, Related
from healing.view import DictView
from tests.causes.test_causes import ERRORS, error

REPO = {
    "src/shop/cart.py": b"from shop.money import Money\ndef total(): ...\n",
    "src/shop/money.py": b"class Money: ...\n",
    "src/shop/other.py": b"x = 1\n",
    "tests/test_cart.py": b"from shop.cart import total\nfrom shop.other import x\n",
    "tests/test_money.py": b"import shop.money\n",
}
GRAPH = import_graph(DictView(REPO))


def clusters_of(errors: list[CIError], limits: ClusterLimits | None = None) -> tuple[Cluster, ...]:
    return make_clusters(find_causes(errors), errors, GRAPH, limits)


def failed_test(number: int, file: str, frame: str | None = None) -> CIError:
    related = (Related(file=file, line=1), Related(file=frame, line=2)) if frame else ()
    return error(
        number, "assert 1 == 2", Category.TEST, tool="pytest", file=file, test=f"{file}::t{number}", related=related
    )


# CL-3
def test_a_failing_test_and_one_that_calls_the_same_file_go_to_one_agent() -> None:
    (cluster,) = clusters_of(
        [
            failed_test(1, "tests/test_cart.py"),
            failed_test(2, "tests/test_money.py", "src/shop/cart.py"),
            failed_test(3, "tests/test_cart.py"),
        ]
    )
    assert cluster.zone == ("src/shop/cart.py", "src/shop/money.py", "tests/test_cart.py", "tests/test_money.py")


# CL-3
def test_the_definition_of_a_named_symbol_is_in_the_zone() -> None:
    errors = [
        error(1, '"Money" has no attribute "amont"', Category.TYPE, tool="mypy", file="src/shop/cart.py"),
        error(2, "E501", file="src/shop/other.py"),
        error(3, "E711", file="src/shop/money.py"),
    ]
    clusters = clusters_of(errors)
    assert [c.zone for c in clusters] == [("src/shop/cart.py", "src/shop/money.py"), ("src/shop/other.py",)]
    assert clusters[0].error_ids == ("E1", "E3")


# CL-3
def test_the_subject_of_a_test_is_what_it_imports_under_its_own_name() -> None:
    assert subject_of("tests/test_cart.py", GRAPH) == ("src/shop/cart.py",)
    assert subject_of("tests/test_money.py", GRAPH) == ("src/shop/money.py",)
    assert subject_of("nowhere.py", GRAPH) == ()


# CL-4
def test_under_three_errors_there_is_one_cluster() -> None:
    errors = [error(1, "E501", file="a.py"), failed_test(2, "tests/test_cart.py")]
    (cluster,) = clusters_of(errors)
    assert (cluster.phase, len(cluster.error_ids)) == ("slow", 2)
    assert clusters_of([]) == ()


# CL-4
def test_a_cause_over_the_limit_stays_whole_because_one_edit_fixes_it() -> None:
    errors = [error(n, "Undefined name `Config`", file=f"m{n}.py") for n in range(30)]
    (cluster,) = clusters_of(errors)
    assert len(cluster.error_ids) == len(cluster.zone) == 30


# CL-4
def test_an_oversize_group_is_split_along_its_weakest_ties() -> None:
    """Two files with six causes each, tied together only by a frame that they share."""
    errors = [
        error(
            number,
            "assert 1 == 2",
            Category.TEST,
            tool="pytest",
            file=file,
            test=f"{file}::t{number}",
            related=(Related(file="lib/shared.py", line=1), Related(file=file, line=number)),
        )
        for number, file in enumerate(["tests/test_a.py"] * 6 + ["tests/test_b.py"] * 6)
    ]
    clusters = clusters_of(errors)
    assert [cluster.zone for cluster in clusters] == [
        ("lib/shared.py", "tests/test_a.py"),
        ("lib/shared.py", "tests/test_b.py"),
    ]


def test_lint_and_types_are_fast_and_come_first_tests_are_slow() -> None:
    errors = [
        failed_test(1, "tests/test_cart.py"),
        error(2, "E501", file="src/shop/cart.py"),
        error(3, "x", file="z.py"),
    ]
    assert [cluster.phase for cluster in clusters_of(errors)] == ["fast", "fast", "slow"]


# CL-4, CL-5
@given(ERRORS, st.randoms(), st.integers(1, 6), st.integers(1, 4))
def test_every_error_is_in_exactly_one_cluster_within_limits_and_their_order_changes_nothing(
    errors: list[CIError],
    random: Random,
    most: int,
    files: int,
) -> None:
    limits = ClusterLimits(errors=most, files=files)
    causes = find_causes(errors)
    clusters = make_clusters(causes, errors, GRAPH, limits)
    assert sorted(e for c in clusters for e in c.error_ids) == sorted(e.id for e in errors)
    if len(errors) >= limits.parallel_from:
        assert all(len(c.error_ids) <= most or len(c.causes) == 1 for c in clusters)
    shuffled = list(causes)
    random.shuffle(shuffled)
    random.shuffle(errors)
    assert make_clusters(shuffled, errors, GRAPH, limits) == clusters


# CL-5
def test_ten_thousand_errors_over_ten_thousand_files_that_share_a_hub_are_no_trouble() -> None:
    errors = [failed_test(n, f"tests/test_{n}.py", "src/shop/hub.py" if n % 2 else None) for n in range(10_000)]
    clusters = clusters_of(errors)
    assert sum(len(cluster.error_ids) for cluster in clusters) == 10_000


# AG-7
def test_clusters_and_the_errors_in_one_come_in_the_order_of_their_severity() -> None:
    errors = [
        error(1, "E501", Category.LINT, file="src/shop/cart.py"),
        error(2, "would reformat", Category.FORMAT, tool="black", file="a.py"),
        error(3, "invalid syntax", Category.SYNTAX, file="z.py"),
        error(4, '"Money" has no attribute "amont"', Category.TYPE, tool="mypy", file="src/shop/cart.py", line=9),
        error(5, "no module named nothing", Category.IMPORT, file="src/shop/other.py"),
        failed_test(6, "tests/test_money.py"),
    ]
    wanted = [("E3",), ("E5",), ("E4", "E1"), ("E2",), ("E6",)]
    assert [cluster.error_ids for cluster in clusters_of(errors)] == wanted
    assert [cluster.error_ids for cluster in clusters_of(errors[::-1])] == wanted
    two = [error(7, "E501", Category.LINT, file="a.py"), error(8, "invalid syntax", Category.SYNTAX, file="z.py")]
    (cluster,) = clusters_of(two)
    assert cluster.error_ids == ("E8", "E7"), "where all go to one agent it begins with the severest"
