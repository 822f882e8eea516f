"""Check suites, check runs and commit statuses: who may write what, and the events that follow."""

from typing import Any

from lab.localhub.annotations import refuse_annotations
from lab.localhub.ci_state import CheckRun, CheckSuite, CommitStatus
from lab.localhub.hub import Hub
from lab.localhub.state import Account, App, Pull, Refused, Repo

CONCLUSIONS = ("action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out")
STATUSES = ("queued", "in_progress", "completed")
LIMITS = {"label": 20, "description": 40, "identifier": 20}
TEXT_LIMIT = 65535


def suite_for(
    hub: Hub, repo: Repo, app_slug: str, sha: str, branch: str | None = None, before: str | None = None
) -> CheckSuite:
    """Returns the suite of an App on a commit, created if it doesn't exist."""
    for suite in hub.suites.values():
        if (suite.repo_id, suite.app_slug, suite.head_sha) == (repo.id, app_slug, sha):
            return suite
    now = hub.now()
    suite = CheckSuite(hub.next_id(), repo.id, app_slug, sha, branch or _branch_of(hub, repo, sha), now, now, before)
    hub.suites[suite.id] = suite
    return suite


def request_suites(hub: Hub, repo: Repo, sha: str, branch: str, before: str | None, sender: Account) -> None:
    """Creates a suite of each App with checks:write for a pushed commit, and requests it."""
    for app in hub.apps.values():
        installation = hub.installation_for(app, repo)
        known = any((one.app_slug, one.head_sha) == (app.slug, sha) for one in hub.suites.values())
        asked = installation is not None and installation.permissions.get("checks") == "write"
        if asked and not known and app.slug not in repo.suites_off:
            suite = suite_for(hub, repo, app.slug, sha, branch, before)
            hub.publish("check_suite", "requested", repo, sender, only_app=app.slug, suite=suite)


def create_run(hub: Hub, repo: Repo, app_slug: str, sender: Account, fields: dict[str, Any]) -> CheckRun:
    """Creates a check run from the fields of the REST call. Raises Refused(422) for an unknown commit, or above
    GitHub's limits."""
    refuse_fields(fields)
    with hub.lock:
        if hub.bare(repo).sha(str(fields["head_sha"])) != fields["head_sha"]:
            raise Refused(422, f"No commit found for SHA: {fields['head_sha']}")
        keys = {(one.repo_id, one.app_slug, one.head_sha) for one in hub.suites.values()}
        if app_slug in repo.suites_off and (repo.id, app_slug, fields["head_sha"]) not in keys:
            raise Refused(422, f"No check suite found for SHA: {fields['head_sha']}")
        suite = suite_for(hub, repo, app_slug, fields["head_sha"])
        run = CheckRun(
            hub.next_id(), repo.id, suite.id, app_slug, fields["name"], fields["head_sha"], started_at=hub.now()
        )
        hub.check_runs[run.id] = run
        _write(hub, run, fields)
        hub.publish("check_run", "created", repo, sender, check_run=run)
        if run.status == "completed":
            hub.publish("check_run", "completed", repo, sender, check_run=run)
        settle_suite(hub, suite, sender)
        return run


def update_run(hub: Hub, run: CheckRun, sender: Account, fields: dict[str, Any]) -> CheckRun:
    """Updates a check run; annotations are appended. A completed run keeps its status and conclusion: GitHub responds
    with 200 to other ones and ignores them; only the texts can still change."""
    refuse_fields({"name": run.name, **fields})
    with hub.lock:
        was = run.status
        _write(hub, run, fields)
        if run.status == "completed" and was != "completed":
            hub.publish("check_run", "completed", hub.repos[run.repo_id], sender, check_run=run)
        settle_suite(hub, hub.suites[run.suite_id], sender)
        return run


def refuse_fields(fields: dict[str, Any]) -> None:
    """Raises Refused(422) for fields above GitHub's limits for a check run."""
    output = fields.get("output") or {}
    if output and ("summary" not in output or "title" not in output):
        missing = "summary" if "summary" not in output else "title"
        raise Refused(422, f'Invalid request.\n\n"{missing}" wasn\'t supplied.')
    for key in ("summary", "text"):
        length = len(output.get(key) or "")
        if length > TEXT_LIMIT:
            raise Refused(422, f"Invalid request.\n\nOnly {TEXT_LIMIT} characters are allowed; {length} were supplied.")
    refuse_annotations(output.get("annotations") or [])
    _refuse_actions(fields.get("actions") or [])
    if fields.get("conclusion") not in (None, *CONCLUSIONS):
        raise Refused(422, f"Invalid request.\n\n{fields['conclusion']} is not a possible value for conclusion.")
    if fields.get("status", "queued") not in STATUSES:
        raise Refused(422, f"Invalid request.\n\n{fields['status']} is not a possible value for status.")
    if fields.get("status") == "completed" and not fields.get("conclusion"):
        raise Refused(422, 'Invalid request.\n\n"conclusion" wasn\'t supplied.')


def settle_suite(hub: Hub, suite: CheckSuite, sender: Account) -> None:
    """Completes the suite if all its runs are completed; the event is sent each time that happens."""
    if suite.app_slug == "github-actions":
        return  # completed by its workflow run, since jobs may still be added
    runs = runs_of(hub, suite)
    was, suite.updated_at = suite.status, hub.now()
    suite.status = "completed" if all(r.status == "completed" for r in runs) else "in_progress"
    suite.conclusion = worst([r.conclusion for r in runs]) if suite.status == "completed" else None
    if suite.status == "completed" and was != "completed":
        hub.publish("check_suite", "completed", hub.repos[suite.repo_id], sender, suite=suite)


def worst(conclusions: list[str | None]) -> str:
    """Returns the combined conclusion of several."""
    for bad in ("failure", "timed_out", "action_required", "cancelled"):
        if bad in conclusions:
            return bad
    return "success" if "success" in conclusions else "neutral"


def runs_of(hub: Hub, suite: CheckSuite) -> list[CheckRun]:
    """Returns the runs of one suite, oldest first."""
    return [run for run in hub.check_runs.values() if run.suite_id == suite.id]


def runs_on(hub: Hub, repo: Repo, sha: str) -> list[CheckRun]:
    """Returns the runs of one commit, oldest first, including re-runs."""
    return [run for run in hub.check_runs.values() if (run.repo_id, run.head_sha) == (repo.id, sha)]


def latest(runs: list[CheckRun]) -> list[CheckRun]:
    """Returns the newest run of each App and name."""
    return list({(run.app_slug, run.name): run for run in runs}.values())


def pulls_with(hub: Hub, repo: Repo, sha: str) -> list[Pull]:
    """Returns what an event lists as `pull_requests`: open, of the same repository, with this head; never from
    forks."""
    mine = [p for p in hub.pulls_of(repo) if p.state == "open" and p.head_repo_id == repo.id]
    return [pull for pull in mine if pull.head_sha == sha]


def press_button(hub: Hub, person: str, run: CheckRun, identifier: str) -> None:
    """A person presses a button of a check run; only people with write access see them."""
    repo = hub.repos[run.repo_id]
    if not hub.may(repo, person, "write"):
        raise Refused(403, "Must have write access to the repository.")
    if run.status != "completed" or identifier not in [action["identifier"] for action in run.actions]:
        raise Refused(404, "Not Found")
    hub.publish(
        "check_run", "requested_action", repo, hub.person(person), only_app=run.app_slug, check_run=run,
        identifier=identifier,
    )  # fmt: skip


def rerequest(hub: Hub, person: str, run: CheckRun) -> None:
    """A person presses "Re-run" on a check; its App creates a new run, as a completed one can't change."""
    repo = hub.repos[run.repo_id]
    hub.publish("check_run", "rerequested", repo, hub.person(person), only_app=run.app_slug, check_run=run)


def set_status(
    hub: Hub, repo: Repo, sender: Account, sha: str, state: str, context: str = "default",
    description: str | None = None, target_url: str | None = None,
) -> CommitStatus:  # fmt: skip
    """Sets a commit status, as a third-party CI does."""
    if state not in ("error", "failure", "pending", "success"):
        raise Refused(422, "Validation Failed", [{"resource": "Status", "code": "custom", "field": "state"}])
    with hub.lock:
        if hub.bare(repo).sha(sha) != sha:
            raise Refused(422, f"No commit found for SHA: {sha}")
        status = CommitStatus(hub.next_id(), repo.id, sha, state, context, description, target_url, sender, hub.now())
        hub.statuses.append(status)
        hub.publish("status", None, repo, sender, status=status)
        return status


def app_of(hub: Hub, slug: str) -> App | None:
    """Returns the App; None for the local Actions."""
    return hub.app_by_slug(slug)


def _write(hub: Hub, run: CheckRun, fields: dict[str, Any]) -> None:
    """Applies the fields of a create or update call."""
    ended = run.status == "completed"
    for key in ("name", "details_url", "external_id", "actions", *(() if ended else ("status", "conclusion"))):
        if fields.get(key) is not None:
            setattr(run, key, fields[key])
    if fields.get("conclusion"):
        run.status = "completed"
    run.completed_at = (run.completed_at or hub.now()) if run.status == "completed" else None
    if run.status != "completed":
        run.conclusion = None
    output = fields.get("output") or {}
    run.title, run.summary = output.get("title", run.title), output.get("summary", run.summary)
    run.text = output.get("text", run.text)
    run.annotations = [*run.annotations, *(output.get("annotations") or [])]


def _refuse_actions(actions: list[dict[str, str]]) -> None:
    if len(actions) > 3:
        raise Refused(422, f"Invalid request.\n\nNo more than 3 items are allowed; {len(actions)} were supplied.")
    for action in actions:
        for key, limit in LIMITS.items():
            value = action.get(key)
            if value is None:
                raise Refused(422, f'Invalid request.\n\n"{key}" wasn\'t supplied.')
            if len(value) > limit:
                message = f"Only {limit} characters are allowed; {len(value)} were supplied."
                raise Refused(422, f"Invalid request.\n\n{message}")


def _branch_of(hub: Hub, repo: Repo, sha: str) -> str | None:
    """Returns the branch whose head is `sha`; None for a commit of a fork."""
    heads = hub.bare(repo).refs("refs/heads/")
    return next((ref.removeprefix("refs/heads/") for ref, at in heads.items() if at == sha), None)
