"""The pages that are looked at, over plain HTTP."""

import re
from collections import deque

import pytest

from lab.localhub import actions, checks, pulls, pushes, repos
from lab.localhub.ci_state import Step
from lab.localhub.joblog import JobLog
from tests.pages.conftest import AFTER, Stage

pytestmark = pytest.mark.asyncio(loop_scope="session")


def red_job(stage: Stage) -> int:
    """A failed job with a log; gives its id."""
    run = actions.begin_run(stage.hub, stage.repo, ".github/workflows/ci.yml", "CI", stage.pull.head_sha, "spelling")
    job = actions.begin_job(stage.hub, run, "lint <b>")
    log = JobLog(stage.hub.now)
    log.run_group("ruff check .", "/usr/bin/bash -e {0}", {})
    log.text(b"code.py:10:1: \x1b[1;31mF821\x1b[0m Undefined name `tne` <script>\n\x1b]8;;http://x\x07a\xe2\x80\xaeb")
    log.line("##[error]Process completed with exit code 1.")
    note = {"path": "code.py", "start_line": 10, "end_line": 10, "annotation_level": "failure", "message": "Undefined"}
    steps = [Step(1, "Set up job", "success"), Step(2, "Ruff", "failure")]
    actions.finish_job(stage.hub, job, "failure", steps, log.data(), [note])
    actions.finish_run(stage.hub, run)
    return job.id


async def test_the_conversation_tells_everything_in_order(stage: Stage) -> None:
    stage.suggest(10, "line10 = ten\n")
    red_job(stage)
    pulls.comment(stage.hub, "sam", stage.pull, "| a | b |\n|---|--:|\n| 1 | `x\\|y` |\n\n<!-- hidden -->")
    async with stage.client() as maya:
        page = (await maya.get(stage.path)).text
    main = page[page.index("<main") :]
    order = [
        "GitHub on your own machine", "Numbers in words", "<strong>in words</strong>", "Spell numbers", "code.py",
        "Suggested change", "<code>x|y</code>", "Some checks did not pass: 1 failed", "Add a comment",
    ]  # fmt: skip
    places = [main.index(words) for words in order]
    assert places == sorted(places)
    assert "hidden" not in page.partition("<code>x|y</code>")[2].partition("</article>")[0]
    assert '<option value="maya" selected>maya (admin)</option>' in page
    assert '<option value="sam">sam (read)</option>' in page


async def test_a_job_shows_its_log_without_colours_and_with_folded_groups(stage: Stage) -> None:
    job = red_job(stage)
    async with stage.client() as maya:
        page = (await maya.get(f"/{stage.repo.full_name}/checks/{job}")).text
        text = await maya.get(f"/{stage.repo.full_name}/checks/{job}/log")
    assert "\x1b" not in page
    assert "F821 Undefined name `tne` &lt;script&gt;" in page
    assert "a⟨U+202E⟩b" in page
    assert re.search(r"<details><summary><span class=\"line \"><span class=\"no\">1</span>Run ruff check \.", page)
    assert '<span class="line error"><span class="no">7</span>Process completed with exit code 1.' in page
    assert "lint &lt;b&gt;" in page
    assert '<b class="path">code.py:10</b>' in page
    assert "\x1b[1;31mF821" in text.text
    assert text.headers["content-type"].startswith("text/plain")


async def test_the_files_show_both_sides(stage: Stage) -> None:
    stage.suggest(10, "line10 = ten\n")
    async with stage.client() as maya:
        page = (await maya.get(f"{stage.path}/files")).text
    assert re.search(r'<tr class="del"><td class="no">10</td><td class="no"></td>.*line10 = 10</td>', page)
    assert re.search(r'<tr class="add"><td class="no"></td><td class="no">10</td>.*line10 = tne</td>', page)
    assert "A review thread is about this line" in page


async def test_every_link_leads_somewhere(stage: Stage) -> None:
    made = stage.suggest(10, "line10 = ten\n")
    red_job(stage)
    fields = {"name": "Heal", "head_sha": stage.pull.head_sha, "status": "in_progress"}
    checks.create_run(stage.hub, stage.repo, stage.app.slug, stage.app.bot, fields)
    async with stage.client() as maya:
        await maya.post(f"{stage.path}/suggestion", data={"comment": made.id})
        todo, seen = deque(["/"]), {"/"}
        while todo:
            answer = await maya.get(todo[0])
            assert answer.status_code == 200, todo[0]
            page = answer.text if "text/html" in answer.headers["content-type"] else ""
            for link in re.findall(r'(?:href|src)="(/[^"#]*)', page):
                if link not in seen:
                    seen.add(link)
                    todo.append(link)
            ids = re.findall(r'\bid="([^"]+)"', page)
            assert len(ids) == len(set(ids)), "an id is used twice"
            assert all(target in ids for target in re.findall(r'href="#([^"]+)"', page))
            todo.popleft()
    assert len(seen) >= 12


async def test_addresses_as_github_writes_them_work_too(stage: Stage) -> None:
    job = red_job(stage)
    run = stage.hub.jobs[job].run_id
    async with stage.client() as maya:
        for path in (f"actions/runs/{run}/job/{job}", f"runs/{job}", f"commit/{stage.pull.head_sha}"):
            assert (await maya.get(f"/{stage.repo.full_name}/{path}")).status_code == 200


async def test_what_is_not_there_is_reported(stage: Stage) -> None:
    name = stage.repo.full_name
    async with stage.client() as maya:
        for path in ("/no/such", f"/{name}/pull/9", f"/{name}/pull/9/files", f"/{name}/checks/1",
                     f"/{name}/commit/{'0' * 40}", f"/{name}/commit/--help", f"/{name}/pull/{'9' * 30}"):  # fmt: skip
            answer = await maya.get(path)
            assert (answer.status_code, "There is no such page" in answer.text) == (404, True), path
        assert (await maya.get("/assets/..%2fhub.py")).status_code == 404


async def test_a_private_repository_is_hidden_from_whom_it_does_not_concern(stage: Stage) -> None:
    secret = repos.create_repo(stage.hub, "corner-shop", "secret", {"a.py": "a = 1\n"}, private=True)
    repos.add_collaborator(secret, "noor", "write")
    async with stage.client("noor") as noor, stage.client("sam") as sam:
        assert (await noor.get("/corner-shop/secret")).status_code == 200
        assert (await sam.get("/corner-shop/secret")).status_code == 404
        assert (await sam.get("/corner-shop/secret/pulse")).status_code == 404
        assert ("secret" in (await noor.get("/")).text, "secret" in (await sam.get("/")).text) == (True, False)


async def test_strange_names_and_bytes_are_shown_safely(stage: Stage) -> None:
    files: dict[str, bytes | str | tuple[bytes, str] | None]
    files = {"<img src=x>.py": "a\u202eb\n", "bin": b"\0\1\2", "crlf.txt": "a\r\n", "no end": "x"}
    pushes.commit(stage.hub, "noor", stage.repo, "spelling", files, "<script>alert(1)</script>\n\n\u202eturned")
    stage.pull.title = "<script>alert(1)</script>\u202e"
    async with stage.client() as maya:
        pages = [(await maya.get(stage.path + tab)).text for tab in ("", "/files", "/checks")]
        pages.append((await maya.get(f"/{stage.repo.full_name}/commit/{stage.pull.head_sha}")).text)
    for page in pages:
        assert "<script>" not in page
        assert "<img" not in page
        assert "\u202e" not in page
    assert "&lt;img src=x&gt;.py" in pages[1]
    assert '<mark class="hidden">U+202E</mark>' in pages[1]
    assert "not text" in pages[1]
    assert "\r" not in pages[1]


async def test_running_checks_reload_only_where_nothing_is_typed(stage: Stage) -> None:
    run = actions.begin_run(stage.hub, stage.repo, ".github/workflows/ci.yml", "CI", stage.pull.head_sha, "spelling")
    job = actions.begin_job(stage.hub, run, "tests")
    async with stage.client() as maya:
        talk, listed, one = [
            (await maya.get(path)).text
            for path in (stage.path, f"{stage.path}/checks", f"/{stage.repo.full_name}/checks/{job.id}")
        ]
        before = (await maya.get(f"/{stage.repo.full_name}/pulse")).text
        actions.finish_job(stage.hub, job, "success", [], None)
        after = (await maya.get(f"/{stage.repo.full_name}/pulse")).text
    assert ['http-equiv="refresh"' in page for page in (talk, listed, one)] == [False, True, True]
    assert "Checks are running: 1 running" in talk
    assert before != after


async def test_a_fork_without_its_repository_is_still_shown(stage: Stage) -> None:
    fork = repos.fork(stage.hub, stage.repo, "kim")
    pushes.commit(stage.hub, "kim", fork, "mine", {"code.py": AFTER}, "From a fork")
    pull = pulls.open_pull(stage.hub, "kim", stage.repo, "kim:mine", title="From a fork")
    async with stage.client() as maya:
        page = (await maya.get(f"/{stage.repo.full_name}/pull/{pull.number}")).text
        assert '<code class="branch">kim:mine</code>' in page
        assert '<option value="kim">kim (read)</option>' in page
        pull.head_repo_id = None
        assert (await maya.get(f"/{stage.repo.full_name}/pull/{pull.number}")).status_code == 200
