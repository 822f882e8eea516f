"""Where people find Heal's own pages, and GitHub's."""

from urllib.parse import quote

from healing.model import Frozen


class Addresses(Frozen):
    """Of one repository (`owner/name`). Heal's own are empty where the operator named no address that others reach."""

    site: str = ""
    repo: str = ""
    github: str = ""  # where GitHub's own pages are; it is always known

    def run(self, sha: str, attempt: int) -> str:
        """One attempt at a commit."""
        return f"{self.site}/runs/{quote(self.repo)}/{sha}/{attempt}" if self.site else ""

    def commit(self, sha: str) -> str:
        """On GitHub."""
        return f"{self.github}/{quote(self.repo)}/commit/{sha}"

    def pull(self, number: int) -> str:
        """On GitHub."""
        return f"{self.github}/{quote(self.repo)}/pull/{number}"

    def runs(self, number: int) -> str:
        """All runs of a pull request."""
        return f"{self.site}/runs?repo={quote(self.repo, safe='')}&q=%23{number}" if self.site else ""

    @property
    def here(self) -> str:
        """What Heal did in this repository, may do, and has muted."""
        return f"{self.site}/repositories/{quote(self.repo)}" if self.site else ""
