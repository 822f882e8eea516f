"""The demo's scene: an organisation, its people, the `tally` repository and a pull request that breaks its CI."""

from dataclasses import dataclass
from pathlib import Path

from lab.localhub import apps, pulls, pushes, repos
from lab.localhub.hub import Hub
from lab.localhub.state import App, Installation, Permission, Pull, Repo

FILES = Path(__file__).parent / "demo_repo"
MAINTAINER, AUTHOR, VISITOR = "maya", "noor", "sam"
PEOPLE: dict[str, Permission] = {MAINTAINER: "admin", AUTHOR: "write", VISITOR: "read"}
BRANCH = "discounts"


@dataclass(frozen=True)
class Scene:
    """The accounts and the repository. The pull request is opened later, by `open_broken_pull`."""

    hub: Hub
    app: App
    installation: Installation
    repo: Repo


def files_in(folder: Path) -> dict[str, bytes]:
    """Returns all files below a folder, by relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def set_up(hub: Hub, webhook_url: str) -> Scene:
    """Creates a green repository with Heal installed on it."""
    repo = repos.create_repo(hub, "corner-shop", "tally", dict(files_in(FILES / "main")))
    for login, permission in PEOPLE.items():
        hub.person(login, name=login.title())
        repos.add_collaborator(repo, login, permission)
    app = apps.register(hub, "heal", "corner-shop", webhook_url)
    app.callback_urls = [f"{webhook_url.removesuffix('/webhook')}/auth/callback"]
    repo.suites_off.add(app.slug)  # as after the first push to a repository with Heal
    return Scene(hub, app, apps.install(hub, app, "corner-shop", [repo]), repo)


def open_broken_pull(scene: Scene) -> Pull:
    """Creates the author's branch with five mistakes, and opens the pull request."""
    hub, repo = scene.hub, scene.repo
    pushes.create_branch(hub, AUTHOR, repo, BRANCH)
    pushes.commit(hub, AUTHOR, repo, BRANCH, dict(files_in(FILES / "change")), "Add discounts, a report and CSV")
    body = "Sales can have a discount, and there is a report by product."
    return pulls.open_pull(hub, AUTHOR, repo, BRANCH, title="Discounts and a report by product", body=body)
