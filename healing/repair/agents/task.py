"""The input and the result of an agent: values that cross processes."""

from healing.llm.protocol import Kept, Stop, Usage
from healing.model import CIError, Cluster, Edit, Frozen, Proposal, Unfixable, content_id
from healing.repair.agents.profiles import Profile
from healing.repair.agents.routing import Routing


class Excerpt(Frozen):
    """A part of a file as it is in the base; `first_line` is 1-based, `lines` is the number of lines of the whole file,
    where that is known. An excerpt without text is a part for which there was no room, of `rest` + 1 lines."""

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
    worked on similar errors, `hint` a person's hint, `findings` what Heal found out about the errors by running checks,
    `change` the diff that CI ran for, in the files involved, `style` the repository's guides on code style,
    `never_touched` patterns of files that no fix may change. `steps` are labels of CI's steps that can be run again,
    `commands` the first words of commands that may be run, with `steps_are_commands` those of all steps among them;
    `routing` is why this specialist was chosen; `trunk_ttl` is how long the task stays in the provider's cache between
    two calls. `several`: an agent of the phase has several errors, and may withdraw a fix; where each has one, the
    conversation ends with its fix. All agents of a phase have the same tools, as they share the cached prefix."""

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
    steps_are_commands: bool = False
    profile: Profile
    routing: Routing | None = None
    trunk_ttl: Kept = "5m"
    several: bool = True

    def ids(self) -> tuple[str, ...]:
        """The ids of all assigned errors, in order."""
        return tuple(dict.fromkeys((*self.cluster.error_ids, *(error.id for error in self.errors))))

    def labels(self) -> tuple[str, ...]:
        """The labels that `run_step` takes: none where `run_command` can run all steps."""
        return () if self.steps_are_commands and "run_command" in self.profile.tools else self.steps

    def part(self, ids: tuple[str, ...]) -> "AgentTask":
        """The task limited to some of its errors, in its own order; the task itself where these are all."""
        if set(ids) >= set(self.ids()):
            return self
        kept = tuple(name for name in self.ids() if name in ids)
        errors = tuple(error for error in self.errors if error.id in ids)
        return self.model_copy(
            update={"cluster": self.cluster.model_copy(update={"error_ids": kept}), "errors": errors}
        )

    def batches(self, most: int) -> tuple["AgentTask", ...]:
        """The task in parts of at most that many root causes each."""
        causes = self.cluster.causes
        if len(causes) <= most:
            return (self,)
        groups = [causes[first : first + most] for first in range(0, len(causes), most)]
        parts = [tuple(dict.fromkeys(i for cause in group for i in cause.error_ids)) for group in groups]
        rest = tuple(i for i in self.ids() if not any(i in part for part in parts))
        parts[-1] = (*parts[-1], *rest)
        taken: set[str] = set()
        tasks = []
        for part in parts:
            part_ids = tuple(i for i in self.ids() if i in part and i not in taken)
            taken |= set(part_ids)
            tasks += [self.part(part_ids)] if part_ids else []
        return tuple(tasks)


class AgentLimits(Frozen):
    """The limits at which Heal stops an agent."""

    rounds: int = 10  # stop-hook re-prompts of one cluster
    calls: int = 10  # model calls for one error
    refusals: int = 3  # submissions on one error that the verifier refused
    repairs: int = 3  # of edits that do not parse, before they are repaired without the model or refused
    seconds: float = 300.0  # of models and tools for one error; checks don't count
    cluster_seconds: float = 1_800.0  # for a cluster, with all that it waits for


class ModelCall(Frozen):
    """The record of one model call; `dollars` at the table's price."""

    error_id: str
    turn_id: str
    request_id: str
    stop: Stop
    usage: Usage
    dollars: float
    seconds: float
    cache_miss: str = ""


class FailedEdit(Frozen):
    """Edits that the verifier refused, for memory. `still` are the errors' messages after them, where they were tested;
    `worse`: there were over 50% more errors then."""

    fingerprint: str
    error_ids: tuple[str, ...]
    edits: tuple[Edit, ...]
    message: str
    still: tuple[str, ...] = ()
    worse: bool = False


class AgentResult(Frozen):
    """The result for one cluster: every error is in a proposal, in a report, or was already fixed by others' fixes."""

    proposals: tuple[Proposal, ...]
    unfixables: tuple[Unfixable, ...]
    already_fixed: tuple[str, ...] = ()
    calls: tuple[ModelCall, ...] = ()
    rounds: int = 0
    failed: tuple[FailedEdit, ...] = ()


def fingerprint(edits: tuple[Edit, ...]) -> str:
    """An id that is the same for the same edits in any order."""
    return content_id(sorted(edit.model_dump_json() for edit in edits))
