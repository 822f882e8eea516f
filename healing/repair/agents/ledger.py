"""How each error of a cluster stands: open, in a proposal, or in a report; none is dropped."""

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
ALL = "all"  # in place of ids: every error that is open


class WithdrawnFix(Frozen):
    """An accepted fix that its author took back."""

    proposal: Proposal
    why: str


@dataclass
class ClusterLedger:
    """The books of one cluster, kept by its loop."""

    task: AgentTask
    rounds: int = 0
    proposals: list[Proposal] = field(default_factory=list)
    unfixables: list[Unfixable] = field(default_factory=list)
    calls: list[ModelCall] = field(default_factory=list)
    failed: list[FailedEdit] = field(default_factory=list)
    withdrawn: list[WithdrawnFix] = field(default_factory=list)
    already_fixed: tuple[str, ...] = ()  # errors that accepted fixes have fixed, and no proposal here names
    repeated: str = ""  # the error on which the same edits came again
    target: str = ""  # the error that is worked on
    repairs: dict[str, int] = field(default_factory=dict)  # by error, of edits that did not parse
    seconds: dict[str, float] = field(default_factory=dict)  # by error, of models and tools; checks don't count

    def took(self, seconds: float) -> None:
        """Counts time for the error that is worked on."""
        self.seconds[self.target] = self.seconds.get(self.target, 0.0) + seconds

    def assigned(self, ids: list[str]) -> tuple[str, ...]:
        """The ids in the cluster's order; `all`: those that are open. Raises WrongArguments where one is not of
        the cluster, or there is none."""
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
        """Ids with an ending, in order."""
        ended = {i for p in self.proposals for i in p.error_ids} | {i for u in self.unfixables for i in u.error_ids}
        return tuple(i for i in self.task.ids() if i in ended or i in self.already_fixed)

    def missing(self) -> tuple[str, ...]:
        """Ids without an ending, in order."""
        settled = set(self.settled())
        return tuple(i for i in self.task.ids() if i not in settled)

    def progress(self, target: str) -> Progress:
        """What the stop hook decides on."""
        failed = [failed for failed in self.failed if target in failed.error_ids]
        last = [set(one.still) for one in failed[-2:] if one.still]
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
            worse=any(one.worse for one in failed),
        )

    def spent_on(self, ids: tuple[str, ...]) -> float:
        """US dollars of the calls on these errors."""
        return round(sum(call.dollars for call in self.calls if call.error_id in {*ids, self.target}), 6)

    def lines(self) -> list[str]:
        """What was settled, for a branch's opening."""
        reports = [f"{names(u.error_ids)}: reported as not fixable" for u in self.unfixables]
        fixed = [f"{names(self.already_fixed)}: already fixed by an accepted fix"] if self.already_fixed else []
        back = [f"your fix {one.proposal.id} was withdrawn by its author" for one in self.withdrawn]
        return [accepted(proposal) for proposal in self.proposals] + fixed + reports + back

    def gone(self, ids: Iterable[str]) -> None:
        """Settles those of the ids that are still open: accepted fixes have fixed them."""
        missing = self.missing()
        self.already_fixed += tuple(i for i in ids if i in missing)

    def withdraw(self, fix_id: str, why: str, withdrawal: Withdrawal) -> tuple[str, ...]:
        """Takes a fix back, with others of this agent that went with it. Gives the errors of which a check has to say
        whether they are open: theirs, and those that were gone by accepted fixes."""
        gone = [one for one in self.proposals if one.id == fix_id or one.id in withdrawal.dropped]
        self.withdrawn += [WithdrawnFix(proposal=one, why=why) for one in gone if one.id == fix_id]
        kept = [one for one in self.proposals if one not in gone]
        changed = [one for one in self.proposals if one.id in withdrawal.replaced]
        self.proposals = [withdrawal.replaced.get(one.id, one) for one in kept]
        suspects = {*self.already_fixed, *(i for one in (*gone, *changed) for i in one.error_ids)}
        self.already_fixed = ()
        return tuple(i for i in self.missing() if i in suspects)

    def report(self, ids: tuple[str, ...], reason: str, tried: str, why: str, advice: str = "") -> None:
        """Settles those of the ids that are still open with a report."""
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
        """What the books say was tried on an error."""
        calls = sum(call.error_id == target for call in self.calls)
        failed = [f.message for f in self.failed if target in f.error_ids]
        effort = f"{calls} model calls, {len(failed)} refused submissions"
        return f"{effort}; the last one: {failed[-1][:500]}" if failed else effort

    def _taken_back(self, ids: tuple[str, ...]) -> list[str]:
        """What a report says of fixes that were accepted for these errors and do not count any more."""
        wanted = set(ids)
        found = [one for one in self.withdrawn if wanted & set(one.proposal.error_ids)]
        return [f"a fix was accepted and withdrawn by its author: {one.why}" for one in found]

    def result(self) -> AgentResult:
        """The cluster's ending."""
        return AgentResult(
            proposals=tuple(self.proposals),
            unfixables=tuple(self.unfixables),
            already_fixed=self.already_fixed,
            calls=tuple(self.calls),
            rounds=self.rounds,
            failed=tuple(self.failed),
        )
