"""Whether a push to a branch starts a workflow, by its `on:`."""

import pytest

from healing.checks.triggers import starts_on_push

BRANCH = "heal/try/0123456789ab/1-0123456789ab"


# ENV-6
@pytest.mark.parametrize(
    ("on", "starts"),
    [
        ("push", True),
        ("pull_request", False),
        ("[push, pull_request]", True),
        ("[pull_request, workflow_dispatch]", False),
        ("{push: , pull_request: }", True),
        ("{push: {branches: [main]}}", False),
        ("{push: {branches: main}}", False),
        ("{push: {branches: ['heal/try/**']}}", True),
        ("{push: {branches: ['heal/*']}}", False),
        ("{push: {branches: ['**']}}", True),
        ("{push: {branches: ['*']}}", False),
        ("{push: {branches: ['**', '!heal/**']}}", False),
        ("{push: {branches: ['!heal/**', '**']}}", True),
        ("{push: {branches-ignore: ['heal/**']}}", False),
        ("{push: {branches-ignore: [gh-pages]}}", True),
        ("{push: {tags: ['v*']}}", False),
        ("{push: {paths: ['docs/**']}}", True),  # not to be told by the file
        ("{pull_request: {branches: ['**']}}", False),
        ("{push: {branches: ['[']}}", False),
        ("{push: {branches: ['" + "*a" * 200 + "']}}", False),
    ],
)
def test_a_push_starts_a_workflow_as_its_filters_of_branches_say(on: str, starts: bool) -> None:
    assert starts_on_push("ci.yml", f"on: {on}\njobs: {{}}\n".encode(), BRANCH) is starts


def test_a_file_that_can_not_be_read_is_not_reported_as_idle() -> None:
    assert starts_on_push("ci.yml", b"on: [\n", BRANCH)
