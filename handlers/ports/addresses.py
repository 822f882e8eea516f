"""Where people find Heal's own pages (GH-4, OP-4)."""

from urllib.parse import quote

from healing.model import Frozen


class Addresses(Frozen):
    """Of one repository (`owner/name`). All are empty where the operator named no address that others reach."""

    site: str = ""
    repo: str = ""

    def run(self, sha: str, attempt: int) -> str:
        """One attempt at a commit."""
        return f"{self.site}/runs/{quote(self.repo)}/{sha}/{attempt}" if self.site else ""

    def runs(self, number: int) -> str:
        """All runs of a pull request."""
        return f"{self.site}/runs?repo={quote(self.repo, safe='')}&q=%23{number}" if self.site else ""

    @property
    def here(self) -> str:
        """What Heal did in this repository, may do, and has muted."""
        return f"{self.site}/repositories/{quote(self.repo)}" if self.site else ""
