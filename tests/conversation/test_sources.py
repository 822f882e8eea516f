"""Where errors come from beside a job's log: report files, annotations, statuses, a repository's own matchers."""

from lab.localhub import apps, checks
from tests.conversation.small_repo import CI, GREEN, ONE_SLIP, SHOP
from tests.world import OpenWorld, World

SILENT = (
    CI.replace("python -m pytest -q", "python -m pytest -q --junitxml=out/junit.xml > /dev/null")
    + """\
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: test results
          path: out/*.xml
"""
)
WRONG = {"shop.py": SHOP.replace("sum(prices)", "sum(prices) + 1")}
HOUSE = CI.replace("ruff check .", "grep -n 'TODO' shop.py | sed 's/^/shop.py !/' ; ! grep -q TODO shop.py")
MATCHER = """\
problem_matchers:
  - owner: house
    pattern:
      - regexp: '^(\\S+) !(\\d+):(.*)$'
        file: 1
        line: 2
        message: 3
"""


async def errors(w: World, sha: str) -> dict[str, tuple[str, str, int | None]]:
    """What the run on a commit tells: message → source, tool and line."""
    run = await w.store.run(sha, 1)
    assert run is not None
    assert run.outcome is not None
    return {e.message.strip().split("\n")[0]: (e.source, e.tool, e.line) for e in run.outcome.errors}


# EX-1
async def test_a_test_that_only_a_report_file_names_is_told_and_seen_here_in_the_same_report(world: OpenWorld) -> None:
    async with world({**GREEN, ".github/workflows/ci.yml": SILENT}) as w:
        pr = await w.healed(WRONG)
        run = await w.store.run(pr.head, 1)
        assert run is not None
        assert run.outcome is not None
        (failed,) = run.outcome.errors
        assert (failed.source, failed.tool, failed.test) == ("report", "pytest", "test_shop.py::test_total")
        (report,) = run.outcome.unfixables
        assert report.reason == "no-key"  # it could be worked on: the check that runs here writes the report too
        assert pr.comments() is not None


# EX-1
async def test_another_apps_annotations_are_errors_of_the_commit(world: OpenWorld) -> None:
    async with world(GREEN) as w:
        police = apps.register(w.hub, "style-police", webhook_url=None)
        apps.install(w.hub, police, w.repo.owner.login)
        pr = await w.pull({"shop.py": SHOP + "\n\nx = 1\n"})
        note = {"path": "shop.py", "start_line": 9, "end_line": 9, "annotation_level": "failure", "message": "Names!"}
        output = {"title": "1 problem", "summary": "…", "annotations": [note]}
        fields = {"name": "Style", "head_sha": pr.head, "conclusion": "failure", "output": output}
        checks.create_run(w.hub, w.repo, police.slug, police.bot, fields)
        await w.ci()
        await w.heal()
        assert (await errors(w, pr.head))["Names!"] == ("annotation", "Style", 9)


# EX-1
async def test_a_status_of_another_ci_is_healed_by_running_the_configured_check(world: OpenWorld) -> None:
    reported = {".github/heal.yml": "checks:\n  - python -m ruff check --select F821 .\n"}
    files = {path: text for path, text in GREEN.items() if not path.startswith(".github/")}
    async with world({**files, **reported}) as w:
        pr = await w.pull(ONE_SLIP)
        checks.set_status(w.hub, w.repo, w.hub.person("jenkins"), pr.head, "failure", "jenkins/lint", "broken")
        await w.heal()
        assert len(await w.store.proposals(pr.number)) == 1
        assert (len(pr.comments()), len(pr.reviews()), len(pr.standing())) == (1, 1, 1)


# EX-7
async def test_what_a_repositorys_own_matcher_reads_in_ci_shows_in_the_check_too(world: OpenWorld) -> None:
    async with world({**GREEN, ".github/workflows/ci.yml": HOUSE, ".github/heal.yml": MATCHER}) as w:
        pr = await w.healed({"shop.py": SHOP + "\n\n# TODO think\n"})
        run = await w.store.run(pr.head, 1)
        assert run is not None
        assert run.outcome is not None
        (error,) = [e for e in run.outcome.errors if e.tool == "house"]
        assert (error.file, error.line, error.message) == ("shop.py", 9, "# TODO think")
        assert "flaky" not in {r.how for r in run.outcome.resolutions}
