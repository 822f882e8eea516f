"""References to attempts, small enough to be a queue's argument; everything else is read from the store."""

from handlers.model import Run
from healing.model import Frozen


class RunRef(Frozen):
    """Identifies one attempt; everything else is read from the store when it is needed."""

    installation_id: int
    repo_id: int
    full_name: str
    sha: str
    attempt: int

    @property
    def key(self) -> str:
        """The name of the run's durable steps and of its lines in the log."""
        return f"heal/{self.installation_id}/{self.repo_id}/{self.sha}/{self.attempt}"


class Origin(Frozen):
    """The commits from which the trees are made. Where CI builds a merge: the `target` that `head` was merged with,
    their merge base (`base`), and the `merge` commit itself if GitHub still has it. Otherwise `green`, an earlier
    commit on which the failed job passed."""

    head: str
    base: str | None = None
    target: str | None = None
    merge: str | None = None
    green: str | None = None


def ref_of(run: Run) -> RunRef:
    """Returns the reference of a stored run."""
    return RunRef.model_validate(run.model_dump(include=set(RunRef.model_fields)))
