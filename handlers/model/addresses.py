"""URLs of Heal's own pages, and of GitHub's."""

from urllib.parse import quote

from healing.model import Frozen


class Addresses(Frozen):
    """URLs of one repository (`owner/name`). Heal's own are empty if the operator configured no public address."""

    site: str = ""
    repo: str = ""
    github: str = ""  # base URL of GitHub's pages; always set

    def run(self, sha: str, attempt: int) -> str:
        """Heal's page about one attempt at a commit."""
        return f"{self.site}/runs/{quote(self.repo)}/{sha}/{attempt}" if self.site else ""

    def commit(self, sha: str) -> str:
        """GitHub's page of a commit."""
        return f"{self.github}/{quote(self.repo)}/commit/{sha}"

    def pull(self, number: int) -> str:
        """GitHub's page of a pull request."""
        return f"{self.github}/{quote(self.repo)}/pull/{number}"

    @property
    def settings(self) -> str:
        """The settings on Heal's page about this repository."""
        return f"{self.site}/repositories/{quote(self.repo)}#settings" if self.site else ""
