"""REST of check runs, check suites and commit statuses."""

from lab.localhub import checks as domain
from lab.localhub.calls import Answer, Call, Table, paged
from lab.localhub.ci_state import CheckRun, CheckSuite
from lab.localhub.shapes import checks, repos
from lab.localhub.state import App, Refused

table = Table()


@table.on("POST", "/R/check-runs", "checks:write")
def create_run(call: Call) -> Answer:
    """Creates a check run of the calling App."""
    call.need("name", str), call.need("head_sha", str)
    run = domain.create_run(call.hub, call.repo, _app(call).slug, call.account, call.body)
    return Answer(checks.check_run(call.hub, run), 201)


@table.on("PATCH", "/R/check-runs/{run}", "checks:write")
def update_run(call: Call) -> Answer:
    """Updates a check run; only the App that created it may."""
    run = _run(call)
    if run.app_slug != _app(call).slug:
        raise Refused(403, f"Invalid app_id `{call.app_id}` - check run can only be modified by the GitHub App")
    return Answer(checks.check_run(call.hub, domain.update_run(call.hub, run, call.account, call.body)))


@table.on("GET", "/R/check-runs/{run}", "checks:read")
def get_run(call: Call) -> Answer:
    """One check run."""
    return Answer(checks.check_run(call.hub, _run(call)))


@table.on("GET", "/R/check-runs/{run}/annotations", "checks:read")
def list_annotations(call: Call) -> Answer:
    """Lists a check run's annotations."""
    run = _run(call)
    return paged(call, run.annotations, lambda one: checks.annotation(call.hub, run, one))


@table.on("POST", "/R/check-suites", "checks:write")
def create_suite(call: Call) -> Answer:
    """Creates the calling App's suite on a commit; 200 if it exists already."""
    sha = call.need("head_sha", str)
    if call.hub.bare(call.repo).sha(sha) != sha:
        raise Refused(422, f"No commit found for SHA: {sha}")
    before = len(call.hub.suites)
    suite = domain.suite_for(call.hub, call.repo, _app(call).slug, sha)
    return Answer(checks.check_suite(call.hub, suite), 201 if len(call.hub.suites) > before else 200)


@table.on("PATCH", "/R/check-suites/preferences", "checks:write")
def set_preferences(call: Call) -> Answer:
    """Sets whether GitHub creates a suite of the calling App on every push."""
    app = _app(call)
    for preference in call.need("auto_trigger_checks", list):
        if preference["app_id"] != app.id:
            raise Refused(422, "Invalid request.")
        call.repo.suites_off = (
            call.repo.suites_off - {app.slug} if preference["setting"] else {*call.repo.suites_off, app.slug}
        )
    shown = [{"app_id": app.id, "setting": app.slug not in call.repo.suites_off}]
    return Answer({"preferences": {"auto_trigger_checks": shown}, "repository": repos.minimal(call.hub, call.repo)})


@table.on("GET", "/R/check-suites/{suite}", "checks:read")
def get_suite(call: Call) -> Answer:
    """One check suite."""
    return Answer(checks.check_suite(call.hub, _suite(call)))


@table.on("GET", "/R/check-suites/{suite}/check-runs", "checks:read")
def list_for_suite(call: Call) -> Answer:
    """Lists the runs of a suite."""
    return _list(call, domain.runs_of(call.hub, _suite(call)))


@table.on("GET", "/R/commits/{ref:path}/check-runs", "checks:read")
def list_for_ref(call: Call) -> Answer:
    """Lists the runs of a commit; by default the latest of each name."""
    return _list(call, domain.runs_on(call.hub, call.repo, _sha(call, call.params["ref"])))


@table.on("GET", "/R/commits/{ref:path}/status", "statuses:read")
def combined_status(call: Call) -> Answer:
    """Returns the combined state of statuses, without check runs."""
    return Answer(checks.combined(call.hub, call.repo, _sha(call, call.params["ref"])))


@table.on("POST", "/R/statuses/{sha}", "statuses:write")
def create_status(call: Call) -> Answer:
    """Sets a commit status."""
    status = domain.set_status(
        call.hub,
        call.repo,
        call.account,
        call.params["sha"],
        call.need("state", str),
        call.maybe("context", str) or "default",
        call.maybe("description", str),
        call.maybe("target_url", str),
    )
    return Answer(checks.status(call.hub, status), 201)


def _list(call: Call, runs: list[CheckRun]) -> Answer:
    query = call.query
    shown = domain.latest(runs) if query.get("filter", "latest") == "latest" else runs
    for key in ("status", "check_name"):
        wanted = query.get(key)
        if wanted:
            shown = [run for run in shown if (run.name if key == "check_name" else run.status) == wanted]
    if query.get("app_id"):
        shown = [run for run in shown if str(checks.check_run(call.hub, run)["app"]["id"]) == query["app_id"]]
    return paged(call, reversed(shown), lambda run: checks.check_run(call.hub, run), "check_runs")


def _app(call: Call) -> App:
    app = call.hub.apps.get(call.app_id or 0)
    if app is None:
        raise Refused(403, "You must authenticate via a GitHub App.")
    return app


def _run(call: Call) -> CheckRun:
    run = call.hub.check_runs.get(call.number("run"))
    if run is None or run.repo_id != call.repo.id:
        raise Refused(404, "Not Found")
    return run


def _suite(call: Call) -> CheckSuite:
    suite = call.hub.suites.get(call.number("suite"))
    if suite is None or suite.repo_id != call.repo.id:
        raise Refused(404, "Not Found")
    return suite


def _sha(call: Call, ref: str) -> str:
    sha = call.hub.bare(call.repo).sha(ref)
    if sha is None:
        raise Refused(422, f"No commit found for SHA: {ref}")
    return sha
