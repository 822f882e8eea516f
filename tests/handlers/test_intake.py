"""Payloads → events."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.events import (
    ButtonPressed,
    CheckFailed,
    CommentCreated,
    PullChanged,
    PullClosed,
    RerunAsked,
    StatusPassed,
    Uninstalled,
)
from handlers.intake import BadPayload, parse_event
from tests.handlers.corpus import corpus

BASE = {
    "installation": {"id": 3},
    "repository": {"id": 7, "full_name": "ada/calc", "default_branch": "main", "private": True},
    "sender": {"login": "ada", "id": 1, "type": "User"},
}
CHECK = {"id": 11, "name": "test", "head_sha": "a" * 40, "conclusion": "failure", "app": {"slug": "github-actions"}}


def payload(action: str, **parts: object) -> dict[str, object]:
    return {**BASE, "action": action, **parts}


# IN-1
def test_a_failed_check_run_becomes_a_failed_check() -> None:
    ours = {"ref": "main", "sha": "c" * 40, "repo": {"id": 7}}
    pulls = [
        {"number": 5, "head": {"sha": "a" * 40}, "base": ours},
        {"number": 6, "head": {"sha": "b" * 40}, "base": ours},
    ]
    run = {**CHECK, "check_suite": {"id": 4, "head_branch": "faster"}, "pull_requests": pulls}
    event = parse_event("check_run", payload("completed", check_run=run))
    assert isinstance(event, CheckFailed)
    assert (event.check_run_id, event.check_suite_id, event.head_branch) == (11, 4, "faster")
    assert event.pull_numbers == (5,)  # the other one only looks alike
    assert event.repo.private


# IN-1, IN-5
def test_a_pull_request_of_somebody_elses_fork_that_follows_our_branch_is_none_of_ours() -> None:
    theirs = {"number": 5, "head": {"sha": "a" * 40}, "base": {"ref": "main", "sha": "c" * 40, "repo": {"id": 999}}}
    unnamed = {"number": 6, "head": {"sha": "a" * 40}}
    run = {**CHECK, "check_suite": {"id": 4, "head_branch": "main"}, "pull_requests": [theirs, unnamed]}
    event = parse_event("check_run", payload("completed", check_run=run))
    assert isinstance(event, CheckFailed)
    assert event.pull_numbers == ()


# IN-1
@pytest.mark.parametrize("conclusion", ["success", "neutral", "skipped", "cancelled", "stale", None])
def test_a_check_that_did_not_fail_is_ignored(conclusion: str | None) -> None:
    assert parse_event("check_run", payload("completed", check_run={**CHECK, "conclusion": conclusion})) is None


# IN-1
def test_a_workflow_run_knows_the_owner_of_its_fork() -> None:
    run = {
        "id": 1,
        "name": "CI",
        "head_sha": "a" * 40,
        "head_branch": "fix",
        "run_attempt": 2,
        "conclusion": "failure",
        "head_repository": {"id": 99, "owner": {"login": "eve"}},
    }
    event = parse_event("workflow_run", payload("completed", workflow_run=run))
    assert isinstance(event, CheckFailed)
    assert (event.workflow_run_id, event.run_attempt, event.head_owner) == (1, 2, "eve")
    assert (event.head_repo_id, event.own_branch) == (99, None)
    deleted = parse_event("workflow_run", payload("completed", workflow_run={**run, "head_repository": None}))
    assert isinstance(deleted, CheckFailed)
    assert deleted.own_branch is None


# IN-1
@pytest.mark.parametrize(("others", "branch"), [(["dev"], "main"), ([], "main")])
def test_a_status_of_a_commit_on_the_default_branch_is_one_whatever_other_branches_hold_it(
    others: list[str], branch: str
) -> None:
    held = [{"name": name} for name in (*others, branch)]
    reported = {**BASE, "sha": "a" * 40, "state": "error", "context": "ci/x", "branches": held}
    event = parse_event("status", reported)
    assert isinstance(event, CheckFailed)
    assert event.own_branch == branch


# IN-1
def test_buttons_reruns_statuses_pulls_and_comments_become_events() -> None:
    pressed = parse_event(
        "check_run", payload("requested_action", check_run=CHECK, requested_action={"identifier": "retry"})
    )
    assert isinstance(pressed, ButtonPressed)
    assert pressed.identifier == "retry"
    assert isinstance(parse_event("check_run", payload("rerequested", check_run=CHECK)), RerunAsked)
    status = parse_event("status", {**BASE, "sha": "a" * 40, "state": "error", "context": "ci/x"})
    assert isinstance(status, CheckFailed)
    assert status.name == "ci/x"
    passed = parse_event(
        "status", {**BASE, "sha": "a" * 40, "state": "success", "context": "ci/x", "branches": [{"name": "topic"}]}
    )
    assert isinstance(passed, StatusPassed)
    assert (passed.name, passed.head_branch) == ("ci/x", "topic")
    assert parse_event("status", {**BASE, "sha": "a" * 40, "state": "pending"}) is None
    pull = {"number": 5, "head": {"sha": "a" * 40}, "merged": True}
    moved = parse_event("pull_request", payload("synchronize", pull_request=pull, before="b" * 40))
    assert isinstance(moved, PullChanged)
    assert isinstance(parse_event("pull_request", payload("closed", pull_request=pull)), PullClosed)
    comment = {"id": 9, "body": "/heal", "in_reply_to_id": 8}
    reply = parse_event("pull_request_review_comment", payload("created", pull_request=pull, comment=comment))
    assert isinstance(reply, CommentCreated)
    assert reply.in_reply_to == 8


# SC-2
def test_the_text_of_a_submitted_review_may_hold_a_command_whatever_the_review_decides() -> None:
    pull = {"number": 5, "head": {"sha": "a" * 40}}
    for state in ("commented", "approved", "changes_requested"):
        review = {"id": 9, "node_id": "PRR_9", "state": state, "body": "/heal"}
        output = parse_event("pull_request_review", payload("submitted", pull_request=pull, review=review))
        assert isinstance(output, CommentCreated)
        assert (output.where, output.comment_id, output.node_id, output.body) == ("summary", 9, "PRR_9", "/heal")
        for action, text in (("edited", "/heal"), ("dismissed", "/heal"), ("submitted", None), ("submitted", "")):
            other = payload(action, pull_request=pull, review={**review, "body": text})
            assert parse_event("pull_request_review", other) is None


# IN-1
def test_comments_on_issues_edited_comments_and_retitled_pulls_are_not_for_us() -> None:
    comment = {"id": 9, "body": "/heal"}
    on_issue = payload("created", issue={"number": 5}, comment=comment)
    edited = payload("edited", issue={"number": 5, "pull_request": {}}, comment=comment)
    retitled = payload("edited", pull_request={"number": 5, "head": {"sha": "a"}}, changes={"title": {}})
    assert parse_event("issue_comment", on_issue) is None
    assert parse_event("issue_comment", edited) is None
    assert parse_event("pull_request", retitled) is None


# OP-9
def test_an_empty_list_of_removed_repositories_never_means_all() -> None:
    assert parse_event("installation_repositories", payload("removed", repositories_removed=[])) is None
    assert parse_event("installation", payload("deleted")) == Uninstalled(installation_id=3)


# IN-2
@pytest.mark.parametrize("broken", [[], "x", None, payload("completed"), payload("completed", check_run={"id": "x"})])
def test_a_malformed_payload_says_what_is_wrong(broken: object) -> None:
    with pytest.raises(BadPayload, match="check_run"):
        parse_event("check_run", broken)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*BASE, "check_run", "id"]), inner),
    max_leaves=10,
)
NAMES = ["check_run", "check_suite", "workflow_run", "status", "pull_request", "issue_comment", "installation", "push"]


# IN-2
@given(name=st.sampled_from(NAMES), parts=st.dictionaries(st.sampled_from([*NAMES, "action", "sha"]), JSON))
def test_any_json_is_an_event_or_nothing_or_a_bad_payload(name: str, parts: dict[str, object]) -> None:
    with suppress(BadPayload):
        parse_event(name, {**BASE, **parts})


# IN-1, IN-2
def test_no_real_payload_is_a_surprise() -> None:
    examples = json.loads((corpus() / "webhooks" / "webhooks.json").read_text())
    seen = set()
    for example in examples:
        whole = {"installation": {"id": 3}, **example["payload"]}  # old examples lack it
        for body in (example["payload"], whole):
            event = parse_event(example["event"], body)
            seen.add(type(event).__name__)
    assert {
        "CheckFailed",
        "PullChanged",
        "CommentCreated",
        "RerunAsked",
        "SuiteSettled",
        "Installed",
        "NoneType",
    } <= seen


# IN-1
def test_nothing_in_the_place_of_something_is_as_good_as_not_there() -> None:
    """An organisation's app, an older server or a deleted account: what need not be there may be null."""
    nulls = {"pull_requests": None, "check_suite": None, "app": None, "conclusion": "failure"}
    failed = parse_event("check_run", payload("completed", check_run={**CHECK, **nulls}) | {"sender": None})
    assert isinstance(failed, CheckFailed)
    assert (failed.pull_numbers, failed.app_slug, failed.sender.login) == ((), None, "ghost")
    run = {"id": 1, "head_sha": "a" * 40, "conclusion": "failure", "run_attempt": None, "head_repository": None}
    again = parse_event("workflow_run", payload("completed", workflow_run=run | {"name": None, "head_branch": None}))
    assert isinstance(again, CheckFailed)
    assert again.run_attempt == 1
    pull = {"number": 5, "head": {"sha": "a" * 40, "repo": None}, "draft": None, "merged": None, "user": None}
    assert isinstance(parse_event("pull_request", payload("opened", pull_request=pull, label=None)), PullChanged)
    with pytest.raises(BadPayload, match="head_sha"):
        parse_event("check_run", payload("completed", check_run={**CHECK, "head_sha": None}))
