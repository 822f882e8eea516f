"""The state of each error of a cluster: open, in a proposal, or in a report; none is dropped."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from healing.model import Frozen, Proposal, Unfixable, content_id
from healing.repair.agents.stop import Progress
from healing.repair.agents.task import AgentResult, AgentTask, FailedEdit, ModelCall
from healing.repair.agents.tool_arguments import WrongArguments
from healing.repair.agents.wording import accepted, names
from healing.verify.verdict import Withdrawal

ADVICE = {
    "budget": "Raise the budget and retry: what is done is kept.",
    "stopped": "Let it go on, and retry: what is done is kept.",
    "limit": "Look at the failed edits in the run's log, and retry with a hint on how to go about it.",
    "refused": "Read why Heal refused the fixes, and retry with a hint, or fix it by hand.",
    "time": "Retry with a hint, or fix it by hand.",
    "unchanged": "Check the run's log for what the edits left unchanged, then retry with a hint, or fix it by hand.",
    "worse": "Check the run's log for what the edits broke, then retry with a hint, or fix it by hand.",
    "repeated": "Read why Heal refused the fix, and retry with a hint, or fix it by hand.",
    "model-refusal": "Fix it by hand, or retry with another model configured.",
    "context": "Retry with smaller clusters, or fix it by hand.",
    "model-unavailable": "Retry later, or configure another provider.",
    "model-rejected": "Report this as a fault of Heal, with the run's id.",
    "conflict": "Apply the accepted fixes first, then retry: it is worked on again on top of them.",
    "no-access": "Check the model's key and the account's credit, then retry.",
}
ALL = "all"  # in place of ids: all open errors


class WithdrawnFix(Frozen):
    """An accepted fix that its author withdrew."""

    proposal: Proposal
    why: str


@dataclass
class ClusterLedger:
    """The records of one cluster, kept by its loop."""

    task: AgentTask
    rounds: int = 0
    proposals: list[Proposal] = field(default_factory=list)
    unfixables: list[Unfixable] = field(default_factory=list)
    calls: list[ModelCall] = field(default_factory=list)
    failed: list[FailedEdit] = field(default_factory=list)
    withdrawn: list[WithdrawnFix] = field(default_factory=list)
    already_fixed: tuple[str, ...] = ()  # errors fixed by accepted fixes that no proposal here lists
    repeated: str = ""  # the error for which the same edits were submitted again
    target: str = ""  # the error that is worked on
    repairs: dict[str, int] = field(default_factory=dict)  # by error: edits that did not parse
    seconds: dict[str, float] = field(default_factory=dict)  # by error: time of models and tools, without checks

    def took(self, seconds: float) -> None:
        """Adds time to the current error."""
        self.seconds[self.target] = self.seconds.get(self.target, 0.0) + seconds

    def assigned(self, ids: list[str]) -> tuple[str, ...]:
        """The ids in the cluster's order; `all` means those that are open. Raises WrongArguments where an id is not of
        the cluster, or where there is none."""
        known = self.task.ids()
        if list(ids) == [ALL]:
            return self.missing() or known
        unknown = [" ".join(i.split())[:40] for i in ids if i not in known]
        if unknown or not ids:
            raise WrongArguments(
                f"error_ids must be of this cluster ({names(known)}), or `{ALL}` alone, not {unknown[:20]}"
            )
        return tuple(i for i in known if i in ids)

    def settled(self) -> tuple[str, ...]:
        """The ids that are settled, in order."""
        ended = {i for p in self.proposals for i in p.error_ids} | {i for u in self.unfixables for i in u.error_ids}
        return tuple(i for i in self.task.ids() if i in ended or i in self.already_fixed)

    def missing(self) -> tuple[str, ...]:
        """The ids that are still open, in order."""
        settled = set(self.settled())
        return tuple(i for i in self.task.ids() if i not in settled)

    def progress(self, target: str) -> Progress:
        """The state on which the stop hook decides."""
        failed = [failed for failed in self.failed if target in failed.error_ids]
        last = [set(failed_edit.still) for failed_edit in failed[-2:] if failed_edit.still]
        return Progress(
            target=target,
            settled=self.settled(),
            missing=self.missing(),
            rounds=self.rounds,
            calls=sum(call.error_id == target for call in self.calls),
            refusals=len(failed),
            seconds=self.seconds.get(target, 0.0),
            repeated=self.repeated == target,
            unchanged=len(last) == 2 and last[0] == last[1],
            worse=any(failed_edit.worse for failed_edit in failed),
        )

    def spent_on(self, ids: tuple[str, ...]) -> float:
        """US dollars of the calls on these errors."""
        return round(sum(call.dollars for call in self.calls if call.error_id in {*ids, self.target}), 6)

    def lines(self) -> list[str]:
        """What was settled, as lines that open a branch."""
        reports = [f"{names(u.error_ids)}: reported as not fixable" for u in self.unfixables]
        fixed = [f"{names(self.already_fixed)}: already fixed by an accepted fix"] if self.already_fixed else []
        withdrawn = [
            f"your fix {withdrawn_fix.proposal.id} was withdrawn by its author" for withdrawn_fix in self.withdrawn
        ]
        return [accepted(proposal) for proposal in self.proposals] + fixed + reports + withdrawn

    def gone(self, ids: Iterable[str]) -> None:
        """Settles those ids that are still open as fixed by accepted fixes."""
        missing = self.missing()
        self.already_fixed += tuple(i for i in ids if i in missing)

    def withdraw(self, fix_id: str, why: str, withdrawal: Withdrawal) -> tuple[str, ...]:
        """Withdraws a fix, with others of this agent that went with it. Returns the errors that a check has to be run
        for to see whether they are open: theirs, and those that accepted fixes had fixed."""
        removed = [
            proposal for proposal in self.proposals if proposal.id == fix_id or proposal.id in withdrawal.dropped
        ]
        self.withdrawn += [WithdrawnFix(proposal=proposal, why=why) for proposal in removed if proposal.id == fix_id]
        kept = [proposal for proposal in self.proposals if proposal not in removed]
        changed = [proposal for proposal in self.proposals if proposal.id in withdrawal.replaced]
        self.proposals = [withdrawal.replaced.get(proposal.id, proposal) for proposal in kept]
        suspects = {*self.already_fixed, *(i for proposal in (*removed, *changed) for i in proposal.error_ids)}
        self.already_fixed = ()
        return tuple(i for i in self.missing() if i in suspects)

    def report(self, ids: tuple[str, ...], reason: str, tried: str, why: str, advice: str = "") -> None:
        """Settles those ids that are still open with a report."""
        missing = self.missing()
        still_open = tuple(i for i in ids if i in missing)
        if still_open:
            advice = advice or ADVICE.get(reason, "Fix it by hand, or retry with a hint.")
            tried = "; ".join([tried, *self._taken_back(still_open)])
            name = "U" + content_id(still_open, reason, tried, why, advice, length=12)
            self.unfixables.append(
                Unfixable(id=name, error_ids=still_open, reason=reason, tried=tried, why=why, advice=advice)
            )

    def tried(self, target: str) -> str:
        """A sentence on what was tried on an error."""
        calls = sum(call.error_id == target for call in self.calls)
        failed = [f.message for f in self.failed if target in f.error_ids]
        effort = f"{calls} model calls, {len(failed)} refused submissions"
        return f"{effort}; the last one: {failed[-1][:500]}" if failed else effort

    def _taken_back(self, ids: tuple[str, ...]) -> list[str]:
        """Sentences for a report on fixes of these errors that were accepted and withdrawn."""
        wanted = set(ids)
        withdrawn = [
            withdrawn_fix for withdrawn_fix in self.withdrawn if wanted & set(withdrawn_fix.proposal.error_ids)
        ]
        return [f"a fix was accepted and withdrawn by its author: {withdrawn_fix.why}" for withdrawn_fix in withdrawn]

    def result(self) -> AgentResult:
        """The result for the cluster."""
        return AgentResult(
            proposals=tuple(self.proposals),
            unfixables=tuple(self.unfixables),
            already_fixed=self.already_fixed,
            calls=tuple(self.calls),
            rounds=self.rounds,
            failed=tuple(self.failed),
        )
