"""Names an attempt of healing, for queues: small enough to be an argument, the rest is read from the store."""

from handlers.model import Run
from healing.model import Frozen


class RunRef(Frozen):
    """Names one attempt; everything else is read from the store when it is needed."""

    installation_id: int
    repo_id: int
    full_name: str
    sha: str
    attempt: int

    @property
    def key(self) -> str:
        """Names the run's durable steps and its lines in the log."""
        return f"heal/{self.installation_id}/{self.repo_id}/{self.sha}/{self.attempt}"


class Origin(Frozen):
    """The commits that the trees are made of. Where CI builds a merge: the `target` that the `head` was merged with,
    where they parted (`base`), and the `merge` itself if GitHub still has it. Else `green`, a commit with which the
    failed job was green before."""

    head: str
    base: str | None = None
    target: str | None = None
    merge: str | None = None
    green: str | None = None


def ref_of(run: Run) -> RunRef:
    """The reference of a stored run."""
    return RunRef.model_validate(run.model_dump(include=set(RunRef.model_fields)))
