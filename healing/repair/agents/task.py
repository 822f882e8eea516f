"""What an agent is given and what it gives back: values that cross processes."""

from healing.llm.protocol import Kept, Stop, Usage
from healing.model import CIError, Cluster, Edit, Frozen, Proposal, Unfixable, content_id
from healing.repair.agents.profiles import Profile
from healing.repair.agents.routing import Routing


class Excerpt(Frozen):
    """A part of a file as it is in the base; `first_line` is 1-based, `lines` how many the whole file has, where that
    is known. Without text it is a part that there was no room for, of `rest` lines more than one."""

    file: str
    first_line: int
    text: str
    lines: int = 0
    rest: int = 0

    @property
    def last_line(self) -> int:
        """The number of its last line."""
        return self.first_line + (self.rest or self.text.count("\n"))


class AgentTask(Frozen):
    """One cluster for one agent. `history` is text about edits that were tried before and failed, `examples` what
    worked on like errors, `hint` what a person wrote to steer the work, `findings` what Heal learnt about the errors by
    running checks, `change` the diff of the files involved that CI ran for, `style` what the repository says about how
    code is written there, `never_touched` patterns of files that no fix may change.
    `steps` are labels of CI's steps that can be run again, `commands` the
    first words of commands that may be run; `routing` is why this specialist works on it; `trunk_ttl` is how long what
    stands here stays in the provider's cache between two calls."""

    cluster: Cluster
    errors: tuple[CIError, ...]
    contexts: tuple[Excerpt, ...] = ()
    change: str = ""
    style: str = ""
    never_touched: tuple[str, ...] = ()
    history: str = ""
    examples: str = ""
    hint: str = ""
    findings: str = ""
    steps: tuple[str, ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()
    profile: Profile
    routing: Routing | None = None
    trunk_ttl: Kept = "5m"

    def ids(self) -> tuple[str, ...]:
        """Every assigned error, in order."""
        return tuple(dict.fromkeys((*self.cluster.error_ids, *(error.id for error in self.errors))))

    def part(self, ids: tuple[str, ...]) -> "AgentTask":
        """The task for some of its errors, in its own order; the whole one where they are all."""
        if set(ids) >= set(self.ids()):
            return self
        kept = tuple(name for name in self.ids() if name in ids)
        errors = tuple(error for error in self.errors if error.id in ids)
        return self.model_copy(
            update={"cluster": self.cluster.model_copy(update={"error_ids": kept}), "errors": errors}
        )

    def batches(self, most: int) -> tuple["AgentTask", ...]:
        """The task in parts of at most so many root causes each."""
        causes = self.cluster.causes
        if len(causes) <= most:
            return (self,)
        groups = [causes[first : first + most] for first in range(0, len(causes), most)]
        parts = [tuple(dict.fromkeys(i for cause in group for i in cause.error_ids)) for group in groups]
        rest = tuple(i for i in self.ids() if not any(i in part for part in parts))
        parts[-1] = (*parts[-1], *rest)
        taken: set[str] = set()
        found = []
        for part in parts:
            mine = tuple(i for i in self.ids() if i in part and i not in taken)
            taken |= set(mine)
            found += [self.part(mine)] if mine else []
        return tuple(found)


class AgentLimits(Frozen):
    """Where the harness ends what a model would go on with."""

    rounds: int = 10  # stop-hook re-prompts of one cluster
    calls: int = 10  # model calls for one error
    refusals: int = 3  # submissions on one error that the verifier refused
    repairs: int = 3  # of edits that do not parse, before they are put right without the model or refused
    seconds: float = 300.0  # of models and tools for one error; checks don't count
    cluster_seconds: float = 1_800.0  # for a cluster, with all that it waits for


class ModelCall(Frozen):
    """One model call for the books; `dollars` at the table's price."""

    error_id: str
    turn_id: str
    request_id: str
    stop: Stop
    usage: Usage
    dollars: float
    seconds: float
    cache_miss: str = ""


class FailedEdit(Frozen):
    """Edits that the verifier refused, for the memory. `still` is what the errors reported after them, where they were
    tried; `worse`: there were more errors by over a half then."""

    fingerprint: str
    error_ids: tuple[str, ...]
    edits: tuple[Edit, ...]
    message: str
    still: tuple[str, ...] = ()
    worse: bool = False


class AgentResult(Frozen):
    """How one cluster ended: every error is in a proposal, in an unfixable, or was already fixed by others' fixes."""

    proposals: tuple[Proposal, ...]
    unfixables: tuple[Unfixable, ...]
    already_fixed: tuple[str, ...] = ()
    calls: tuple[ModelCall, ...] = ()
    rounds: int = 0
    failed: tuple[FailedEdit, ...] = ()


def fingerprint(edits: tuple[Edit, ...]) -> str:
    """The same edits, whatever their order, have the same one."""
    return content_id(sorted(edit.model_dump_json() for edit in edits))
