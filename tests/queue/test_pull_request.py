"""The pull request that a session ends in, on the local GitHub: its owner, its reviewers, its words."""

import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.queue_socket.pull_request import deliver_to_github, repository_of
from bot.queue_socket.verbs import manual_push_command
from bot.settings import Settings
from handlers.errors import UserError
from healing.git.branches import Branches
from healing.verify.queue.session import Merge, Session
from lab.localhub import apps, repos
from lab.localhub.hub import Hub
from lab.localhub.server import serve
from lab.localhub.state import Repo
from tests.git.oracle import commit_files, git, word

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="the clone is made with git; install Debian's git")


@dataclass
class Scene:
    hub: Hub
    repo: Repo
    clone: Path
    settings: Settings

    def session(self, name: str = "s") -> Session:
        """One that has ended with a merge on its branch."""
        base = word(self.clone, "rev-parse", "main")
        git(self.clone, "checkout", "-q", "-b", f"heal/{name}", base)
        tip = commit_files(self.clone, {"src/c.py": b"x = 2\n"}, "@everybody look here")
        git(self.clone, "checkout", "-q", "main")
        merge = Merge(ticket=1, agent="ann", tip=tip, commit=tip, before=base, at=1.0, checks=())
        return Session(
            id=name, feature=f"heal/{name}", base_branch="main", base=base, tip=tip, created_at=1.0, seen_at=1.0,
            verdict="unvalidated", merges=(merge,),
        )  # fmt: skip


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    hub = Hub(tmp_path / "hub", lambda: datetime(2026, 1, 1, tzinfo=UTC))
    owners = "* @nobody\nsrc/ @mona @octo\n"
    repo = repos.create_repo(hub, "octo", "demo", {"src/c.py": "x = 1\n", "CODEOWNERS": owners})
    repos.add_collaborator(repo, "mona", "write")
    token = apps.person_token(hub, "octo").value
    git(tmp_path, "clone", "-q", str(hub.bare(repo).path), "clone")
    git(tmp_path / "clone", "remote", "set-url", "origin", "git@elsewhere.example:octo/demo.git")
    async with serve(hub) as local:
        settings = Settings(data=tmp_path / "data", github_url=local.api, queue_token=SecretStr(token))
        yield Scene(hub, repo, tmp_path / "clone", settings)


# MQ-5
async def test_a_session_ends_as_a_pull_request_that_the_owners_of_its_files_are_asked_to_review(scene: Scene) -> None:
    session = scene.session()
    with Branches.of(scene.clone) as branches:
        deliver = deliver_to_github(scene.settings, branches)
        output = await deliver(session)
        (pull,) = scene.hub.pulls.values()
        assert (pull.author.login, pull.head_ref, pull.base_ref) == ("octo", "heal/s", "main")
        assert [person.login for person in pull.reviewers] == ["mona"]
        assert pull.head_sha == session.tip
        assert f"/pull/{pull.number}" in output
        assert "mona" in output
        assert "everybody" not in f"{pull.title}{pull.body}"
        assert (await deliver(session)).startswith(output.split(" ", 1)[0])
        assert len(scene.hub.pulls) == 1
        assert pull.draft is False


# MQ-5
async def test_the_clones_branch_is_gone_once_github_has_it_and_the_labels_are_on(scene: Scene) -> None:
    session = scene.session()
    with Branches.of(scene.clone) as branches:
        output = await deliver_to_github(scene.settings, branches)(session, ("agents", "needs review"))
        (pull,) = scene.hub.pulls.values()
        assert pull.labels == ["agents", "needs review"]
        assert "(labels: agents, needs review)" in output
        assert branches.tip("heal/s") is None
        assert "heal/s was deleted here: it is on GitHub" in output
        assert scene.hub.bare(scene.repo).branch("heal/s") == session.tip
        again = await deliver_to_github(scene.settings, branches)(session, ("agents",))
        assert again.startswith(output.split(" ", 1)[0])


# MQ-5
@pytest.mark.parametrize("kept", ["checked out", "moved", "refused"])
async def test_a_branch_that_somebody_is_on_or_that_github_does_not_have_stays(scene: Scene, kept: str) -> None:
    session, settings = scene.session(), scene.settings
    if kept == "checked out":
        git(scene.clone, "worktree", "add", "-q", str(scene.clone.parent / "look"), "heal/s")
    elif kept == "moved":
        git(scene.clone, "branch", "-f", "heal/s", "main")
    else:
        settings = settings.model_copy(update={"queue_token": SecretStr("ghp_nobody")})
    with Branches.of(scene.clone) as branches:
        output = await deliver_to_github(settings, branches)(session)
        assert branches.tip("heal/s") is not None
        assert "was deleted" not in output


# MQ-5
async def test_labels_that_github_refuses_are_named_and_the_pull_request_is_there(scene: Scene) -> None:
    session = scene.session()
    with Branches.of(scene.clone) as branches:
        output = await deliver_to_github(scene.settings, branches)(session, ("x" * 60,))
        assert len(scene.hub.pulls) == 1
        assert "(not labelled: " in output


# MQ-5
async def test_where_it_can_not_be_opened_it_is_said_why_and_how_a_person_opens_it(scene: Scene) -> None:
    session = scene.session()
    wrong = scene.settings.model_copy(update={"queue_token": SecretStr("ghp_nobody")})
    with Branches.of(scene.clone) as branches:
        output = await deliver_to_github(wrong, branches)(session)
        assert "not opened" in output
        assert "git push origin heal/s" in output
        assert "ghp_nobody" not in output
        without = scene.settings.model_copy(update={"queue_token": SecretStr("")})
        assert deliver_to_github(without, branches) is manual_push_command


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/octo/demo", "https://github.com/octo/demo.git/", "git@github.com:octo/demo.git",
        "ssh://git@github.com:22/octo/demo.git", "http://x-access-token:t@ghe.example:8080/octo/demo.git",
    ],
)  # fmt: skip
def test_owner_and_name_are_read_from_any_address(address: str) -> None:
    assert repository_of(address) == "octo/demo"


@pytest.mark.parametrize("address", ["", "/srv/git/demo.git", "https://github.com/octo", "file:///a/b/c"])
def test_another_address_is_no_repository_on_github(address: str) -> None:
    with pytest.raises(UserError, match="git remote -v"):
        repository_of(address)
