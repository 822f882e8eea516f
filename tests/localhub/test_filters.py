"""Which pushes a workflow file asks for."""

import pytest

from lab.localhub.filters import wants


def push(filters: str) -> bytes:
    return f"on:\n  push:\n{filters}".encode()


@pytest.mark.parametrize(
    ("filters", "branch", "wanted"),
    [
        ("", "anything", True),
        ("    branches: [main]\n", "main", True),
        ("    branches: [main]\n", "maintenance", False),
        ("    branches: ['heal/try/**']\n", "heal/try/r1/1-abc", True),
        ("    branches: ['heal/*']\n", "heal/try/r1", False),
        ("    branches: ['**']\n", "heal/try/r1", True),
        ("    branches: ['v[0-9]+.x']\n", "v12.x", True),
        ("    branches: ['**', '!heal/**']\n", "heal/try/r1", False),
        ("    branches: ['!heal/**', '**']\n", "heal/try/r1", True),
        ("    branches-ignore: ['heal/**']\n", "heal/try/r1", False),
        ("    branches-ignore: ['heal/**']\n", "main", True),
        ("    tags: ['v*']\n", "main", False),
        ("    branches: main\n", "main", True),
        ("    paths: ['src/**']\n", "main", True),
    ],
)
def test_filters_of_branches_are_githubs(filters: str, branch: str, wanted: bool) -> None:
    assert wants(push(filters), "push", branch) is wanted


def test_a_pull_request_is_filtered_by_the_branch_that_it_is_for() -> None:
    data = b"on:\n  pull_request:\n    branches: [main]\n"
    assert wants(data, "pull_request", "main")
    assert not wants(data, "pull_request", "topic")


@pytest.mark.parametrize("data", [b"on: push\n", b"on: [push, pull_request]\n", b"'on': push\n", b"on:\n  push:\n"])
def test_a_push_without_filters_is_wanted_everywhere(data: bytes) -> None:
    assert wants(data, "push", "x/y")


@pytest.mark.parametrize("data", [b"on: pull_request\n", b"", b"[]", b"on: [\n", b"on:\n  workflow_dispatch:\n"])
def test_what_names_no_push_wants_none(data: bytes) -> None:
    assert not wants(data, "push", "main")
